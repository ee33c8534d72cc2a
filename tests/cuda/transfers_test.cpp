#include "cuda/cuda_rows.h"

namespace normbench::transfers_test {
namespace {

/// A transfer by one kernel row (an implementation of the op `h2d` or `d2h`), and the runtime calls
/// that it makes.
struct Transfer {
  friend void PrintTo(const Transfer& t, std::ostream* out) { *out << t.row; }

  std::string_view row;
  Memory from, to;
  Calls calls;
  bool done;  // true: the bytes have arrived when the call returns
};

class Transfers : public RowsTest, public ::testing::WithParamInterface<Transfer> {};

TEST_P(Transfers, CopyTheBytes) {
  const auto& [row, from_memory, to_memory, calls, done] = GetParam();
  const View from = make(from_memory), to = make(to_memory);
  fill(from, 5);
  fill(to, 6);
  const Op op = to_memory == Memory::Device ? Op(H2d{}) : Op(D2h{});
  BoundStage stage = bind(row_of(*backend, name_of(op), row), op, from, to);
  EXPECT_EQ(calls_of([&] { stage.submit(*queue); }), calls);
  EXPECT_EQ(at(to), std::byte(done ? 5 : 6));
  queue->drain();
  EXPECT_EQ(at(to), std::byte{5});
}

INSTANTIATE_TEST_SUITE_P(
    All, Transfers,
    ::testing::Values(Transfer{"async",
                               Memory::Pinned,
                               Memory::Device,
                               {"cudaMemcpyAsync 96 pinned->device stream 1"},
                               false},
                      Transfer{"async",
                               Memory::Pageable,
                               Memory::Device,
                               {"cudaMemcpyAsync 96 pageable->device stream 1"},
                               false},
                      Transfer{"async",
                               Memory::Device,
                               Memory::WriteCombined,
                               {"cudaMemcpyAsync 96 device->write_combined stream 1"},
                               false},
                      Transfer{"async",
                               Memory::Device,
                               Memory::Pageable,
                               {"cudaMemcpyAsync 96 device->pageable stream 1"},
                               true},
                      Transfer{"async",
                               Memory::Managed,
                               Memory::Device,
                               {"cudaMemcpyAsync 96 managed->device stream 1"},
                               false},
                      Transfer{"reference",
                               Memory::Pageable,
                               Memory::Device,
                               {"cudaStreamSynchronize stream 1", "cudaMemcpy 96 pageable->device",
                                "cudaStreamSynchronize default stream"},
                               true},
                      Transfer{"reference",
                               Memory::Device,
                               Memory::Pinned,
                               {"cudaStreamSynchronize stream 1", "cudaMemcpy 96 device->pinned",
                                "cudaStreamSynchronize default stream"},
                               true},
                      Transfer{"kernel",
                               Memory::Mapped,
                               Memory::Device,
                               {"cudaLaunchKernel 256 threads stream 1"},
                               false},
                      Transfer{"kernel",
                               Memory::Device,
                               Memory::Registered,
                               {"cudaLaunchKernel 256 threads stream 1"},
                               false}));

class TransferGraphs : public RowsTest {};

TEST_F(TransferGraphs, AreCapturedOnlyWhereTheHostsPagesStay) {
  const auto captures = [&](std::string_view row, Memory memory) {
    const TensorDesc host = dense(DType::UInt8, Layout::Nchw, shape, memory);
    const TensorDesc device = dense(DType::UInt8, Layout::Nchw, shape, Memory::Device);
    return row_of(*backend, "h2d", row).capturable(H2d{}, {.in = {host}, .out = {device}});
  };
  EXPECT_TRUE(captures("async", Memory::Pinned));
  EXPECT_FALSE(captures("async", Memory::Pageable));
  EXPECT_FALSE(captures("reference", Memory::Pinned));
  EXPECT_TRUE(captures("kernel", Memory::Mapped));
}

}  // namespace
}  // namespace normbench::transfers_test

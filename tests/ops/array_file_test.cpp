#include "ops/array_file.h"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "core/file.h"
#include "ops/op_testing.h"

namespace normbench::array_file_test {
namespace {

using namespace std::string_literals;

TEST(NpyHeader, IsWhatNumPyWrites) {
  EXPECT_EQ(npy_header("<f4", std::array<std::int64_t, 4>{2, 3, 4, 5}),
            "\x93NUMPY\x01\x00\x76\x00"s +
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 5), }" +
                std::string(52, ' ') + "\n");
  EXPECT_EQ(npy_header("|u1", std::array<std::int64_t, 1>{7}),
            "\x93NUMPY\x01\x00\x76\x00"s +
                "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }" + std::string(60, ' ') +
                "\n");
}

TEST(NpyHeader, EndsAtAMultipleOf64Bytes) {
  for (std::int64_t extent = 1; extent < 1'000'000'000'000'000'000; extent *= 10) {
    const std::array<std::int64_t, 4> shape{extent, extent, 1, 1};
    const std::string text = npy_header("<u2", shape);
    EXPECT_EQ(text.size() % 64, 0u);
    const NpyHeader header = parse_npy(std::as_bytes(std::span(text)));
    EXPECT_EQ(header.offset, text.size());
    EXPECT_EQ(header.descr, "<u2");
    EXPECT_FALSE(header.fortran_order);
    EXPECT_THAT(header.shape, testing::ElementsAreArray(shape));
  }
}

TEST(WriteNpy, WritesWhatReads) {
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{})) {
      const TensorDesc desc = dense(dtype.value, layout.value, {2, 3, 4, 5}, Memory::Pageable);
      std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
      const std::string path = testing::TempDir() + "written.npy";
      write_npy(path, {.data = bytes.data(), .desc = desc});
      const ArrayFile file(path, desc);
      EXPECT_EQ(std::memcmp(file.view().data, bytes.data(), bytes.size()), 0)
          << dtype.name << " " << layout.name;
    }
}

TEST(WriteNpy, OrdersAxesAsTheyLie) {
  std::array<std::byte, 24> bytes{};
  const std::string path = testing::TempDir() + "nhwc.npy";
  write_npy(path, {.data = bytes.data(),
                   .desc = dense(DType::UInt8, Layout::Nhwc, {1, 2, 3, 4}, Memory::Pageable)});
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, testing::HasSubstr("'shape': (1, 3, 4, 2), "));
}

TEST(WriteNpy, SaysWhatCannotBeWritten) {
  std::byte byte{};
  const View tensor{.data = &byte, .desc = nchw(DType::UInt8, {1, 1, 1, 1})};
  EXPECT_THAT([&] { write_npy("/absent/out.npy", tensor); },
              testing::ThrowsMessage<CannotWrite>(
                  "cannot write /absent/out.npy: No such file or directory"));
}

}  // namespace
}  // namespace normbench::array_file_test

#include "ops/array_file.h"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/file.h"
#include "ops/op_testing.h"

namespace normbench::array_file_test {
namespace {

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

TEST(ArrayFile, ReadsBFloat16AsItIsSavedByMlDtypes) {
  const TensorDesc desc = dense(DType::BFloat16, Layout::Nchw, {1, 1, 1, 2}, Memory::Pageable);
  for (const char* descr : {"<V2", "|V2", "<u2"}) {
    const std::string path =
        write_file("bits.npy", npy_header(descr, std::array<std::int64_t, 4>{1, 1, 1, 2}) +
                                   std::string("\x80\x3f\x00\xc0", 4));
    const ArrayFile file(path, desc);
    EXPECT_THAT(to_double(file.view(), 0, 1).values, testing::ElementsAre(1, -2)) << descr;
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

#include "machine/page_cache.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

namespace normbench {
namespace {

/// A file of 1 MiB + 1 byte in `folder`.
struct SomeFile {
  explicit SomeFile(const std::string& folder) : path(folder + "/page_cache_test") {
    std::ofstream(path, std::ios::binary) << std::string((1 << 20) + 1, 'x');
  }
  ~SomeFile() { std::remove(path.c_str()); }
  SomeFile(const SomeFile&) = delete;
  SomeFile& operator=(const SomeFile&) = delete;

  std::string path;
};

TEST(PageCacheTest, ForgottenPagesAreNotResident) {
  const SomeFile file(".");  // on a disk: folders for temporary files may be in memory
  EXPECT_EQ(residency(file.path).bytes, (1 << 20) + 1);
  EXPECT_EQ(residency(file.path).resident_bytes, (1 << 20) + 1);
  drop_pages(file.path);
  EXPECT_EQ(residency(file.path).resident_bytes, 0);
  std::ifstream(file.path, std::ios::binary).get();
  EXPECT_GT(residency(file.path).resident_bytes, 0);
}

TEST(PageCacheTest, FilesInMemoryStay) {
  const SomeFile file("/dev/shm");
  drop_pages(file.path);
  EXPECT_EQ(residency(file.path).resident_bytes, (1 << 20) + 1);
}

TEST(PageCacheTest, WhatIsNotThereIsSaid) {
  EXPECT_THROW(drop_pages("/no/such/file"), std::runtime_error);
  try {
    residency("/no/such/file");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "/no/such/file: No such file or directory");
  }
}

}  // namespace
}  // namespace normbench

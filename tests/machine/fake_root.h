/// A tree of small files that tests use in place of /.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace normbench {

class FakeRoot {
 public:
  FakeRoot() {
    const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string(test.test_suite_name()) + "." + test.name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& file(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    return *this;
  }

  operator const std::filesystem::path&() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace normbench

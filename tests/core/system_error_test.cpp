#include "core/system_error.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cerrno>

namespace normbench::system_error_test {
namespace {

TEST(SystemError, IsSaidInWords) {
  EXPECT_EQ(system_error_text(ENOENT), "No such file or directory");
  EXPECT_EQ(system_error_text(std::make_error_code(std::errc::no_space_on_device)),
            "No space left on device");
}

TEST(SystemError, NamesTheLimitOfOpenFiles) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 17, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string text = system_error_text(EMFILE);
  const std::string of_code = system_error_text(std::error_code(EMFILE, std::system_category()));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(text, "Too many open files (the limit is 17: ulimit -n)");
  EXPECT_EQ(of_code, text);
}

}  // namespace
}  // namespace normbench::system_error_test

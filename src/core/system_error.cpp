#include "core/system_error.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "core/units.h"

namespace normbench {

std::string system_error_text(int error) {
  const std::string text = std::strerror(error);
  rlimit files{};
  if (error != EMFILE || getrlimit(RLIMIT_NOFILE, &files) != 0) return text;
  return fmt::format("{} (the limit is {}: ulimit -n)", text,
                     format_count(static_cast<std::int64_t>(files.rlim_cur)));
}

std::string system_error_text(const std::error_code& error) {
  return error.value() == EMFILE ? system_error_text(EMFILE) : error.message();
}

}  // namespace normbench

#include "machine/start_thread.h"

#include <fmt/format.h>

#include <stdexcept>
#include <system_error>
#include <utility>

namespace normbench {

std::thread start_thread(std::function<void()> work, std::string_view what_for) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    throw std::runtime_error(
        fmt::format("cannot start a thread for {}: {}", what_for, error.code().message()));
  }
}

}  // namespace normbench

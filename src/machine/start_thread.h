#pragma once

#include <functional>
#include <string_view>
#include <thread>

namespace normbench {

/// Starts a thread that calls `work`. Throws std::runtime_error if the system cannot start a
/// thread. The message of this exception names the purpose of the thread, `what_for` (like "items
/// in flight").
std::thread start_thread(std::function<void()> work, std::string_view what_for);

}  // namespace normbench

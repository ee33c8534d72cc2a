#pragma once

#include <functional>
#include <string_view>
#include <thread>

namespace normbench {

/// Starts a thread that calls `work`. If that fails, throws std::runtime_error with `what_for`
/// (like "items in flight") in its message.
std::thread start_thread(std::function<void()> work, std::string_view what_for);

}  // namespace normbench

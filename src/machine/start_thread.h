#pragma once

#include <functional>
#include <string_view>
#include <thread>

namespace normbench {

/// Starts a thread that does this work. Throws std::runtime_error with `what_for` ("items in
/// flight") where the system gives none.
std::thread start_thread(std::function<void()> work, std::string_view what_for);

}  // namespace normbench

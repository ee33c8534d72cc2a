/// A peer is an external program that normbench measures. In C++ it consists of this header and a
/// file with a kernel:
///
///   struct Mine {
///     static constexpr const char* name = "mine";
///     static constexpr const char* version = "1";
///     void prepare(const peer::Task& task);                   // throws peer::Unsupported
///     void run(const void* input, void* output) const;        // one iteration, which is timed
///   };
///   int main() { return peer::serve(Mine()); }
///
/// The header uses stdin and stdout for the protocol, so a kernel may print only to stderr. The
/// header also owns the outputs and the copies of the input, warms up, measures times, and reads
/// and writes .npy files. The header and its includes need C++17, POSIX and nlohmann/json.
/// my_kernel.cpp is a complete example.
#pragma once

#include <iostream>
#include <string>
#include <utility>

#include "peer_session.h"

namespace peer {

/// Answers requests from stdin until `close` or the end of input. Returns the exit code for main().
template <class Kernel>
int serve(Kernel kernel) {
  detail::Session<Kernel> session(std::move(kernel));
  for (std::string line; std::getline(std::cin, line);) {
    const Json reply = session.answer(line);
    if (reply.is_null()) break;
    std::cout << reply.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
  return 0;
}

}  // namespace peer

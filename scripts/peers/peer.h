/// What a peer of normbench in C++ is made of: this header, and a file with a kernel.
///
///   struct Mine {
///     static constexpr const char* name = "mine";
///     static constexpr const char* version = "1";
///     void prepare(const peer::Task& task);                   // throws peer::Unsupported
///     void run(const void* input, void* output) const;        // one iteration, what is timed
///   };
///   int main() { return peer::serve(Mine()); }
///
/// The header speaks the protocol on stdin and stdout (print to stderr only), holds the copies of
/// the input and the outputs, warms up, takes the times, and reads and writes .npy files. It and
/// those it includes need C++17, POSIX and nlohmann/json. my_kernel.cpp is a whole example.
#pragma once

#include <iostream>
#include <string>
#include <utility>

#include "peer_session.h"

namespace peer {

/// Answers requests until `close` or the end of input; what main() returns.
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

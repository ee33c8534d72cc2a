/// Runs kernels that tests write as PTX text.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ptx/interpreter.h"

namespace normbench::ptx {

using Numbers = std::vector<std::uint64_t>;

/// Runs the instructions `body` in one launch, with the address of `numbers` in %rd0. Returns the
/// numbers after the launch.
inline Numbers run(const std::string& body, Numbers numbers, Launch launch = {},
                   Fusing fusing = Fusing::Yes) {
  const std::string text =
      ".extern .shared .align 8 .b8 asked[];\n.shared .align 8 .b8 tile[512];\n"
      ".shared .align 8 .b64 other;\n.visible .entry test(\n.param .u64 numbers\n)\n{\n"
      ".reg .pred %p<9>;\n.reg .b64 %rd<9>;\n.reg .b64 a, b, c, d;\n"
      "ld.param.u64 %rd0, [numbers];\n" +
      body + "\nret;\n}\n";
  std::vector<std::string> violations;
  FakeMemory memory(violations);
  std::byte* data = memory.allocate(FakeKind::Pinned, numbers.size() * 8);
  std::memcpy(data, numbers.data(), numbers.size() * 8);
  launch.params = std::as_bytes(std::span(&data, 1));
  Interpreter(memory).run(decode(text, "test", fusing), launch);
  std::memcpy(numbers.data(), data, numbers.size() * 8);
  return numbers;
}

/// Decodes and runs `body`, by default with 32 threads. Returns the message of the Fault, or "".
inline std::string fault_of(const std::string& body, const Launch& launch = {.block = {32}}) {
  try {
    run(body, {0, 0, 0, 0}, launch);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace normbench::ptx

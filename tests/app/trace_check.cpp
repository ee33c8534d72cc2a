/// Usage: trace_check FILE. Checks the rules of a trace. Exits with 1 and prints one line for each
/// violation.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "trace_check/chrome_check.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto violations = normbench::check_chrome_file(bytes);
  for (const std::string& violation : violations) fmt::print("{}\n", violation);
  return violations.empty() ? 0 : 1;
}

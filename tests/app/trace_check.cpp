/// Usage: trace_check FILE. Checks that a trace file obeys the rules of the format. If it does not,
/// prints one line for each violation and exits with 1.
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

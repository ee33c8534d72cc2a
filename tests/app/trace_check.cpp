/// trace_check FILE: the trace rules as a program. Exit 1 with one line for each violation.
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

/// Reads the expected outputs in tests/golden.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "source_dir.h"

namespace normbench {

/// Returns the text of a golden file. If the environment variable NORMBENCH_UPDATE_GOLDEN is set,
/// `actual` is written to the file first.
inline std::string golden(const std::string& file, const std::string& actual) {
  const std::string path = source_dir() + "/tests/golden/" + file;
  if (std::getenv("NORMBENCH_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << actual;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace normbench

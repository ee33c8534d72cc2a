#include "source_dir.h"

namespace normbench {

std::string source_dir() { return NORMBENCH_SOURCE_DIR; }

}  // namespace normbench

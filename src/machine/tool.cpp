#include <nlohmann/json.hpp>

#include "machine/environment.h"

namespace normbench {

Json tool() {
  return {{"name", "normbench"},
          {"version", NORMBENCH_VERSION},
          {"revision", NORMBENCH_REVISION},
          {"build", NORMBENCH_BUILD},
          {"compiler", NORMBENCH_COMPILER},
          {"flags", NORMBENCH_FLAGS},
          {"sanitizers", NORMBENCH_SANITIZE}};
}

}  // namespace normbench

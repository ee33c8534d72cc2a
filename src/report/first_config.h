/// The config that `normbench init` writes as a start for the user's own question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/enums.h"

namespace normbench {

struct FirstConfig {
  /// The folder or glob that photographs are loaded from, and the number of files that it matches.
  struct Images {
    std::string path;
    std::int64_t count = 0;
  };

  std::string name;
  std::int64_t batch = 32, height = 224, width = 224;
  DType dtype = DType::Float32;  // dtype of the normalised values
  std::optional<Images> images;
  bool gpu = false;
};

/// Returns the config as text, with comments on what a person may want to change.
std::string first_config(const FirstConfig& wanted);

}  // namespace normbench

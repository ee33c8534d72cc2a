/// The config that `normbench init --python` writes around the user's own code.
#pragma once

#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

struct OwnConfig {
  std::string name;                // of the config
  std::string object;              // of the code: "loader" in train.py:loader
  std::vector<std::string> words;  // the command that serves the code to normbench
  OwnCodeKind kind = OwnCodeKind::Loader;
  bool has_step = false;    // the code has a function to call with each batch, like a training step
  GivenResult given = {};   // what the code gave in a batch
  std::int64_t batch = 32;  // images in the source of a transform
  int workers = 1;          // processes of a DataLoader around a dataset, in the second variant
  bool gpu = false;         // batches are also sent to the GPU
};

/// Returns the config as text, with comments on what a person may want to change.
std::string own_config(const OwnConfig& wanted);

}  // namespace normbench

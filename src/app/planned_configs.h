/// The configs of this program, or of a folder, as they are planned here.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace normbench {

/// The folder of the configs beside this program, as built or as packaged; nothing without one.
std::optional<std::string> own_configs();
/// The folder of the configs: as given, else those of this program. Throws Invalid.
std::string configs_folder(const std::string& given);
/// The configs in it, by name. Throws Invalid where there are none.
std::vector<std::string> config_files(const std::string& folder);

/// The plans of all of them, with what peers run. Throws BadFiles.
std::vector<Plan> plan_all(const std::string& folder, bool quick, const Backends& backends);

/// What groups of plans take here.
struct Needs {
  std::set<std::string> peers;
  bool gpu = false;
  double seconds = 0;  // of rounds, at most
  Sides bytes;         // of memory for what can run here, of the group that takes most

  /// `cache_bytes`: the last cache before each memory.
  void add(const Plan& plan, const Group& group, const Sides& cache_bytes);
  /// "GPU (2.2 GB), 2 peers, 1.23 GB"; "" for nothing.
  std::string text() const;
  /// "up to 20 s"; "" for none.
  std::string time_text() const;
};

}  // namespace normbench

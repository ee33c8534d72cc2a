/// Configs of this program, or of a folder, planned for this machine.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace normbench {

/// The folder of configs beside this program, as built or as packaged; nothing without one.
std::optional<std::string> own_configs();
/// The folder of configs: the given one, else this program's. Throws Invalid.
std::string configs_folder(const std::string& given);
/// The configs in a folder, by name. Throws Invalid where there are none.
std::vector<std::string> config_files(const std::string& folder);

/// Plans all configs of a folder, with peers. Throws BadFiles.
std::vector<Plan> plan_all(const std::string& folder, bool quick, const Backends& backends);

/// What groups need here.
struct Needs {
  std::set<std::string> peers;
  bool gpu = false;
  double seconds = 0;  // of rounds, at most
  Sides bytes;         // memory for what can run here: the largest group's

  /// `cache_bytes`: the last cache of each memory.
  void add(const Plan& plan, const Group& group, const Sides& cache_bytes);
  /// "GPU (2.2 GB), 2 peers, 1.23 GB"; "" where nothing is needed.
  std::string text() const;
  /// "up to 20 s"; "" without rounds.
  std::string time_text() const;
};

}  // namespace normbench

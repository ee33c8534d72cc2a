/// Configs of this program or of a folder, planned for this machine.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace normbench {

/// Returns this program's folder of configs, in its installation, its package or its source tree.
/// Returns nothing if there is none.
std::optional<std::string> own_configs();
/// Returns the folder `given`, or this program's folder of configs if `given` is "". Throws Invalid
/// if the program has none.
std::string configs_folder(const std::string& given);
/// Returns the configs in a folder, sorted by name. Throws Invalid if there are none.
std::vector<std::string> config_files(const std::string& folder);

/// Replaces names of this program's configs, like "quickstart" or "quickstart.json", by their
/// paths. If the working folder has a file with that name, that file is used instead. If both files
/// exist and the name has no suffix, a message on stderr says which one is used. Does not change
/// "-", names with a folder and unknown names.
void find_configs(std::vector<std::string>& names);

/// Plans all configs of a folder. Peers are planned, too, but not run. Throws BadFiles.
std::vector<Plan> plan_all(const std::string& folder, bool quick, const Backends& backends);

/// What some groups need on this machine.
struct Needs {
  std::set<std::string> peers;
  bool gpu = false;
  double seconds = 0;  // budget of the rounds of all groups
  Sides bytes;         // most memory that a group needs, without cases that cannot run here

  /// Adds the needs of a group. `cache_bytes` has the size of the last-level cache of host and
  /// device.
  void add(const Plan& plan, const Group& group, const Sides& cache_bytes);
  /// Returns a text like "GPU (2.2 GB), 2 peers, 1.23 GB"; "" if nothing is needed.
  std::string text() const;
  /// Returns the budget of all rounds, like "budget 20 s"; "" if no rounds are planned.
  std::string time_text() const;
};

}  // namespace normbench

/// The plan of a run: its groups and cases, with all options decided.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "plan/case.h"
#include "plan/changes.h"
#include "plan/options.h"

namespace normbench {

struct Plan {
  std::string name, about;
  Json config;  // after the changes by --set, --axis and --vary
  Measure measure;
  ProfileOptions profile;
  std::vector<Group> groups;
  std::map<std::string, PeerCommand> peers = {};  // by name
  Sides free_bytes = {};                          // free memory when the plan was made; 0: unknown
  SideNotes free_notes = {};                      // what limits that memory
  std::vector<ConfigChange> changes = {};         // what --set, --axis and --vary changed

  Measure measure_of(const Group& group) const { return group.own.over(measure); }
};

/// Makes the plan of the config in `file`. Throws BadInput with all mistakes. The plan has pointers
/// to kernels of `backends`, so `backends` must outlive the plan.
Plan make_plan(const std::string& file, const Backends& backends, const PlanOptions& options);
/// Makes the plan of the config in `text`. Error messages give `file` as its name.
Plan make_plan(const std::string& file, std::string_view text, const Backends& backends,
               const PlanOptions& options);

/// Returns the approximate size in bytes of the results document (results.json) after `rounds`
/// rounds, in each of which every case is timed once.
std::int64_t document_bytes(const Plan& plan, std::int64_t rounds);

}  // namespace normbench

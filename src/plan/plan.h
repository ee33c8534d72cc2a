/// The decided run: what is measured, in which groups, by which kernels. Nothing is left to parse.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "plan/case.h"
#include "plan/options.h"

namespace normbench {

struct Plan {
  std::string name, about;
  Json config;  // as read, after --set
  Measure measure;
  ProfileOptions profile;
  std::vector<Group> groups;
  std::map<std::string, PeerCommand> peers = {};  // by name
  Sides free_bytes = {};                          // memory that every group fits in; 0: unknown
  SideNotes free_notes = {};                      // what limits it

  Measure measure_of(const Group& group) const { return group.own.over(measure); }
};

/// Reads, checks and decides a config. Throws BadInput with every mistake: none is found later. The
/// plan points to kernels of `backends`, which must outlive it.
Plan make_plan(const std::string& file, const Backends& backends, const PlanOptions& options);
/// Makes a plan of text that was read already; `file` names it in errors.
Plan make_plan(const std::string& file, std::string_view text, const Backends& backends,
               const PlanOptions& options);

/// The approximate size of the document of a run that measures so many rounds of each case.
std::int64_t document_bytes(const Plan& plan, std::int64_t rounds);

}  // namespace normbench

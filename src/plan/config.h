/// A config as a whole: its text with --set applied, and what stands beside its experiments.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/reader.h"
#include "plan/plan.h"

namespace normbench {

/// Applies `--set NAME=VALUE`: a JSON pointer to what is there (or to a new member of an object
/// that is), or the name of a key of `measure`. A value that is not JSON is a string.
void apply_set(Json& config, const std::string& name, const std::string& value,
               std::vector<Issue>& issues);

/// What a config says beside its experiments.
struct Head {
  std::string name, about;
  Measure measure;
  ProfileOptions profile;
  Json defaults = Json::object();
  std::map<std::string, PeerCommand> peers;
  Json experiments = Json::array();
};

/// Reads the top level. Mistakes go to `issues`; `defaults` are checked as far as they stand alone.
Head read_head(const Json& config, const PlanOptions& options, std::vector<Issue>& issues);

}  // namespace normbench

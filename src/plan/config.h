/// The top level of a config: --set, and everything beside the experiments.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "plan/options.h"

namespace normbench {

/// Reads `measure` of an experiment. Keys of the whole run are mistakes there.
OwnMeasure read_own_measure(Reader reader, bool quick);

/// Applies `--set NAME=VALUE`. NAME is a JSON pointer to a value (or to a new member of an object),
/// or a key of `measure`, which then holds for every experiment. A VALUE that is not JSON is a
/// string.
void apply_set(Json& config, const std::string& name, const std::string& value,
               std::vector<Issue>& issues);

/// True for a member of a config, at any depth, that is for people or editors and decides
/// nothing.
bool is_free_text(std::string_view member);

/// The top level of a config. Its defaults and experiments are read later.
struct Head {
  std::string name = {}, about = {};
  Measure measure = {};
  ProfileOptions profile = {};
  std::map<std::string, PeerCommand> peers = {};  // by name
  Json defaults = Json::object();
  Json experiments = Json::array();
};

/// Reads the top level of a config.
Head read_head(Reader& reader, const PlanOptions& options);

/// Reads the top level of a config. Mistakes go to `issues`. The defaults are checked as far as
/// they can be by themselves.
Head read_head(const Json& config, const PlanOptions& options, std::vector<Issue>& issues);

}  // namespace normbench

/// Reads a config's top level: all but the experiments. Applies --set.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "plan/options.h"

namespace normbench {

/// Reads `measure` of an experiment. Keys that only the config's `measure` may have are mistakes.
OwnMeasure read_own_measure(Reader reader, bool quick);

/// Applies `--set NAME=VALUE`. NAME is a JSON pointer to a value or to a new member of an object.
/// Or it is a key of `measure`, whose new value then holds for all experiments. A VALUE that is not
/// JSON is taken as a string. Mistakes go to `issues`.
void apply_set(Json& config, const std::string& name, const std::string& value,
               std::vector<Issue>& issues);

/// Returns true for a member that people or editors read and the planner ignores. Such a member may
/// be at any depth of a config.
bool is_free_text(std::string_view member);

/// The top level of a config. `defaults` and `experiments` are read later.
struct Head {
  std::string name = {}, about = {};
  Measure measure = {};
  ProfileOptions profile = {};
  std::map<std::string, PeerCommand> peers = {};  // by name
  Json defaults = Json::object();
  Json experiments = Json::array();
};

/// Reads the top level of a config. Mistakes go to the reader.
Head read_head(Reader& reader, const PlanOptions& options);

/// Reads the top level of a config. Mistakes go to `issues`. Defaults are checked op by op.
Head read_head(const Json& config, const PlanOptions& options, std::vector<Issue>& issues);

}  // namespace normbench

/// Reads a config's top level, without reading the experiments.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "plan/options.h"

namespace normbench {

/// The keys of `measure`.
constexpr auto measure_keys =
    std::to_array<std::string_view>({"precision", "max_seconds_per_group", "cache", "clock", "seed",
                                     "processes", "turn_timeout_seconds", "checked_calls"});
/// The keys of `measure` that an experiment may set, too.
constexpr auto own_measure_keys =
    std::to_array<std::string_view>({"precision", "max_seconds_per_group", "cache"});

/// Reads `measure` of an experiment. Reports keys that are allowed only in the config's own
/// `measure`.
OwnMeasure read_own_measure(Reader reader, bool quick);

/// Returns true for a member that people or editors read and the planner ignores. Such a member may
/// be at any depth of a config.
bool is_free_text(std::string_view member);

/// The top level of a config. `defaults` and `experiments` are the JSON of the config.
struct Head {
  std::string name = {}, about = {};
  Measure measure = {};
  ProfileOptions profile = {};
  std::map<std::string, PeerCommand> peers = {};  // by name
  Json defaults = Json::object();
  Json experiments = Json::array();
};

/// Reads the top level of a config. Adds mistakes to the reader's issues.
Head read_head(Reader& reader, const PlanOptions& options);

/// Reads the top level of a config and checks the members of `defaults`. Mistakes go to `issues`.
Head read_head(const Json& config, const PlanOptions& options, std::vector<Issue>& issues);

}  // namespace normbench

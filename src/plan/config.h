/// The top level of a config: --set, and all that stands beside the experiments.
#pragma once

#include "core/reader.h"
#include "plan/plan.h"

namespace normbench {

/// Reads `measure` of an experiment; what is the whole run's is a mistake there.
OwnMeasure read_own_measure(Reader reader, bool quick);

/// Applies `--set NAME=VALUE`: a JSON pointer to what is there (or to a new member of an object
/// that is), or the name of a key of `measure`, which then holds for every experiment. A value that
/// is not JSON is a string.
void apply_set(Json& config, const std::string& name, const std::string& value,
               std::vector<Issue>& issues);

/// True for a member of a config, at any depth, that is for people or their editors: it decides
/// nothing.
bool is_free_text(std::string_view member);

/// What is read later, once the head is known.
struct Rest {
  Json defaults = Json::object();
  Json experiments = Json::array();
};

/// Reads the top level of a config into the plan.
Rest read_head(Reader& reader, const PlanOptions& options, Plan& plan);

/// Reads the top level of `plan.config` into the plan. Mistakes go to `issues`; the defaults are
/// checked as far as they stand alone.
Rest read_head(Plan& plan, const PlanOptions& options, std::vector<Issue>& issues);

}  // namespace normbench

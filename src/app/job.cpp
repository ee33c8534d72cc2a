#include "app/job.h"

#include <fmt/format.h>

#include "core/issue.h"

namespace normbench {

Json to_json(const Job& job) {
  return {{"file", job.file},
          {"text", job.text},
          {"options", to_json(job.options)},
          {"device", job.backend.device},
          {"machine", job.machine}};
}

Job read_job(const Json& json, const std::string& dir) {
  try {
    return {.file = json.at("file"),
            .text = json.at("text"),
            .options = read_config_options(json.at("options")),
            .backend = {.device = json.value("device", 0)},
            .machine = json.at("machine"),
            .dir = dir};
  } catch (const Json::exception& error) {
    throw Invalid(fmt::format("the journal in {} describes no run: {}", dir, error.what()));
  }
}

Plan make_plan(const Job& job, const Backends& backends) {
  return make_plan(job.file, job.text, backends, plan_options(job.options, job.file));
}

}  // namespace normbench

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <variant>

#include "app/commands.h"
#include "app/options.h"
#include "ops/load.h"
#include "plan/plan.h"

namespace normbench {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  ConfigOptions config;
  BackendOptions backend;
};

/// Tries all images, once. Throws BadInput for what would fail a case; what is left out is said.
void check_images(const std::string& file, const Plan& plan) {
  std::set<std::pair<OnError, std::vector<std::string>>> tried;
  std::vector<Issue> issues;
  const auto check = [&](const Load& load, const std::string& where) {
    if (load.files.empty() || !tried.emplace(load.on_error, load.files).second) return;
    try {
      load.walk();
      if (const auto broken = broken_files(load); !broken.empty())
        tell("normbench: {}: {}: {} of {} files are left out: {}\n", file, where, broken.size(),
             load.files.size(), fmt::join(broken, ", "));
    } catch (const std::runtime_error& error) {
      issues.push_back({"", fmt::format("{}: {}", where, error.what())});
    }
  };
  for (const Group& group : plan.groups)
    for (const Case& work : group.cases)
      if (const Load* const load = std::get_if<Load>(&work.stages.front().op))
        check(*load, group.experiment + "/" + work.variant);
  if (!issues.empty()) throw BadInput(file, std::move(issues));
}

}  // namespace

Subcommand make_check() {
  const auto options = std::make_shared<CheckOptions>();
  options->config.allow_peers = true;  // nothing is run
  std::vector<Option> rows{
      {"FILE", "", "Config files", &options->files, "", Option::Required | Option::Several}};
  for (const Option& row : config_options(options->config)) rows.push_back(row);
  rows.push_back(device_option(options->backend));
  const auto run = [options] {
    const Backends backends = make_backends(options->backend);
    each_file(options->files, [&](const std::string& file) {
      const PlanOptions how = plan_options(options->config, file, backends);
      const Plan plan = make_plan(file, backends, how);
      say("{}", plan_text(plan, how.cache_bytes));
      tell_crowded(plan);
      check_images(file, plan);
    });
    return Exit::Fine;
  };
  return {.options = std::move(rows), .run = run};
}

}  // namespace normbench

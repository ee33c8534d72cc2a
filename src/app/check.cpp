#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "plan/plan.h"

namespace normbench {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  ConfigOptions config;
  BackendOptions backend;
};

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
      say("{}", plan_text(make_plan(file, backends, how), how.cache_bytes));
    });
    return Exit::Fine;
  };
  return {.options = std::move(rows), .run = run};
}

}  // namespace normbench

#include <memory>
#include <vector>

#include "app/commands.h"
#include "app/options.h"
#include "app/say.h"
#include "plan/plan.h"

namespace normbench {

std::function<Exit()> declare_check(CLI::App& app) {
  struct Said {
    std::vector<std::string> files;
    ConfigOptions config;
    BackendOptions backend;
  };
  const auto said = std::make_shared<Said>();
  app.add_option("FILE", said->files, "Config files")->required();
  add_config_options(app, said->config);
  add_device_option(app, said->backend);
  return [said] {
    said->config.allow_peers = true;  // nothing is run
    const Backends backends = make_backends(said->backend);
    for (const std::string& file : said->files) {
      const PlanOptions options = plan_options(said->config, file, backends);
      say("{}", explain(make_plan(file, backends, options), options.cache_bytes));
    }
    return Exit::Fine;
  };
}

}  // namespace normbench

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/machine.h"
#include "app/options.h"
#include "app/say.h"
#include "core/issue.h"

namespace normbench {
namespace {

std::string value_text(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return key == "gpu" ? "none" : "cannot be read here";
  return value.is_object() ? "nothing" : value.dump();
}

void print_value(const std::string& key, const Json& value, int indent) {
  if (value.is_object() && !value.empty()) {
    say("{:{}}{}\n", "", indent, key);
    for (const auto& [inner, member] : value.items()) print_value(inner, member, indent + 2);
  } else {
    say("{:{}}{:<{}} {}\n", "", indent, key, 26 - indent, value_text(key, value));
  }
}

}  // namespace

std::function<Exit()> declare_info(CLI::App& app) {
  struct Said {
    std::string format = "text";
    std::string machine;
    BackendOptions backend;
  };
  const auto said = std::make_shared<Said>();
  app.add_option("--format", said->format, "text or json");
  app.add_option("--machine", said->machine, "A name to show instead of the host's");
  add_device_option(app, said->backend);
  return [said] {
    if (said->format != "text" && said->format != "json")
      throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", said->format));
    const Json machine = described_machine(make_backends(said->backend), said->machine);
    const Json info = {
        {"tool", tool()}, {"environment", machine}, {"missing", missing_parts(machine)}};
    if (said->format == "json")
      say("{}\n", info.dump(2));
    else
      for (const auto& [key, value] : info.items()) print_value(key, value, 0);
    return Exit::Fine;
  };
}

}  // namespace normbench

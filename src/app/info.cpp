#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/machine.h"
#include "app/say.h"
#include "core/issue.h"

namespace normbench {
namespace {

void print_value(const std::string& key, const Json& value, int indent) {
  if (value.is_object()) {
    say("{:{}}{}\n", "", indent, key);
    for (const auto& [inner, member] : value.items()) print_value(inner, member, indent + 2);
  } else {
    const std::string text = value.is_string() ? value.get<std::string>()
                             : value.is_null() ? "cannot be read here"
                                               : value.dump();
    say("{:{}}{:<{}} {}\n", "", indent, key, 26 - indent, text);
  }
}

}  // namespace

std::function<Exit()> declare_info(CLI::App& app) {
  struct Said {
    std::string format = "text";
    std::string machine;
  };
  const auto said = std::make_shared<Said>();
  app.add_option("--format", said->format, "text or json");
  app.add_option("--machine", said->machine, "A name to show instead of the host's");
  return [said] {
    if (said->format != "text" && said->format != "json")
      throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", said->format));
    const Json info = {{"tool", tool()},
                       {"environment", described_machine(make_backends(), said->machine)}};
    if (said->format == "json")
      say("{}\n", info.dump(2));
    else
      for (const auto& [key, value] : info.items()) print_value(key, value, 0);
    return Exit::Fine;
  };
}

}  // namespace normbench

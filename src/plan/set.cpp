#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "plan/composed.h"
#include "plan/config.h"

namespace normbench {
namespace {

constexpr auto settable =
    std::to_array<std::string_view>({"precision", "max_seconds_per_group", "cache", "clock", "seed",
                                     "processes", "turn_timeout_seconds"});

/// `text` as JSON where it is JSON, else as a string. Throws Invalid for what JSON cannot hold.
Json value_of(const std::string& text) {
  std::vector<Issue> duplicates;
  try {
    Json value = parse_json(text, duplicates);
    if (duplicates.empty()) return value;
  } catch (const Invalid&) {
    const Json value(text);
    if (value.dump(-1, ' ', false, Json::error_handler_t::ignore) ==
        value.dump(-1, ' ', false, Json::error_handler_t::replace))
      return value;
    throw Invalid("the value is not UTF-8");
  }
  throw Invalid("the value has a key twice");
}

/// Sets what `pointer` points to. Throws Invalid when neither it nor its parent object is there.
void set_at(Json& config, const std::string& pointer, Json value) {
  try {
    const Json::json_pointer target(pointer);
    if (config.contains(target)) {
      config[target] = std::move(value);
      return;
    }
    const bool has_parent =
        config.contains(target.parent_pointer()) && config[target.parent_pointer()].is_object();
    if (!has_parent) throw Invalid("nothing is there in the config");
    config[target] = std::move(value);
  } catch (const Json::exception&) {
    throw Invalid("is no JSON pointer (write /experiments/0/source/batch, for example)");
  }
}

}  // namespace

void apply_set(Json& config, const std::string& name, const std::string& value,
               std::vector<Issue>& issues) {
  const auto complain = [&](const std::string& what) {
    issues.push_back({"", fmt::format("--set {}={}: {}", name, value, what)});
  };
  std::string pointer = name;
  if (!name.starts_with('/')) {
    if (std::ranges::find(settable, name) == settable.end())
      return complain(unknown("name", name, {settable.begin(), settable.end()}) +
                      ", or write /json/pointer=value");
    if (config.is_object() && !config.contains("measure")) config["measure"] = Json::object();
    pointer = "/measure/" + name;
  }
  try {
    set_at(config, pointer, value_of(value));
  } catch (const Invalid& mistake) {
    complain(mistake.what());
  }
}

}  // namespace normbench

#include "plan/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/composed.h"
#include "plan/stage_spec.h"
#include "plan/sweep.h"

namespace normbench {
namespace {

constexpr double tiny = 1e-9;  // smallest accepted value of a number that must be above 0

std::string read_name(Reader& config) {
  config.takes(
      "name",
      {{"type", "string"}, {"pattern", "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"}, {"maxLength", 100}});
  config.require("name", "it names the folder of results");
  const std::string name = config.text("name", "config");
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (name.empty() || name.starts_with('.') || name.size() > 100 ||
      !std::ranges::all_of(name, fits))
    config.complain_at("name",
                       "names a folder, so it has letters, digits, \".\", \"_\" and \"-\" only "
                       "(at most 100, no \".\" in front)");
  return name;
}

void read_schema(Reader& config) {
  config.takes("schema", {{"const", 1}});
  if (!config.require("schema", "write \"schema\": 1")) return;
  if (config.member("schema") != 1)
    config.complain_at("schema", fmt::format("this version reads schema 1 only, not {}",
                                             config.member("schema").dump()));
}

double read_precision(Reader& reader, double fallback, bool quick) {
  const double said = reader.number("precision", fallback, tiny, 0.5);
  return quick ? std::max(said, 0.05) : said;
}

double read_seconds(Reader& reader, double fallback, bool quick) {
  const double said = reader.number("max_seconds_per_group", fallback, tiny, 1e6);
  return quick ? std::min(said, 1.5) : said;
}

Measure read_measure(Reader reader, bool quick) {
  Measure measure;
  measure.precision = read_precision(reader, measure.precision, quick);
  measure.max_seconds_per_group = read_seconds(reader, measure.max_seconds_per_group, quick);
  measure.cache = reader.word("cache", measure.cache);
  measure.clock = reader.word("clock", measure.clock);
  measure.seed = reader.integer("seed", measure.seed);
  measure.processes = reader.integer("processes", measure.processes, 1, 1000);
  measure.turn_timeout_seconds =
      reader.number("turn_timeout_seconds", measure.turn_timeout_seconds, tiny, 1e6);
  measure.checked_calls = reader.integer("checked_calls", measure.checked_calls, 2, 1000);
  reader.finish();
  measure.quick = quick;
  return measure;
}

std::string read_sort_key(Reader& reader, const std::vector<std::string>& known,
                          const std::string& fallback) {
  reader.takes("sort_by", {{"enum", known}, {"default", fallback}});
  std::string said = reader.text("sort_by", fallback);
  if (!known.empty() && std::ranges::find(known, said) == known.end())
    reader.unknown_word("sort_by", said, known);
  return said;
}

ProfileOptions read_profile(Reader reader, const PlanOptions& options) {
  constexpr std::int64_t most = 1'000'000;
  ProfileOptions profile;
  profile.skip_first = reader.integer("skip_first", profile.skip_first, 0, most);
  profile.wait = reader.integer("wait", profile.wait, 0, most);
  profile.warmup = reader.integer("warmup", profile.warmup, 0, most);
  profile.active = reader.integer("active", profile.active, 1, most);
  profile.repeat = reader.integer("repeat", profile.repeat, 0, most);
  profile.skip_first_wait = reader.integer("skip_first_wait", profile.skip_first_wait, 0, most);
  profile.sort_by = read_sort_key(reader, options.sort_keys, profile.sort_by);
  profile.row_limit = reader.integer("row_limit", profile.row_limit, -1, most);
  profile.group_by_input_shape =
      reader.boolean("group_by_input_shape", profile.group_by_input_shape);
  reader.finish();
  profile.enabled = options.profile;
  if (options.quick) profile.active = std::min<std::int64_t>(profile.active, 3);
  return profile;
}

/// Checks the members of an op in `defaults`. Members that a stage must have may be missing here.
void check_defaults(const std::string& op, const Json& members, std::vector<Issue>& issues) {
  const std::string pointer = "/defaults/" + op;
  Json fields = Json::object();
  for (const auto& [key, value] : members.items())
    if (!is_swept(value)) fields[key] = value;
  std::vector<Issue> found;
  Reader reader(fields, pointer, found);
  read_stage_members(op, reader);
  for (Issue& issue : found)
    if (issue.pointer.starts_with(pointer + "/")) issues.push_back(std::move(issue));
}

Json read_defaults(Reader& config) {
  if (!config.has("defaults")) return Json::object();
  const Json& defaults = config.member("defaults");
  Reader reader = config.object("defaults");
  if (!defaults.is_object()) return Json::object();
  const std::vector<std::string> known = op_names();
  for (const auto& [op, members] : defaults.items()) {
    if (std::ranges::find(known, op) == known.end())
      reader.complain_at(op, unknown("op", op, known));
    else if (!members.is_object())
      reader.complain_at(op, wrong_type("an object of parameters", members));
    else
      check_defaults(op, members, config.issues());
  }
  return defaults;
}

bool is_command(const Json& value) {
  return value.is_array() && !value.empty() && value[0] != "" &&
         std::ranges::all_of(value, [](const Json& word) { return word.is_string(); });
}

std::map<std::string, PeerCommand> read_peers(Reader& config, const std::string& directory) {
  std::map<std::string, PeerCommand> known;
  if (!config.has("peers")) return known;
  const Json& peers = config.member("peers");
  Reader reader = config.object("peers");
  if (!peers.is_object()) return known;
  for (const auto& [name, command] : peers.items()) {
    PeerCommand& peer = known[name];
    peer.directory = directory;
    if (is_command(command))
      peer.argv = command.get<std::vector<std::string>>();
    else
      reader.complain_at(name, "expected a command: a list of strings, program first");
  }
  return known;
}

Json read_experiments(Reader& config) {
  const bool is_there = config.require("experiments", "a list of at least one");
  const Json& experiments = config.member("experiments");
  if (experiments.is_array() && !experiments.empty()) return experiments;
  if (is_there)
    config.complain_at("experiments", experiments.is_array()
                                          ? "has no experiments (a list of at least one)"
                                          : wrong_type("a list of experiments", experiments));
  return Json::array();
}

}  // namespace

OwnMeasure read_own_measure(Reader reader, bool quick) {
  OwnMeasure own;
  if (reader.has("precision")) own.precision = read_precision(reader, 0.01, quick);
  if (reader.has("max_seconds_per_group"))
    own.max_seconds_per_group = read_seconds(reader, 1, quick);
  if (reader.has("cache")) own.cache = reader.word("cache", Cache::Cold);
  for (const std::string_view member : measure_keys)
    if (!reader.describes() && reader.has(member) &&
        std::ranges::find(own_measure_keys, member) == own_measure_keys.end())
      reader.complain_at(member, "is the whole run's (write it in the config's \"measure\")");
  reader.finish();
  return own;
}

bool is_free_text(std::string_view member) { return member == "about" || member == "$schema"; }

Head read_head(Reader& reader, const PlanOptions& options) {
  Head head;
  reader.text("$schema", "");  // read by editors only
  read_schema(reader);
  head.name = read_name(reader);
  head.about = reader.text("about", "");
  head.measure = read_measure(reader.object("measure"), options.quick);
  head.profile = read_profile(reader.object("profile"), options);
  head.defaults = read_defaults(reader);
  head.peers = read_peers(reader, options.base_dir);
  head.experiments = read_experiments(reader);
  reader.finish();
  return head;
}

Head read_head(const Json& config, const PlanOptions& options, std::vector<Issue>& issues) {
  Reader reader(config, "", issues);
  return config.is_object() ? read_head(reader, options) : Head{};
}

}  // namespace normbench

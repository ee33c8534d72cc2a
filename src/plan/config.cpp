#include "plan/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plan/composed.h"
#include "plan/stage_spec.h"

namespace normbench {
namespace {

constexpr double tiny = 1e-9;  // "above 0" for a bound that is included

std::string read_name(Reader& config) {
  if (!config.has("name")) config.complain("no \"name\" (it names the folder of results)");
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
  if (!config.has("schema")) return config.complain("no \"schema\" (write \"schema\": 1)");
  if (config.member("schema") != 1)
    config.complain_at("schema", fmt::format("this version reads schema 1 only, not {}",
                                             config.member("schema").dump()));
}

Measure read_measure(Reader reader, bool quick) {
  Measure measure;
  measure.precision = reader.number("precision", measure.precision, tiny, 0.5);
  measure.max_seconds_per_group =
      reader.number("max_seconds_per_group", measure.max_seconds_per_group, tiny, 1e6);
  measure.cache = reader.word("cache", measure.cache);
  measure.clock = reader.word("clock", measure.clock);
  measure.seed = reader.integer("seed", measure.seed);
  measure.processes = reader.integer("processes", measure.processes, 1, 1000);
  measure.turn_timeout_seconds =
      reader.number("turn_timeout_seconds", measure.turn_timeout_seconds, tiny, 1e6);
  reader.finish();
  measure.quick = quick;
  if (!quick) return measure;
  measure.precision = std::max(measure.precision, 0.05);
  measure.max_seconds_per_group = std::min(measure.max_seconds_per_group, 1.5);
  return measure;
}

std::string read_sort_key(Reader& reader, const std::vector<std::string>& known,
                          const std::string& fallback) {
  const std::string said = reader.text("sort_by", fallback);
  std::string wanted = said;
  if (const auto at = wanted.find("cuda"); at != std::string::npos) wanted.replace(at, 4, "device");
  if (!known.empty() && std::ranges::find(known, wanted) == known.end())
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

/// True for a value that some axis replaces.
bool is_swept(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().starts_with('$');
}

/// Checks one op's defaults on their own: only what is wrong in the members that are there.
void check_defaults(const std::string& op, const Json& members, std::vector<Issue>& issues) {
  StageText stage;
  stage.op = op;
  stage.members.pointer = "/defaults/" + op;
  for (const auto& [key, value] : members.items())
    if (!is_swept(value)) stage.members.add({{key, value}}, stage.members.pointer);
  std::vector<Issue> found;
  Reader reader(stage.members.fields, stage.members.pointer, found);
  read_stage_members(op, reader);
  for (Issue& issue : found)
    if (issue.pointer.starts_with(stage.members.pointer + "/")) issues.push_back(std::move(issue));
}

Json read_defaults(Reader& config) {
  const Json& defaults = config.member("defaults");
  if (defaults.is_null()) return Json::object();
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
  const Json& peers = config.member("peers");
  if (peers.is_null()) return known;
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
  const Json& experiments = config.member("experiments");
  if (experiments.is_null()) {
    config.complain("no \"experiments\" (a list of at least one)");
  } else if (!experiments.is_array()) {
    config.complain_at("experiments", wrong_type("a list of experiments", experiments));
  } else if (experiments.empty()) {
    config.complain_at("experiments", "has no experiments (a list of at least one)");
  } else {
    return experiments;
  }
  return Json::array();
}

}  // namespace

Head read_head(const Json& config, const PlanOptions& options, std::vector<Issue>& issues) {
  Reader reader(config, "", issues);
  Head head;
  if (!config.is_object()) return head;
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

}  // namespace normbench

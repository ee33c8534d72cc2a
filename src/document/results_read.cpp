#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/reader.h"
#include "document/results_fields.h"
#include "record/recorder.h"

namespace normbench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Adds an issue for each number in `json` whose magnitude is above kMostNumber, because other code
/// computes with these numbers. `json` may have any structure.
void check_numbers(const Json& json, const std::string& pointer, std::vector<Issue>& issues) {
  if (json.is_number() && std::abs(json.get<double>()) > kMostNumber)
    issues.push_back(
        {pointer, fmt::format("must be at most {:g}, got {}", kMostNumber, json.dump())});
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items())
    check_numbers(value, pointer + "/" + pointer_token(key), issues);
}

class Loader {
 public:
  explicit Loader(Reader reader) : reader_(std::move(reader)) {}

  void object(const char*, const char*) {}
  template <class T>
  void operator()(const char* name, T& value, About) {
    if (reader_.has(name)) read(name, value);
  }
  /// If the value of an enumeration is not known, a document has "" in place of the enumerator.
  /// Then `value` stays unchanged.
  template <Enum E>
  void operator()(const char* name, E& value, About) {
    if (reader_.has(name) && reader_.member(name) != "") read(name, value);
  }
  template <Enum E>
  void operator()(const char* name, std::optional<E>& value, About) {
    if (reader_.has(name) && reader_.member(name) != "") read(name, value);
  }
  template <class T>
  void required(const char* name, T& value, About) {
    if (!reader_.has(name)) return reader_.complain(fmt::format("has no \"{}\"", name));
    read(name, value);
  }
  template <class T>
  void when_known(const char* name, T& value, About about) {
    (*this)(name, value, about);
  }

 private:
  void read(const char* name, std::string& value) { value = reader_.text(name, value); }
  void read(const char* name, bool& value) { value = reader_.boolean(name, value); }
  void read(const char* name, std::int64_t& value) {
    const auto least = static_cast<std::int64_t>(least_of(name));
    const std::int64_t most = least < 0 ? std::numeric_limits<std::int64_t>::max() : kMostWhole;
    value = reader_.integer(name, value, least, most);
  }
  template <Enum E>
  void read(const char* name, E& value) {
    value = reader_.word(name, value);
  }
  void read(const char* name, int& value) {
    value = static_cast<int>(reader_.integer(name, value, static_cast<int>(least_of(name)),
                                             std::numeric_limits<int>::max()));
  }
  void read(const char* name, double& value) {
    const bool is_infinite = reader_.member(name).is_null() && may_be_infinite(name);
    value = is_infinite ? kInfinity : reader_.number(name, value, least_of(name), kMostNumber);
  }
  template <class T>
  void read(const char* name, std::optional<T>& value) {
    read(name, value.emplace());
  }
  void read(const char* name, Json& value) {
    value = reader_.member(name);
    if (!value.is_object()) return reader_.complain_at(name, "expected an object");
    check_numbers(value, reader_.pointer_to(name), reader_.issues());
  }
  template <class T>
  requires std::same_as<T, CheckResult> || std::same_as<T, Counters> ||
      std::same_as<T, ProfileCounters> || std::same_as<T, ProfileTimes> ||
      std::same_as<T, ProfileLosses> || std::same_as<T, ClaimedRatio> ||
      std::same_as<T, ClaimedTrend> || std::same_as<T, PipelineResult> ||
      std::same_as<T, DatasetResult> || std::same_as<T, GivenResult>
  void read(const char* name, T& value) {
    Loader loader(reader_.object(name));
    fields(loader, value);
  }
  void read(const char* name, std::vector<std::int64_t>& values) {
    values = reader_.integers(name, {}, 0, kMostWhole);
  }
  void read(const char* name, std::vector<std::string>& values) {
    values = reader_.texts(name, {});
  }
  template <Enum E>
  void read(const char* name, std::vector<E>& values) {
    values = reader_.word_list<E>(name);
  }
  void read(const char* name, TensorDesc& desc);
  void read(const char* name, std::vector<TensorDesc>& tensors);
  void read(const char* name, std::vector<Round>& rounds);
  void read(const char* name, std::vector<std::vector<int>>& rows);
  template <class T>
  void read(const char* name, std::vector<T>& values) {
    const Json& list = reader_.member(name);
    if (!list.is_array()) return reader_.complain_at(name, "expected a list");
    for (const Json& item : list) {
      const auto pointer = fmt::format("{}/{}", reader_.pointer_to(name), values.size());
      Loader loader(Reader(item, pointer, reader_.issues()));
      fields(loader, values.emplace_back());
    }
  }

  Reader reader_;
};

TensorDesc read_strided(Reader reader) {
  TensorDesc desc = read_tensor(reader);
  if (!reader.has("strides")) return desc;
  const auto strides = reader.integers("strides", {0, 0, 0, 0});
  if (strides.size() == 4)
    desc.strides = {strides[0], strides[1], strides[2], strides[3]};
  else
    reader.complain_at("strides", "expected [n, c, h, w]");
  return desc;
}

void Loader::read(const char* name, TensorDesc& desc) { desc = read_strided(reader_.object(name)); }

void Loader::read(const char* name, std::vector<TensorDesc>& tensors) {
  const Json& list = reader_.member(name);
  if (!list.is_array()) return reader_.complain_at(name, "expected a list");
  for (const Json& item : list) {
    const auto pointer = fmt::format("{}/{}", reader_.pointer_to(name), tensors.size());
    tensors.push_back(read_strided(Reader(item, pointer, reader_.issues())));
  }
}

void Loader::read(const char* name, std::vector<Round>& rounds) {
  Reader reader = reader_.object(name);
  const char* const times = round_columns.front().name;
  if (reader.member(times).is_null())
    return reader_.complain_at(name, fmt::format("has no \"{}\" (a time for each round)", times));
  rounds.resize(reader.member(times).is_array() ? reader.member(times).size() : 1);
  for (const RoundColumn& column : round_columns) {
    if (!reader.has(column.name)) continue;
    const std::size_t before = reader.issues().size();
    const auto values = reader.integers(column.name, {}, column.name == times ? 1 : 0, kMostWhole);
    if (reader.issues().size() > before) continue;
    if (values.size() != rounds.size())
      reader.complain_at(column.name, fmt::format("expected {} values, as many as in \"{}\"",
                                                  rounds.size(), times));
    else
      for (std::size_t i = 0; i < rounds.size(); ++i) column.of(rounds[i]) = values[i];
  }
}

void Loader::read(const char* name, std::vector<std::vector<int>>& rows) {
  const Json& list = reader_.member(name);
  const auto is_row = [](const Json& row) {
    return row.is_array() && std::ranges::all_of(row, [](const Json& item) {
             return item.is_number_integer() && item >= 0 && item <= kMostContender;
           });
  };
  if (!list.is_array() || !std::ranges::all_of(list, is_row))
    return reader_.complain_at(name, "expected lists of contenders' indices");
  rows = list.get<std::vector<std::vector<int>>>();
}

/// Sets members that older documents lack: `forced` from the label of the stage, and `constants`
/// from the name of the profile row.
void mark_by_names(GroupResult& group) {
  for (auto* contenders : {&group.cases, &group.limits})
    for (CaseResult& one : *contenders)
      for (StageResult& stage : one.stages)
        stage.forced |= stage.label == fmt::format("{} ({})", stage.op, stage.kernel);
  for (CaseProfile& profile : group.profile)
    for (ProfileRow& row : profile.rows) row.constants |= row.name == constants_range;
}

void check_lanes(const CaseResult& result, const std::string& pointer, std::vector<Issue>& issues) {
  if (!result.pipeline) return;
  const auto count = std::ssize(result.stages);
  for (const LaneResult& lane : result.pipeline->lanes) {
    for (const std::int64_t stage : lane.stages)
      if (stage < 0 || stage >= count)
        issues.push_back({pointer + "/pipeline/lanes",
                          fmt::format("lane \"{}\" has stage {} of {} (counted from 0)", lane.name,
                                      stage, count)});
  }
}

/// Adds an issue if `values` is not empty and does not have `expected` values, one for each round.
void check_length(const std::vector<std::int64_t>& values, std::size_t expected,
                  const std::string& pointer, std::vector<Issue>& issues) {
  if (!values.empty() && values.size() != expected)
    issues.push_back({pointer, fmt::format("has {} values (expected {}, for {} rounds)",
                                           values.size(), expected, expected)});
}

void check_lengths(const CaseResult& result, const std::string& pointer,
                   std::vector<Issue>& issues) {
  const std::size_t rounds = result.rounds.size();
  for (std::size_t i = 0; i < result.stages.size(); ++i) {
    const StageResult& stage = result.stages[i];
    const std::string at = fmt::format("{}/stages/{}", pointer, i);
    if (stage.staged) continue;  // the times of the stage are from separate turns
    check_length(stage.rounds_ns, rounds, at + "/rounds_ns", issues);
    check_length(stage.calls_ns, rounds, at + "/calls_ns", issues);
  }
  if (!result.pipeline) return;
  const PipelineResult& pipeline = *result.pipeline;
  check_length(pipeline.fill_ns, rounds, pointer + "/pipeline/fill_ns", issues);
  check_length(pipeline.drain_ns, rounds, pointer + "/pipeline/drain_ns", issues);
  for (std::size_t i = 0; i < pipeline.lanes.size(); ++i) {
    const std::string at = fmt::format("{}/pipeline/lanes/{}", pointer, i);
    check_length(pipeline.lanes[i].busy_ns, rounds, at + "/busy_ns", issues);
    check_length(pipeline.lanes[i].exposed_ns, rounds, at + "/exposed_ns", issues);
  }
}

/// Checks that the fields of a group agree with each other. Code that uses the results relies on
/// that.
void check(const GroupResult& group, const std::string& pointer, std::vector<Issue>& issues) {
  const std::size_t contenders = group.cases.size() + group.limits.size();
  for (const auto& [name, order] :
       {std::pair("/order", &group.order), std::pair("/cut_order", &group.cut_order)})
    for (const auto& round : *order)
      for (const int contender : round)
        if (static_cast<std::size_t>(contender) >= contenders) {
          issues.push_back({pointer + name, fmt::format("contender {} of {} (counted from 0)",
                                                        contender, contenders)});
          return;
        }
  for (const auto& [name, contenders] :
       {std::pair("/cases", &group.cases), std::pair("/limits", &group.limits)})
    for (std::size_t i = 0; i < contenders->size(); ++i) {
      const CaseResult& one = (*contenders)[i];
      const std::string at = fmt::format("{}{}/{}", pointer, name, i);
      if (one.iterations == 0 && !(one.rounds.empty() && one.cut_rounds.empty()))
        issues.push_back({at + "/iterations", "is 0, but it has rounds (expected at least 1)"});
      if (one.dataset && one.dataset->images == 0)
        issues.push_back({at + "/dataset/images", "is 0 (expected at least 1)"});
      check_lanes(one, at, issues);
      check_lengths(one, at, issues);
    }
}

[[noreturn]] void reject(const std::vector<Issue>& issues) {
  std::string text = fmt::format("{}: {}", issues[0].pointer, issues[0].text);
  if (issues.size() > 1) text += fmt::format(" (and {} more)", issues.size() - 1);
  throw Invalid(text);
}

void check_header(const Json& document) {
  if (!document.is_object() || !document.contains("schema") ||
      !document["schema"].is_number_integer())
    throw Invalid("not a results document: no \"schema\" (expected 1)");
  if (document["schema"] > document_schema)
    throw Invalid(
        fmt::format("this version reads schema {}; the document has {}: a newer normbench wrote it",
                    document_schema, document["schema"].dump()));
  if (document["schema"] != document_schema) throw Invalid("/schema: expected 1");
  if (value_at(document, "/tool/name") != "normbench")
    throw Invalid("/tool/name: not a document of normbench (expected \"normbench\")");
}

}  // namespace

GroupResult read_group(const Json& document) {
  std::vector<Issue> issues;
  GroupResult group;
  Loader loader(Reader(document, "", issues));
  fields(loader, group);
  if (issues.empty()) check(group, "", issues);
  if (!issues.empty()) reject(issues);
  mark_by_names(group);
  return group;
}

Results read_results(Json document, std::vector<Issue>& issues) {
  check_header(document);
  Json groups = Json::array();  // moved out, so that the loop can free each group after reading
  if (value_at(document, "/groups").is_array()) std::swap(groups, document["groups"]);
  Results results;
  Loader loader(Reader(document, "", issues));
  fields(loader, results);
  results.groups.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Loader of_group(Reader(groups[i], fmt::format("/groups/{}", i), issues));
    fields(of_group, results.groups.emplace_back());
    groups[i] = nullptr;
  }
  if (issues.empty())  // after an issue, missing fields would cause further ones
    for (std::size_t i = 0; i < results.groups.size(); ++i)
      check(results.groups[i], fmt::format("/groups/{}", i), issues);
  std::ranges::for_each(results.groups, mark_by_names);
  return results;
}

Results read_results(Json document) {
  std::vector<Issue> issues;
  Results results = read_results(std::move(document), issues);
  if (!issues.empty()) reject(issues);
  return results;
}

}  // namespace normbench

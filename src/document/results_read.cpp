#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/reader.h"
#include "document/results_fields.h"
#include "record/recorder.h"

namespace normbench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Fills a struct from the members of one object.
class Loader {
 public:
  explicit Loader(Reader reader) : reader_(std::move(reader)) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (reader_.has(name)) read(name, value);
  }
  /// "" is nothing said.
  template <Enum E>
  void operator()(const char* name, E& value) {
    if (reader_.has(name) && reader_.member(name) != "") read(name, value);
  }
  template <Enum E>
  void operator()(const char* name, std::optional<E>& value) {
    if (reader_.has(name) && reader_.member(name) != "") read(name, value);
  }
  template <class T>
  void required(const char* name, T& value) {
    if (!reader_.has(name)) return reader_.complain(fmt::format("has no \"{}\"", name));
    read(name, value);
  }
  template <class T>
  void when_known(const char* name, T& value) {
    (*this)(name, value);
  }

 private:
  void read(const char* name, std::string& value) { value = reader_.text(name, value); }
  void read(const char* name, bool& value) { value = reader_.boolean(name, value); }
  void read(const char* name, std::int64_t& value) { value = reader_.integer(name, value); }
  template <Enum E>
  void read(const char* name, E& value) {
    value = reader_.word(name, value);
  }
  void read(const char* name, int& value) {
    value = static_cast<int>(reader_.integer(name, value, std::numeric_limits<int>::min(),
                                             std::numeric_limits<int>::max()));
  }
  void read(const char* name, double& value) {
    value = reader_.member(name).is_null() ? kInfinity : reader_.number(name, value);
  }
  template <class T>
  void read(const char* name, std::optional<T>& value) {
    read(name, value.emplace());
  }
  void read(const char* name, Json& value) {
    value = reader_.member(name);
    if (!value.is_object()) reader_.complain_at(name, "expected an object");
  }
  template <class T>
  requires std::same_as<T, CheckResult> || std::same_as<T, Counters> ||
      std::same_as<T, ProfileCounters> || std::same_as<T, ProfileTimes> ||
      std::same_as<T, ProfileLosses> || std::same_as<T, ClaimedRatio> ||
      std::same_as<T, ClaimedTrend> || std::same_as<T, PipelineResult> ||
      std::same_as<T, DatasetResult>
  void read(const char* name, T& value) {
    Loader loader(reader_.object(name));
    fields(loader, value);
  }
  void read(const char* name, std::vector<std::int64_t>& values) {
    values = reader_.integers(name, {});
  }
  void read(const char* name, std::vector<std::string>& values) {
    values = reader_.texts(name, {});
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
  rounds.resize(reader.integers(round_columns.front().name, {}).size());
  for (const RoundColumn& column : round_columns) {
    if (!reader.has(column.name)) continue;
    const auto values = reader.integers(column.name, {});
    if (values.size() != rounds.size() || std::ranges::any_of(values, [](auto v) { return v < 0; }))
      return reader.complain_at(
          column.name, fmt::format("expected {} values, none negative (as many as in \"{}\")",
                                   rounds.size(), round_columns.front().name));
    for (std::size_t i = 0; i < rounds.size(); ++i) column.of(rounds[i]) = values[i];
  }
}

void Loader::read(const char* name, std::vector<std::vector<int>>& rows) {
  const Json& list = reader_.member(name);
  const auto is_row = [](const Json& row) {
    return row.is_array() && std::ranges::all_of(row, [](const Json& item) {
             return item.is_number_integer() && item >= 0 && item < 1'000'000;
           });
  };
  if (!list.is_array() || !std::ranges::all_of(list, is_row))
    return reader_.complain_at(name, "expected lists of contenders' indices");
  rows = list.get<std::vector<std::vector<int>>>();
}

/// Older documents say by its name alone which row is that of constants, and by its label alone
/// that a stage's kernel was forced.
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
        issues.push_back({pointer, fmt::format("lane \"{}\" has stage {} of {} (counted from 0)",
                                               lane.name, stage, count)});
    if (lane.servers < 1)
      issues.push_back(
          {pointer, fmt::format("lane \"{}\" has no servers (expected at least 1)", lane.name)});
  }
}

/// What a reader of results relies on, and no single field can say.
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
  const auto is_measured = [](const CaseResult& c) {
    return (c.rounds.empty() && c.cut_rounds.empty()) || c.iterations > 0;
  };
  if (!std::ranges::all_of(group.cases, is_measured) ||
      !std::ranges::all_of(group.limits, is_measured))
    issues.push_back({pointer, "a case has rounds but no iterations (expected at least 1)"});
  for (const auto* contenders : {&group.cases, &group.limits})
    for (const CaseResult& one : *contenders) check_lanes(one, pointer, issues);
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

Results read_results(const Json& document) {
  check_header(document);
  std::vector<Issue> issues;
  Results results;
  Loader loader(Reader(document, "", issues));
  fields(loader, results);
  for (std::size_t i = 0; issues.empty() && i < results.groups.size(); ++i)
    check(results.groups[i], fmt::format("/groups/{}", i), issues);
  if (!issues.empty()) reject(issues);
  std::ranges::for_each(results.groups, mark_by_names);
  return results;
}

}  // namespace normbench

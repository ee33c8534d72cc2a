#include "document/read_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace normbench {
namespace {

/// A kind of document. A document is of this kind if it has all of `members`.
struct Kind {
  std::string_view name;
  std::array<const char*, 3> members;  // JSON pointers; null after the last one
};

constexpr auto kKinds = std::to_array<Kind>({
    {"Google Benchmark's output", {"/context", "/benchmarks"}},
    {"nvbench's output", {"/meta", "/devices", "/benchmarks"}},
    {"nvbandwidth's output", {"/nvbandwidth"}},
    {"pyperf's output", {"/metadata", "/version", "/benchmarks"}},
    {"hyperfine's output", {"/results/0/command", "/results/0/mean"}},
    {"nanobench's output", {"/results/0/title", "/results/0/measurements"}},
    {"a trace", {"/traceEvents"}},
    {"a comparison by normbench, not results", {"/kind", "/base", "/new"}},
    {"a config of normbench (measure it: normbench run --config FILE)",
     {"/schema", "/experiments"}},
});

bool is_kind(const Json& document, const Kind& kind) {
  return std::ranges::all_of(kind.members, [&](const char* member) {
    return member == nullptr || document.contains(Json::json_pointer(member));
  });
}

constexpr Kind kResults{"", {"/schema", "/groups"}};
constexpr std::string_view kFirstMember = R"({"schema":)";

/// Throws Invalid if the document lacks members of a results document. The message names the kind
/// that the document seems to be.
void check_kind(const Json& document) {
  if (is_kind(document, kResults)) return;
  const auto kind =
      std::ranges::find_if(kKinds, [&](const Kind& one) { return is_kind(document, one); });
  throw Invalid(kind == kKinds.end()
                    ? "is not a results document of normbench (expected a results.json)"
                    : fmt::format("is not a results document; it seems to be {}", kind->name));
}

bool is_journal(std::string_view text) { return text.starts_with(R"({"journal":)"); }

/// Returns " (it seems to be cut off)" if the text opens an object but does not end with "}"; else
/// "".
std::string_view cut_off(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks), last = text.find_last_not_of(blanks);
  const bool cut = first != text.npos && text[first] == '{' && text[last] != '}';
  return cut ? " (it seems to be cut off)" : "";
}

/// Returns the first 20 issues, and one more with the number of the others, because one damaged
/// column can cause a thousand issues.
std::vector<Issue> few_of(std::vector<Issue> issues) {
  constexpr std::size_t most = 20;
  if (issues.size() <= most) return issues;
  const std::size_t more = issues.size() - most;
  issues.resize(most);
  issues.push_back({"", fmt::format("and {} more mistakes", more)});
  return issues;
}

/// A document must have each case only once. Returns one issue for each further occurrence of a
/// case.
std::vector<Issue> duplicate_cases(const Results& results) {
  std::map<std::string, std::string> first;
  std::vector<Issue> issues;
  for (std::size_t g = 0; g < results.groups.size(); ++g)
    for (std::size_t c = 0; c < results.groups[g].cases.size(); ++c) {
      const GroupResult& group = results.groups[g];
      const CaseName name{group.experiment, group.point, group.cases[c].variant};
      const std::string pointer = fmt::format("/groups/{}/cases/{}", g, c);
      const auto [at, is_new] = first.try_emplace(case_key(name), pointer);
      if (is_new) continue;
      issues.push_back(
          {pointer, fmt::format("{}, {} stands twice, first at {} (expected every case once)",
                                name.experiment, name.variant, at->second)});
    }
  return issues;
}

}  // namespace

std::string case_key(const CaseName& name) {
  std::map<std::string, Json> axes;
  for (const auto& [axis, value] : name.point.items()) axes[axis] = value;
  std::string key = name.experiment;
  for (const auto& [axis, value] : axes)
    key += '\0' + axis + '=' + value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return key + '\0' + '\0' + name.variant;
}

bool begins_as_results(std::string_view text) {
  constexpr std::size_t enough = 1000;  // bytes; enough for the first members with any indentation
  std::string begin(text.substr(0, enough));
  std::erase_if(begin, [](unsigned char c) { return c <= ' '; });
  std::string_view left = begin;
  if (!left.starts_with(kFirstMember)) return false;
  left.remove_prefix(kFirstMember.size());
  const std::size_t digits = left.find_first_not_of("0123456789");
  return digits != 0 && digits != left.npos &&
         left.substr(digits).starts_with(R"(,"tool":{"name":"normbench")");
}

bool is_results(std::string_view text) {
  if (begins_as_results(text)) return true;
  std::vector<Issue> issues;
  try {
    return is_kind(parse_json(text, issues), kResults);
  } catch (const Invalid&) {
    return false;
  }
}

Results read_document(const std::string& file, std::string text) {
  if (is_journal(text))
    throw BadInput(file,
                   {{"",
                     "is the journal of a run, not its results (name its folder; go on with an "
                     "interrupted run: normbench run --resume FOLDER)"}});
  std::vector<Issue> issues;
  Json document;
  try {
    document = parse_json(text, issues);
  } catch (const Invalid& invalid) {
    throw BadInput(file, {{"", fmt::format("{}{}", invalid.what(), cut_off(text))}});
  }
  Results results;
  try {
    if (issues.empty()) check_kind(document);
    text = std::string();  // frees the memory of the text before read_results() needs more
    if (issues.empty()) results = read_results(std::move(document), issues);
  } catch (const Invalid& invalid) {
    issues.push_back({"", invalid.what()});
  }
  if (issues.empty()) issues = duplicate_cases(results);
  if (!issues.empty()) throw BadInput(file, few_of(std::move(issues)));
  return results;
}

}  // namespace normbench

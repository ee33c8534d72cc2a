#include "report/condition_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/document_text.h"
#include "report/rows.h"

namespace normbench {

namespace {

/// "1,755"; "" for what could not be read.
std::string number_at(const Json& condition, const std::string& pointer) {
  const auto value = integer_at(condition, pointer, -1);
  return value < 0 ? "" : format_count(value);
}

std::string power(const Json& condition) {
  const std::string now = number_at(condition, "/power_w");
  const std::string limit = number_at(condition, "/power_limit_w");
  return now.empty() || limit.empty() ? now : now + " of " + limit;
}

std::vector<std::string> reasons(const Json& condition) {
  std::vector<std::string> words;
  const Json list = condition.is_object() ? condition.value("throttle_reasons", Json()) : Json();
  for (const Json& word : list)
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

std::string reasons_text(const Json& condition) {
  if (!condition.contains("throttle_reasons") || !condition.at("throttle_reasons").is_array())
    return "cannot be read here";
  const auto words = reasons(condition);
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

void add_condition(const std::string& when, const Json& condition, Rows& rows) {
  if (!condition.is_object()) return;
  rows.add({when, number_at(condition, "/sm_clock_mhz"), number_at(condition, "/memory_clock_mhz"),
            number_at(condition, "/temperature_c"), power(condition),
            link_text(condition.value("pcie", Json())), reasons_text(condition)});
}

}  // namespace

std::string condition_table(const GroupResult& group) {
  Rows rows({"when", "SM MHz", "memory MHz", "C", "W", "link", "clocks held back by"});
  add_condition("before", group.condition_before, rows);
  add_condition("after", group.condition_after, rows);
  return rows.text({0, 5, 6});
}

std::string throttle_warning(const Experiment& experiment) {
  std::vector<std::string> seen;
  for (const GroupResult* group : experiment.groups)
    for (const Json* condition : {&group->condition_before, &group->condition_after})
      for (const std::string& word : reasons(*condition))
        if (word != "gpu_idle" && std::ranges::find(seen, word) == seen.end()) seen.push_back(word);
  if (seen.empty()) return "";
  return fmt::format("Warning: the GPU held its clocks back ({}): its times may differ elsewhere.",
                     fmt::join(seen, ", "));
}

}  // namespace normbench

#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace normbench {

std::string spoken(std::string_view name) {
  return name.find_first_of(",:;()") == name.npos ? std::string(name) : fmt::format("\"{}\"", name);
}

std::string enumerate(std::span<const std::string> items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string spoken_cases(const GroupResult& group, std::vector<int> indices) {
  constexpr std::size_t most = 12, few = 10;
  std::ranges::sort(indices);
  const std::size_t named = indices.size() <= most ? indices.size() : few;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < named; ++i) items.push_back(spoken(group.cases[indices[i]].variant));
  if (named < indices.size())
    items.push_back(
        fmt::format("{} others", format_count(static_cast<std::int64_t>(indices.size() - named))));
  return enumerate(items);
}

std::string ratio_number(double value) {
  // With two digits, 0.997 would become "1.0". It is written as "1.00", like 1 itself.
  return value >= 0.995 && value < 1 ? "1.00" : format_significant(value, value < 1 ? 2 : 3);
}

std::string factor(double value) { return ratio_number(value) + "x"; }

std::string by_times_text(const CaseAnalysis& analysis) {
  const bool is_unlike = analysis.ratio && analysis.of_medians &&
                         contradicts(*analysis.of_medians, analysis.ratio->value);
  return is_unlike ? fmt::format(" (by ms {})", factor(1 / *analysis.of_medians)) : "";
}

std::string speed_up_text(const CaseAnalysis& analysis) {
  return factor(1 / analysis.ratio->value) + by_times_text(analysis);
}

std::string unlike_times_text(const GroupAnalysis& analysis) {
  const bool any = std::ranges::any_of(
      analysis.cases, [](const CaseAnalysis& one) { return !by_times_text(one).empty(); });
  return any ? "by ms: what the two medians say. A speed-up is the median of the rounds' ratios, "
               "and compares turns that are neighbours in time; each median is over all rounds "
               "of its variant that count. The machine changed its speed between rounds, so the "
               "two differ"
             : "";
}

std::string width_text(const GroupAnalysis& analysis, int index) {
  if (analysis.busy && std::ranges::find(analysis.busy->cases, index) != analysis.busy->cases.end())
    return "busy";
  return format_percent(half_width(*analysis.cases[index].time_ns));
}

std::string failed_text(const GroupResult& group) {
  const auto failed = std::ranges::count(group.cases, Status::Failed, &CaseResult::status);
  return failed == 0 ? "" : fmt::format("{} of {} failed", failed, group.cases.size());
}

std::string figure_text(FigureKind kind, double value) {
  return kind == FigureKind::SpeedUp
             ? fmt::format("{} {}", factor(value), name_of(kind))
             : fmt::format("{} ms {}", format_ms(value * 1e6), name_of(kind));
}

std::string hidden_text(double visible) {
  constexpr double too_noisy = 9;  // a difference of 900 %, which is a factor of 1 + 9
  if (visible >= too_noisy) return "too noisy to tell";
  return fmt::format(
      "differences below {} cannot be seen here",
      visible < 1 ? format_percent(visible) : format_significant(1 + visible, 2) + "x");
}

std::string axis_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  if (value.is_object() && value.contains("name")) return axis_value(value["name"]);
  std::string text;
  for (const auto& item : value) {
    if (!text.empty()) text += value.is_array() ? 'x' : '/';
    text += axis_value(item);
  }
  return text;
}

std::string point_text(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis, axis_value(value));
  return text;
}

std::string axes_values(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items())
    text += (text.empty() ? "" : ", ") + axis_value(value);
  return text;
}

std::string flags_text(const std::map<Flag, std::size_t>& flagged) {
  std::string text;
  for (const auto& [flag, count] : flagged)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(flag), count);
  return text;
}

std::string output_text(const TensorDesc& desc) {
  return fmt::format("{} {} {}x{}x{}x{} on the {}", name_of(desc.dtype), arrangement_of(desc),
                     desc.shape.n, desc.shape.c, desc.shape.h, desc.shape.w,
                     desc.memory == Memory::Device ? "GPU" : "host");
}

std::string max_error_text(double error) {
  if (error == 0) return "0";
  std::string text = fmt::format("{:.1e}", error);
  if (const auto at = text.find("e-0"); at != text.npos) text.erase(at + 2, 1);
  return text;
}

}  // namespace normbench

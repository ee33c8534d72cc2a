#include "plan/label.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/recorder.h"

namespace normbench {
namespace {

constexpr std::string_view number_mark = "{i}";
constexpr std::string_view step_prefix = "ProfilerStep";
constexpr std::size_t longest_label = 100;  // bytes

std::string with_each(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (auto at = text.find(from); at != text.npos; at = text.find(from)) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Returns the label with "0" in place of each number and each "{i}". For two labels that can
/// become equal when "{i}" is replaced by a number, the results are equal.
std::string without_numbers(std::string_view label) {
  std::string result = with_each(label, number_mark, "0");
  std::ranges::replace_if(result, is_decimal, '0');
  // Not std::ranges::unique: clang 14, which builds for ThreadSanitizer, cannot compile it.
  const auto both = [](char a, char b) { return a == '0' && b == '0'; };
  result.erase(std::unique(result.begin(), result.end(), both), result.end());
  return result;
}

}  // namespace

std::string own_label(const Op& op, const std::string& forced) {
  return forced.empty() ? std::string(name_of(op)) : fmt::format("{} ({})", name_of(op), forced);
}

std::optional<std::string> label_mistake(std::string_view label) {
  if (label.find_first_not_of(' ') == label.npos) return "is empty (a name for tables and traces)";
  if (label.size() > longest_label)
    return fmt::format("is {} bytes long (at most {})", label.size(), longest_label);
  if (label == constants_range || label == image_range || label.starts_with(step_prefix) ||
      label.starts_with("graph ("))
    return fmt::format("\"{}\" is a name that tables and traces use already (choose another name)",
                       label);
  if (with_each(label, number_mark, "").find_first_of("{}") != std::string::npos)
    return "has a brace outside of \"{i}\", the number of the iteration";
  return std::nullopt;
}

std::string read_label(Reader& reader, std::string_view key, std::string fallback) {
  const bool said = reader.member(key).is_string();
  std::string label = reader.text(key, std::move(fallback));
  if (const auto mistake = said ? label_mistake(label) : std::nullopt)
    reader.complain_at(key, *mistake);
  return label;
}

bool is_numbered(std::string_view label) { return label.find(number_mark) != label.npos; }

std::string numbered(std::string_view label, std::int64_t iteration) {
  return with_each(label, number_mark, std::to_string(iteration));
}

bool can_be_one_name(std::string_view a, std::string_view b) {
  if (a == b) return true;
  return (is_numbered(a) || is_numbered(b)) && without_numbers(a) == without_numbers(b);
}

std::vector<StageRange> ranges_of(const std::vector<Stage>& stages) {
  std::vector<StageRange> ranges;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const std::string& name : stages[s].ranges) {
      const auto known = std::ranges::find(ranges, name, &StageRange::name);
      if (known == ranges.end())
        ranges.push_back({.name = name, .first = s, .last = s});
      else
        known->last = s;
    }
  return ranges;
}

}  // namespace normbench

#include "report/mark.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "plan/schema.h"

namespace normbench {
namespace {

constexpr std::size_t kEnough = 1 << 16;

/// Without blanks and line ends, which differ by the indentation.
std::string packed(std::string_view text) {
  std::string kept(text);
  std::erase_if(kept, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  return kept;
}

/// The first of a list stands for all.
std::optional<Written> json_written_as(std::string_view text) {
  const std::string packed_text = packed(text);
  std::string_view json = packed_text;
  if (json.starts_with('[')) json.remove_prefix(1);
  const auto has = [json](std::string_view part) { return json.find(part) != json.npos; };
  const auto begins = [json](std::string_view part) { return json.starts_with(part); };
  const auto when = [](bool is_so, Written written) {
    return is_so ? std::optional(written) : std::nullopt;
  };
  if (begins(R"({"schema":)") && has(R"(,"kind":"comparison","name":)")) return Written::Derived;
  if (begins(R"({"schema":)")) return when(has(R"(,"tool":{"name":"normbench")"), Written::Results);
  if (begins(R"({"journal":)")) return Written::Journal;
  if (begins(R"({"calibration":{)")) return when(has(R"("false_alarms":)"), Written::Calibration);
  if (begins(R"({"schemaVersion":)")) return when(has(R"("normbench":{)"), Written::Trace);
  if (begins(R"({"$schema":)"))
    return when(has(R"("title":")" + packed(kSchemaTitle) + '"'), Written::Derived);
  return when(has(R"("rows":[)") && has(R"("self_cpu_ns":)"), Written::Derived);  // tables
}

/// True where `words` follow each other in the line, whatever columns are between them.
bool has_in_order(std::string_view line, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    const std::size_t at = line.find(word);
    if (at == line.npos) return false;
    line.remove_prefix(at + word.size());
  }
  return true;
}

/// "1 failed, 2 regressed, …" of a comparison.
bool is_summary(std::string_view line) {
  const auto after_number = [&line] {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    line.remove_prefix(digits);
    return digits > 0;
  };
  if (!after_number()) return false;
  if (line.starts_with(" failed, ")) {
    line.remove_prefix(9);
    if (!after_number()) return false;
  }
  return line.starts_with(" regressed");
}

bool is_text(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  constexpr std::string_view name = "normbench ";
  if (line.starts_with(name) && line.size() > name.size())
    return std::isdigit(static_cast<unsigned char>(line[name.size()])) != 0;
  return is_summary(line) || line == "Nothing was profiled." ||
         line.starts_with("### normbench: ") || line.find(": Profile of ") != line.npos ||
         line.find("name,place,annotation,shapes,calls,") != line.npos ||
         has_in_order(line, {"name", "count", "min", "p50", "p95", "max"}) ||
         line.starts_with("| Name | Self CPU % | Self CPU |");
}

bool is_page(std::string_view text) {
  return text.find(R"(<meta name="generator" content="normbench"/>)") != text.npos;
}

bool is_junit(std::string_view text) {
  return text.find(R"(<testsuites name="normbench )") != text.npos;
}

}  // namespace

std::optional<Written> written_as(std::string_view beginning) {
  beginning = beginning.substr(0, kEnough);
  if (beginning.starts_with('{') || beginning.starts_with('[')) return json_written_as(beginning);
  const bool is_derived =
      beginning.starts_with('<') ? is_page(beginning) || is_junit(beginning) : is_text(beginning);
  return is_derived ? std::optional(Written::Derived) : std::nullopt;
}

}  // namespace normbench

#include "trace_check/chrome_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/chrome/gzip.h"
#include "trace_check/check_parts.h"
#include "trace_check/gzip_members.h"

namespace normbench {
namespace {

Events read_events(std::string_view body, std::size_t first_line, Mistakes& mistakes) {
  Events events;
  for (std::size_t line = first_line; !body.empty(); ++line) {
    const auto end = std::min(body.find('\n'), body.size());
    if (auto event = read_event(body.substr(0, end), line, mistakes))
      events.push_back(std::move(*event));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return events;
}

/// Returns why the text is not strict JSON, or "". Does not store the parsed values.
std::string parse_mistake(const std::string& text) {
  try {
    [[maybe_unused]] const Json nothing =
        Json::parse(text, [](int, Json::parse_event_t, Json&) { return false; });
    return "";
  } catch (const Json::parse_error& error) {
    return error.what();
  }
}

}  // namespace

void add_mistake(const TraceEvent& event, std::string_view what, Mistakes& mistakes) {
  mistakes.push_back(fmt::format("line {}: {}", event.line, what));
}

std::vector<std::string> check_chrome(const std::string& text) {
  if (const std::string mistake = parse_mistake(text); !mistake.empty())
    return {fmt::format("not strict JSON: {}", mistake)};
  const std::string opening = "\n\"traceEvents\": [\n";
  const std::string closing = "\n]}\n";
  const auto open = text.find(opening);
  if (open == std::string::npos) return {"no line \"traceEvents\": ["};
  if (!text.ends_with(closing)) return {"the last line is not ]}"};
  Mistakes mistakes;
  const std::string before = text.substr(0, open);
  const Json head = Json::parse(before + "\n\"traceEvents\": []}");
  check_head(before, head, mistakes);

  const auto first = open + opening.size();
  const auto first_line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 3;
  const auto last = std::max(first, text.size() - closing.size());
  const Events events =
      read_events(std::string_view(text).substr(first, last - first), first_line, mistakes);
  check_tracks(events, mistakes);
  check_flows(events, claimed_loss(head, "without_launch"), mistakes);
  check_items(events, mistakes);
  check_claims(events, head, mistakes);
  return mistakes;
}

std::vector<std::string> check_chrome_file(const std::string& bytes) {
  std::istringstream packed(bytes);
  if (!is_gzip(packed)) return check_chrome(bytes);
  const auto members = count_gzip_members(bytes);
  if (!members) return {"damaged or cut off gzip data"};
  if (*members != 1)
    return {fmt::format("{} gzip members (Chrome reads the first alone)", *members)};
  const auto text = gunzip_from(packed);
  return check_chrome(std::string(std::istreambuf_iterator<char>(*text), {}));
}

}  // namespace normbench

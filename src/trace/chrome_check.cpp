#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "trace/chrome.h"
#include "trace/trace_event.h"

namespace normbench {
namespace {

using Mistakes = std::vector<std::string>;

/// What stands before the events.
void check_head(const std::string& head, const Json& document, Mistakes& mistakes) {
  if (head.find("\"rank\": 0") == std::string::npos)  // HTA's reader needs the space
    mistakes.emplace_back("no \"rank\": 0 (with the space) before the events");
  const auto base = document.find("baseTimeNanoseconds");
  if (base == document.end() || !base->is_number_integer())
    mistakes.emplace_back("no baseTimeNanoseconds (an integer)");
}

std::vector<TraceEvent> read_events(std::string_view body, std::size_t first_line,
                                    Mistakes& mistakes) {
  std::vector<TraceEvent> events;
  for (std::size_t line = first_line; !body.empty(); ++line) {
    const auto end = std::min(body.find('\n'), body.size());
    if (auto event = read_event(body.substr(0, end), line, mistakes))
      events.push_back(std::move(*event));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return events;
}

/// The slices of one thread in the file's order, and what is wrong with it.
class Track {
 public:
  void add(const TraceEvent& event, Mistakes& mistakes) {
    const auto mistake = [&](std::string_view what) {
      mistakes.push_back(fmt::format("line {}: {}", event.line, what));
    };
    const std::pair place(event.ts, -event.dur);
    const std::int64_t end = event.ts + event.dur;
    if (place < last_) mistake("not sorted by (ts, -dur) on its thread");
    while (!open_ends_.empty() && open_ends_.back() <= event.ts) open_ends_.pop_back();
    if (open_ends_.empty())
      outermost_[event.ts] = end;
    else if (end > open_ends_.back())
      mistake("sticks out of the slice it starts in (slices of a thread must nest)");
    open_ends_.push_back(end);
    last_ = place;
  }

  bool covers(std::int64_t ts) const {
    const auto next = outermost_.upper_bound(ts);
    return next != outermost_.begin() && ts <= std::prev(next)->second;
  }

 private:
  std::map<std::int64_t, std::int64_t> outermost_;  // start -> end
  std::vector<std::int64_t> open_ends_;
  std::pair<std::int64_t, std::int64_t> last_{0, std::numeric_limits<std::int64_t>::min()};
};

using Tracks = std::map<std::pair<std::int64_t, std::int64_t>, Track>;

Tracks check_tracks(const std::vector<TraceEvent>& events, Mistakes& mistakes) {
  Tracks tracks;
  for (const TraceEvent& event : events)
    if (event.phase == 'X') tracks[event.track()].add(event, mistakes);
  return tracks;
}

/// Arrows: each start has its end, both lie in a slice, no GPU work is without one.
void check_flows(const std::vector<TraceEvent>& events, const Tracks& tracks, Mistakes& mistakes) {
  using Key = std::tuple<std::int64_t, std::string, std::string>;
  std::map<Key, const TraceEvent*> starts, ends;
  const auto mistake = [&](const TraceEvent& event, std::string_view what) {
    mistakes.push_back(fmt::format("line {}: {}", event.line, what));
  };
  for (const TraceEvent& event : events) {
    if (event.phase != 's' && event.phase != 'f') continue;
    const Key key{event.flow_id, event.category, event.name};
    (event.phase == 's' ? starts : ends)[key] = &event;
    const auto track = tracks.find(event.track());
    if (track == tracks.end() || !track->second.covers(event.ts))
      mistake(event, "a flow's step lies in no slice of its thread");
  }
  for (const auto& [key, start] : starts)
    if (!ends.contains(key)) mistake(*start, "a flow's start has no end (\"f\")");
  for (const auto& [key, end] : ends) {
    const auto start = starts.find(key);
    if (start == starts.end())
      mistake(*end, "a flow's end has no start (\"s\")");
    else if (end->ts < start->second->ts)
      mistake(*end, "a flow ends before it starts (GPU work before its launch)");
  }
  for (const TraceEvent& event : events)
    if (event.is_gpu_work() && !ends.contains({event.correlation.value_or(-1), "ac2g", "ac2g"}))
      mistake(event, "GPU work without its ac2g flow");
}

}  // namespace

std::vector<std::string> check_chrome(const std::string& text) {
  Mistakes mistakes;
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return {fmt::format("not strict JSON: {}", error.what())};
  }
  const std::string opening = "\n\"traceEvents\": [\n";
  const std::string closing = "\n]}\n";
  const auto open = text.find(opening);
  if (open == std::string::npos) return {"no line \"traceEvents\": ["};
  if (!text.ends_with(closing)) return {"the last line is not ]}"};
  const std::string head = text.substr(0, open);
  check_head(head, document, mistakes);

  const auto first = open + opening.size();
  const auto first_line = static_cast<std::size_t>(std::ranges::count(head, '\n')) + 3;
  const auto last = std::max(first, text.size() - closing.size());
  const auto events =
      read_events(std::string_view(text).substr(first, last - first), first_line, mistakes);
  const Tracks tracks = check_tracks(events, mistakes);
  check_flows(events, tracks, mistakes);
  return mistakes;
}

}  // namespace normbench

#include <algorithm>
#include <map>

#include "trace_check/check_parts.h"

namespace normbench {
namespace {

/// The two events of a pipeline's item or of one of its arrows: the start and the end, which have
/// the same id.
struct Ends {
  const TraceEvent* start = nullptr;
  const TraceEvent* end = nullptr;
};
using EndsById = std::map<std::int64_t, Ends>;

EndsById ends_of(const Events& events, char start, char end, Mistakes& mistakes) {
  EndsById all;
  for (const TraceEvent& event : events) {
    if (!event.is_item() || (event.phase != start && event.phase != end)) continue;
    Ends& ends = all[event.flow_id];
    const TraceEvent*& one = event.phase == start ? ends.start : ends.end;
    if (one != nullptr) add_mistake(event, "an item's id is taken by another", mistakes);
    one = &event;
  }
  return all;
}

/// Returns the stage in which the end `at` of an arrow lies, or null.
const TraceEvent* stage_at(const Events& events, const TraceEvent& at) {
  const auto found = std::find_if(events.begin(), events.end(), [&](const TraceEvent& event) {
    return event.phase == 'X' && event.category == "cpu_op" && event.track() == at.track() &&
           event.ts <= at.ts && at.ts <= event.end();
  });
  return found == events.end() ? nullptr : &*found;
}

/// Returns true if `ends.start` and `ends.end` exist. Adds a mistake if one of them is missing, or
/// if `ends.end` is earlier than `ends.start`.
bool is_whole(const Ends& ends, Mistakes& mistakes) {
  if (ends.start == nullptr || ends.end == nullptr) {
    add_mistake(ends.start == nullptr ? *ends.end : *ends.start,
                "an item, or an arrow of one, lacks its other end", mistakes);
    return false;
  }
  if (ends.end->ts < ends.start->ts)
    add_mistake(*ends.end, "an item, or an arrow of one, ends before it starts", mistakes);
  return true;
}

}  // namespace

void check_items(const Events& events, Mistakes& mistakes) {
  for (const auto& [id, item] : ends_of(events, 'b', 'e', mistakes))
    if (is_whole(item, mistakes) && item.start->name != item.end->name)
      add_mistake(*item.end, "an item ends under another name", mistakes);
  for (const auto& [id, arrow] : ends_of(events, 's', 'f', mistakes)) {
    if (!is_whole(arrow, mistakes)) continue;
    const TraceEvent* const next = stage_at(events, *arrow.end);
    if (stage_at(events, *arrow.start) == nullptr || next == nullptr || next->ts != arrow.end->ts)
      add_mistake(*arrow.start, "an item's arrow leads from no stage to no start of one", mistakes);
    else if (arrow.start->track() == arrow.end->track())
      add_mistake(*arrow.start, "an item's arrow stays on its track", mistakes);
  }
}

}  // namespace normbench

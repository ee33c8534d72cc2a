#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace_check/check_parts.h"

namespace normbench {
namespace {

/// The slices of one track, in the order of the file.
class Track {
 public:
  void add(const TraceEvent& event, Mistakes& mistakes) {
    const std::pair place(event.ts, -event.dur);
    if (place < last_) add_mistake(event, "not sorted by (ts, -dur) on its thread", mistakes);
    while (!open_ends_.empty() && open_ends_.back() <= event.ts) open_ends_.pop_back();
    if (!open_ends_.empty() && event.end() > open_ends_.back())
      add_mistake(event, "sticks out of the slice it starts in (slices of a thread must nest)",
                  mistakes);
    open_ends_.push_back(event.end());
    last_ = place;
  }

 private:
  std::vector<std::int64_t> open_ends_;
  std::pair<std::int64_t, std::int64_t> last_{0, std::numeric_limits<std::int64_t>::min()};
};

using Place = std::pair<std::int64_t, std::int64_t>;

/// For each name of metadata events, like "thread_name": the processes and tracks that have such an
/// event.
using Named = std::map<std::string, std::set<Place>>;

Named named_places(const Events& events) {
  Named named;
  for (const TraceEvent& event : events) {
    if (event.phase != 'M') continue;
    const bool of_process = event.name.starts_with("process_");
    named[event.name].insert(of_process ? Place(event.pid, 0) : event.track());
  }
  return named;
}

void check_names(const Events& events, Mistakes& mistakes) {
  const Named named = named_places(events);
  std::set<std::pair<std::string, Place>> told;
  const auto require = [&](const TraceEvent& event, const char* what, Place place) {
    const auto places = named.find(what);
    const bool there = places != named.end() && places->second.contains(place);
    if (!there && told.emplace(what, place).second)
      add_mistake(event, fmt::format("its {} is nowhere", what), mistakes);
  };
  for (const TraceEvent& event : events) {
    if (event.phase == 'M') continue;
    for (const char* what : {"process_name", "process_sort_index"})
      require(event, what, {event.pid, 0});
    if (event.phase != 'X') continue;
    for (const char* what : {"thread_name", "thread_sort_index"})
      require(event, what, event.track());
  }
}

}  // namespace

void check_tracks(const Events& events, Mistakes& mistakes) {
  std::map<Place, Track> tracks;
  for (const TraceEvent& event : events)
    if (event.phase == 'X') tracks[event.track()].add(event, mistakes);
  check_names(events, mistakes);
}

}  // namespace normbench

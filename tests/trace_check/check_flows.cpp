#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace_check/check_parts.h"

namespace normbench {
namespace {

using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // pid, tid, ts

Place place_of(const TraceEvent& event) { return {event.pid, event.tid, event.ts}; }

/// The two ends of an arrow (a flow of the trace). An end that is missing is null.
struct Flow {
  const TraceEvent* start = nullptr;
  const TraceEvent* end = nullptr;
};
using Flows = std::map<std::tuple<std::int64_t, std::string, std::string>, Flow>;

Flows flows_of(const Events& events, Mistakes& mistakes) {
  Flows flows;
  for (const TraceEvent& event : events) {
    if ((event.phase != 's' && event.phase != 'f') || event.is_item()) continue;
    Flow& flow = flows[{event.flow_id, event.category, event.name}];
    const TraceEvent*& step = event.phase == 's' ? flow.start : flow.end;
    if (step != nullptr) add_mistake(event, "a flow's id is taken by another flow", mistakes);
    step = &event;
  }
  return flows;
}

/// Finds pieces of GPU work by their process, track and start, and finds calls by their
/// correlations.
class Slices {
 public:
  explicit Slices(const Events& events) {
    for (const TraceEvent& event : events) {
      if (event.is_gpu_work()) work_.emplace(place_of(event), &event);
      if (event.is_call()) calls_.emplace(event.correlation, &event);
    }
  }

  /// Returns all pieces of work that start on the track and at the time of `step`, the end of an
  /// arrow. There may be several, because a piece of work may have no duration.
  std::vector<const TraceEvent*> work_at(const TraceEvent& step) const {
    std::vector<const TraceEvent*> work;
    const auto [first, last] = work_.equal_range(place_of(step));
    std::transform(first, last, std::back_inserter(work),
                   [](const auto& entry) { return entry.second; });
    return work;
  }

  /// Returns true if `step`, the start of an arrow, lies in a call with this correlation.
  bool in_call(const TraceEvent& step, std::int64_t correlation) const {
    const auto [first, last] = calls_.equal_range(correlation);
    return std::any_of(first, last, [&](const auto& entry) {
      const TraceEvent& call = *entry.second;
      return call.track() == step.track() && call.ts <= step.ts && step.ts <= call.end();
    });
  }

 private:
  std::multimap<Place, const TraceEvent*> work_;
  std::unordered_multimap<std::int64_t, const TraceEvent*> calls_;
};

/// Checks arrows, and records the work at their ends.
class FlowCheck {
 public:
  FlowCheck(const Events& events, Mistakes& mistakes) : slices_(events), mistakes_(mistakes) {}

  void check(const Flow& flow) {
    if (flow.end == nullptr)
      return add_mistake(*flow.start, "a flow's start has no end (\"f\")", mistakes_);
    if (flow.start == nullptr)
      return add_mistake(*flow.end, "a flow's end has no start (\"s\")", mistakes_);
    if (flow.end->ts < flow.start->ts)
      add_mistake(*flow.end, "a flow ends before it starts (GPU work before its launch)",
                  mistakes_);
    const auto all_work = slices_.work_at(*flow.end);
    if (all_work.empty())
      return add_mistake(*flow.end, "a flow's end is at the start of no GPU work", mistakes_);
    for (const TraceEvent* work : all_work)
      if (slices_.in_call(*flow.start, work->correlation) && reached_.insert(work).second) return;
    add_mistake(*flow.start, "a flow's start lies in no call with its work's correlation",
                mistakes_);
  }

  bool reached(const TraceEvent& work) const { return reached_.contains(&work); }

 private:
  Slices slices_;
  std::set<const TraceEvent*> reached_;
  Mistakes& mistakes_;
};

}  // namespace

void check_flows(const Events& events, std::int64_t without_launch, Mistakes& mistakes) {
  FlowCheck check(events, mistakes);
  for (const auto& [key, flow] : flows_of(events, mistakes)) check.check(flow);
  Mistakes lonely;
  for (const TraceEvent& event : events)
    if (event.is_gpu_work() && !check.reached(event))
      add_mistake(event, "GPU work without its ac2g flow", lonely);
  // GPU work whose launch is unknown needs no arrow. `without_launch` is the number of pieces of
  // such work, according to the head of the trace.
  if (static_cast<std::int64_t>(lonely.size()) > without_launch)
    mistakes.insert(mistakes.end(), lonely.begin(), lonely.end());
}

}  // namespace normbench

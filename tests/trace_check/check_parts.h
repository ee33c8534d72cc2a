/// Parts of the rule checker: each holds some rules against the events of one trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "trace_check/trace_event.h"

namespace normbench {

using Mistakes = std::vector<std::string>;
using Events = std::vector<TraceEvent>;

/// "line 7: WHAT".
void add_mistake(const TraceEvent& event, std::string_view what, Mistakes& mistakes);

/// How much of a loss the head says there was; 0 where it does not say.
std::int64_t claimed_loss(const Json& head, std::string_view name);

/// Checks what stands before the events: as text, and as JSON.
void check_head(const std::string& text, const Json& head, Mistakes& mistakes);

/// Slices of a track are sorted and nest, and every process and track has a name and a place.
void check_tracks(const Events& events, Mistakes& mistakes);

/// Arrows: each has both ends, one in the call of the work that the other lies in, in this order;
/// no GPU work is without one but for as many pieces as `without_launch` says.
void check_flows(const Events& events, std::int64_t without_launch, Mistakes& mistakes);

/// Items of pipelines: each starts and ends once; arrows lead from a stage of it to a later one on
/// another track.
void check_items(const Events& events, Mistakes& mistakes);

/// Whatever the head counts as lost has an instant, the devices that work was done on their
/// properties.
void check_claims(const Events& events, const Json& head, Mistakes& mistakes);

}  // namespace normbench

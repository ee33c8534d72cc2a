/// The parts of the rule checker. Each part checks some rules for the events of one trace.
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

/// Adds "line LINE: WHAT" to `mistakes`, with the line of the event and `what`.
void add_mistake(const TraceEvent& event, std::string_view what, Mistakes& mistakes);

/// Returns the amount of a loss (a count of missing or changed records) according to the head of
/// the trace, or 0 if the head does not have it. `name` is one of loss_fields().
std::int64_t claimed_loss(const Json& head, std::string_view name);

/// Checks the head of the trace. `text` is the text before the events, and `head` is this text as
/// JSON.
void check_head(const std::string& text, const Json& head, Mistakes& mistakes);

/// Checks that the slices of a track are sorted and nested. Checks that every process and track has
/// a name and a sort index.
void check_tracks(const Events& events, Mistakes& mistakes);

/// Checks arrows. An arrow must start within a call, must end at the start of work that the call
/// started, and must not end before it starts. At most `without_launch` pieces of GPU work may have
/// no arrow.
void check_flows(const Events& events, std::int64_t without_launch, Mistakes& mistakes);

/// Checks items of pipelines. An item starts once and ends once. Its arrows lead from one of its
/// stages to a later stage on another track.
void check_items(const Events& events, Mistakes& mistakes);

/// Checks that the trace has an instant event for each loss in its head that needs one, and that
/// the head has the properties of each device with work.
void check_claims(const Events& events, const Json& head, Mistakes& mistakes);

}  // namespace normbench

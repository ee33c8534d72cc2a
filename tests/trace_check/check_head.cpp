#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "trace/model.h"
#include "trace_check/check_parts.h"

namespace normbench {
namespace {

bool is_natural(const Json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 0;
}

Json at(const Json& head, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return head.contains(place) ? head.at(place) : Json();
}

Json loss_of(const Json& head, std::string_view name) {
  return at(head, fmt::format("/normbench/losses/{}", name));
}

/// Returns true if the trace must have an instant event for this loss (a count of missing or
/// changed records) whenever the loss is not 0. The loss "launches" needs an instant only if it
/// exceeds "launched". The losses "launched" and "most_skew_ns" never need one.
bool is_marked(std::string_view loss) {
  return loss != "launches" && loss != "launched" && loss != "most_skew_ns";
}

void check_losses(const Json& head, Mistakes& mistakes) {
  for (const LossField& field : loss_fields())
    if (!is_natural(loss_of(head, field.name)))
      mistakes.push_back(
          fmt::format("no normbench.losses.{} (an integer of at least 0)", field.name));
}

/// Returns true if the head has `"rank": 0`, with a space after the colon. HTA's reader takes the
/// first "rank" that is written with this space.
bool says_rank(const std::string& text, const Json& head) {
  const std::string key = "\"rank\": ";
  const auto found = text.find(key);
  return found != std::string::npos && text.compare(found + key.size(), 2, "0}") == 0 &&
         at(head, "/distributedInfo/rank") == 0;
}

void check_marks(const Events& events, const Json& head, Mistakes& mistakes) {
  const auto require = [&](std::string_view loss) {
    if (std::ranges::none_of(events, [&](const TraceEvent& event) { return event.loss == loss; }))
      mistakes.push_back(
          fmt::format("the loss \"{}\" is counted and not marked (no instant)", loss));
  };
  for (const LossField& field : loss_fields())
    if (is_marked(field.name) && claimed_loss(head, field.name) > 0) require(field.name);
  if (claimed_loss(head, "launches") > claimed_loss(head, "launched")) require("launches");
}

void check_devices(const Events& events, const Json& head, Mistakes& mistakes) {
  std::set<std::int64_t> known;
  const Json properties = head.value("deviceProperties", Json::array());
  for (const Json& device : properties)
    if (device.is_object() && device.contains("id") && device["id"].is_number_integer())
      known.insert(device["id"].get<std::int64_t>());
  for (const TraceEvent& event : events)
    if (event.is_gpu_work() && known.insert(event.pid).second)
      add_mistake(event, fmt::format("deviceProperties has no device {}", event.pid), mistakes);
}

}  // namespace

void check_head(const std::string& text, const Json& head, Mistakes& mistakes) {
  if (!says_rank(text, head))
    mistakes.emplace_back("no \"rank\": 0 (with the space) before the events");
  if (!at(head, "/baseTimeNanoseconds").is_number_integer())
    mistakes.emplace_back("no baseTimeNanoseconds (an integer)");
  if (!is_natural(at(head, "/schemaVersion"))) mistakes.emplace_back("no schemaVersion");
  if (const Json unit = at(head, "/displayTimeUnit"); unit != "ms" && unit != "ns")
    mistakes.emplace_back("displayTimeUnit must be \"ms\" or \"ns\"");
  if (!at(head, "/deviceProperties").is_array())
    mistakes.emplace_back("deviceProperties must be an array");
  check_losses(head, mistakes);
}

std::int64_t claimed_loss(const Json& head, std::string_view name) {
  const Json loss = loss_of(head, name);
  return loss.is_number_integer() ? loss.get<std::int64_t>() : 0;
}

void check_claims(const Events& events, const Json& head, Mistakes& mistakes) {
  check_marks(events, head, mistakes);
  check_devices(events, head, mistakes);
}

}  // namespace normbench

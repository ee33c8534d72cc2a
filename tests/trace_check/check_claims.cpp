#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "trace_check/check_parts.h"
#include "trace/model.h"

namespace normbench {
namespace {

void check_losses(const Events& events, const Json& head, Mistakes& mistakes) {
  const auto require = [&](std::string_view loss) {
    if (std::ranges::none_of(events, [&](const TraceEvent& event) { return event.loss == loss; }))
      mistakes.push_back(
          fmt::format("the loss \"{}\" is counted and not marked (no instant)", loss));
  };
  for (const LossField& field : loss_fields())
    if (field.marked && claimed_loss(head, field.name) > 0) require(field.name);
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

std::int64_t claimed_loss(const Json& head, std::string_view name) {
  const Json::json_pointer place(fmt::format("/normbench/losses/{}", name));
  const Json loss = head.contains(place) ? head.at(place) : Json();
  return loss.is_number_integer() ? loss.get<std::int64_t>() : 0;
}

void check_claims(const Events& events, const Json& head, Mistakes& mistakes) {
  check_losses(events, head, mistakes);
  check_devices(events, head, mistakes);
}

}  // namespace normbench

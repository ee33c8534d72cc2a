#include <fmt/format.h>

#include <string>

#include "trace_check/check_parts.h"
#include "trace/model.h"

namespace normbench {
namespace {

bool is_natural(const Json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 0;
}

Json at(const Json& head, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return head.contains(place) ? head.at(place) : Json();
}

void check_losses(const Json& head, Mistakes& mistakes) {
  for (const LossField& field : loss_fields())
    if (!is_natural(at(head, fmt::format("/normbench/losses/{}", field.name))))
      mistakes.push_back(
          fmt::format("no normbench.losses.{} (an integer of at least 0)", field.name));
}

/// HTA's reader takes the first "rank" that has a space after its colon.
bool says_rank(const std::string& text, const Json& head) {
  const std::string key = "\"rank\": ";
  const auto found = text.find(key);
  return found != std::string::npos && text.compare(found + key.size(), 2, "0}") == 0 &&
         at(head, "/distributedInfo/rank") == 0;
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

}  // namespace normbench

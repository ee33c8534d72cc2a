#include "report/chrome/chrome_head.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "report/chrome/json_text.h"

namespace normbench {
namespace {

constexpr auto kOwnKeys = std::to_array<std::string_view>(
    {"schemaVersion", "deviceProperties", "normbench", "distributedInfo", "displayTimeUnit",
     "baseTimeNanoseconds", "traceEvents"});

Json about(const TraceModel& model, const TraceLosses& losses) {
  Json about = model.metadata.value("normbench", Json::object());
  for (const LossField& field : loss_fields())
    about["losses"][std::string(field.name)] = losses.*field.value;
  return about;
}

}  // namespace

/// The rank has a space after its colon, which HolisticTraceAnalysis looks for; no other key may
/// look like it, so values are written without spaces.
void write_head(const TraceModel& model, const TraceLosses& losses, std::int64_t base_wall_ns,
                TextWriter& text) {
  text << "{\n\"schemaVersion\": 1,\n\"deviceProperties\": " << json_line(model.device_properties)
       << ",\n";
  for (const auto& [key, value] : model.metadata.items())
    if (std::ranges::find(kOwnKeys, key) == kOwnKeys.end())
      text << json_string(key) << ": " << json_line(value) << ",\n";
  text << "\"normbench\": " << json_line(about(model, losses))
       << ",\n\"distributedInfo\": {\"rank\": 0},\n\"displayTimeUnit\": \"ms\",\n"
       << "\"baseTimeNanoseconds\": " << base_wall_ns << ",\n\"traceEvents\": [";
}

}  // namespace normbench

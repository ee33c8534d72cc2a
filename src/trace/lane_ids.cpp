#include "trace/lane_ids.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {
namespace {

LaneId lane_of_sync(const DeviceRecord& record) {
  return {record.device, lane_id_of_syncs + std::max<std::int64_t>(record.stream, 0),
          record.stream > 0 ? fmt::format("stream {} (sync)", record.stream) : "sync"};
}

LaneId lane_of_call(const DeviceRecord& record, std::int64_t pid) {
  const std::int64_t tid = record.thread > 0 ? record.thread : pid;
  return {pid, tid, fmt::format("thread {}", tid)};
}

}  // namespace

std::int64_t stream_of(const DeviceRecord& record) {
  constexpr std::int64_t legacy_default = 7;
  return record.stream > 0 ? record.stream : legacy_default;
}

LaneId lane_of(const DeviceRecord& record, const std::string& source, std::int64_t pid) {
  const std::int64_t stream = stream_of(record);
  switch (record.activity) {
    case Activity::Overhead:
      return {pid, lane_id_of_overhead, source + " overhead"};
    case Activity::Runtime:
    case Activity::Driver:
      return lane_of_call(record, pid);
    case Activity::Sync:
      return lane_of_sync(record);
    case Activity::Stage:
      return {record.device, stream, fmt::format("stream {}, times from {}", stream, source)};
    default:
      return {record.device, stream, fmt::format("stream {}", stream)};
  }
}

}  // namespace normbench

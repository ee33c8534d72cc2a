/// What devices did, and the host's calls to them, recorded by a tracer or by marks around stages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.h"

namespace normbench {

/// What a record is about. Stage: the time between marks around a stage, used without a tracer.
enum class Activity { Kernel, Memcpy, Memset, Stage, Runtime, Driver, Sync, Overhead };
constexpr auto words(Activity) {
  return std::to_array<Word<Activity>>({{Activity::Kernel, "kernel"},
                                        {Activity::Memcpy, "memcpy"},
                                        {Activity::Memset, "memset"},
                                        {Activity::Stage, "stage"},
                                        {Activity::Runtime, "runtime"},
                                        {Activity::Driver, "driver"},
                                        {Activity::Sync, "sync"},
                                        {Activity::Overhead, "overhead"}});
}
/// True for work of a device. The other activities are calls of a host thread, or work of the
/// tracer itself.
constexpr bool is_device_work(Activity activity) {
  return activity == Activity::Kernel || activity == Activity::Memcpy ||
         activity == Activity::Memset || activity == Activity::Stage;
}

/// How a kernel was launched.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t registers_per_thread = 0;
  std::int64_t shared_bytes = 0;  // static and dynamic, for one block

  bool operator==(const LaunchShape&) const = default;
};

/// One piece of work or one call. Its times are on the recorder's clock.
struct DeviceRecord {
  Activity activity = Activity::Kernel;
  std::int64_t start_ns = 0, end_ns = 0;
  std::string_view name;          // readable; points into DeviceTrace::names
  std::int64_t correlation = -1;  // number that a call shares with the work that it started; -1:
                                  // unknown
  std::uint64_t external_id = 0;  // the range that it was submitted in; 0: unknown
  std::int64_t device = 0, context = 0;
  std::int64_t stream = -1;                // CUPTI's number; 7 is the legacy default stream
  std::int64_t thread = 0;                 // Linux thread of a call
  std::int64_t bytes = 0;                  // bytes copied or set
  bool over_link = false;                  // a copy between host and device
  std::optional<LaunchShape> launch = {};  // set only for a kernel
  std::int64_t graph = 0, graph_node = 0;  // the graph that launched the work; 0: none

  bool operator==(const DeviceRecord&) const = default;
};

/// What devices did in one stretch of recorded steps.
struct DeviceTrace {
  std::string source;  // "CUPTI" or "CUDA events"
  std::vector<DeviceRecord> records = {};
  std::set<std::string, std::less<>> names = {};  // strings keep their addresses when the set moves
  std::int64_t clock_error_ns = 0;  // error of device times on the host's clock, either way
  std::int64_t dropped = 0;         // records that the tracer had no room for
  std::int64_t lost_buffers = 0;    // buffers that were lost with all records in them
  std::int64_t without_times = 0;   // records without known times; they are not in `records`

  /// Returns the name as text that lives as long as this trace.
  std::string_view name(std::string_view text) {
    const auto found = names.find(text);
    return found != names.end() ? *found : *names.emplace(text).first;
  }
};

/// Records what devices do. All calls are made on the thread that submits the work.
class DeviceTracer {
 public:
  virtual ~DeviceTracer() = default;
  /// Attaches to the device's driver. Call it once: it takes milliseconds. If it returns false,
  /// missing() returns the reason, and the functions below must not be called.
  virtual bool attach() = 0;
  /// Why the tracer cannot record ("CUPTI is in use by Nsight Systems"), or "" while nothing is
  /// wrong.
  virtual std::string missing() const = 0;

  /// Begins to record work. Call when the device is drained.
  virtual void start() = 0;
  /// Returns everything recorded since start(). Call when the device is drained.
  virtual DeviceTrace stop() = 0;
  /// Work that is submitted between push() and pop() carries the number. Pairs may nest.
  virtual void push(std::uint64_t external_id) = 0;
  virtual void pop() = 0;
};

}  // namespace normbench

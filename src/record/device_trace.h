/// Recorded work of devices, and recorded calls of the host that start it or wait for it.
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

/// The kind of a record. Without a tracer (CUPTI), all records are of kind Stage. Such a record is
/// the time between the two CUDA events around a stage.
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
/// Returns true for work of a device. The other kinds are calls of a host thread, or overhead of
/// the tracer.
constexpr bool is_device_work(Activity activity) {
  return activity == Activity::Kernel || activity == Activity::Memcpy ||
         activity == Activity::Memset || activity == Activity::Stage;
}

/// The launch parameters of a kernel.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t registers_per_thread = 0;
  std::int64_t shared_bytes = 0;  // static and dynamic, for one block

  bool operator==(const LaunchShape&) const = default;
};

/// One piece of device work, or one call of the host. Its times are on the recorder's clock.
struct DeviceRecord {
  Activity activity = Activity::Kernel;
  std::int64_t start_ns = 0, end_ns = 0;
  std::string_view name;          // points into DeviceTrace::names
  std::int64_t correlation = -1;  // equal for a call and the work that it started; -1: unknown
  std::uint64_t external_id = 0;  // number given to DeviceTracer::push(); 0: unknown
  std::int64_t device = 0, context = 0;
  /// The number of the stream; -1: none. Without CUPTI, it is normbench's own number. Otherwise it
  /// is CUPTI's number (7: the legacy default stream).
  std::int64_t stream = -1;
  std::int64_t thread = 0;                 // Linux id of the calling thread; 0: unknown or no call
  std::int64_t bytes = 0;                  // bytes copied or set
  bool over_link = false;                  // a copy between host and device
  std::optional<LaunchShape> launch = {};  // only for kernels
  std::int64_t graph = 0, graph_node = 0;  // graph and node that launched the work; 0: none

  bool operator==(const DeviceRecord&) const = default;
};

/// The device records of consecutive steps (iterations) of a profiled case.
struct DeviceTrace {
  std::string source;  // "CUPTI" or "CUDA events"
  std::vector<DeviceRecord> records = {};
  std::set<std::string, std::less<>> names = {};  // a set, so that names stay at their addresses
  std::int64_t clock_error_ns = 0;  // largest error (+-) of device times on the host's clock
  std::int64_t dropped = 0;         // number of records that the tracer had no room for
  std::int64_t lost_buffers = 0;    // number of buffers that were lost with all their records
  std::int64_t without_times = 0;   // number of records without times; not in `records`

  /// Returns a copy of the name that lives as long as this trace.
  std::string_view name(std::string_view text) {
    const auto found = names.find(text);
    return found != names.end() ? *found : *names.emplace(text).first;
  }
};

/// Records what devices do. Call its functions on the thread that submits the work.
class DeviceTracer {
 public:
  virtual ~DeviceTracer() = default;
  /// Attaches to the driver, which takes milliseconds. Call it once. If it returns false, missing()
  /// tells why, and the functions below must not be called.
  virtual bool attach() = 0;
  /// Returns why the tracer cannot record, like "CUPTI is in use by Nsight Systems", or "" if it
  /// can.
  virtual std::string missing() const = 0;

  /// Begins to record. Call it when the device is idle.
  virtual void start() = 0;
  /// Returns what was recorded since start(). Call it when the device is idle.
  virtual DeviceTrace stop() = 0;
  /// Work that is submitted between push() and pop() gets this `external_id`. Pairs of push() and
  /// pop() may nest. Work inside an inner pair gets the number of the inner pair.
  virtual void push(std::uint64_t external_id) = 0;
  virtual void pop() = 0;
};

}  // namespace normbench

/// Records ranges (named spans of time) of host threads, with one log for each thread. If an NVTX
/// tool is attached, each range is also an NVTX range.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "record/clock.h"
#include "record/nvtx.h"
#include "record/text_hash.h"

namespace normbench {

/// The name of the ranges in which kernels prepare their constants.
inline constexpr std::string_view constants_range = "constants";
/// In tables, all ranges of kind Image have this name. In traces, each has the name of its image
/// file.
inline constexpr std::string_view image_range = "image";

/// One finished range of a host thread. `name` points to an interned name of the recorder or to a
/// literal.
struct Slice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string_view name;
  std::int64_t bytes = 0;
  std::uint64_t external_id = 0;  // DeviceRecord::external_id of the work in this range; 0: none
  std::int64_t item = -1;         // number of the pipeline item; -1: none
  std::uint32_t depth = 0;
  RangeKind kind = RangeKind::Stage;
};

/// The slices of one thread, sorted by their ends.
struct ThreadLog {
  std::int64_t tid = 0;
  std::string name;
  std::vector<Slice> slices;
};

/// Collects the ranges that open and close while it is enabled. Each thread writes to its own log
/// without a lock, and allocates memory only if its log becomes longer than ever before.
class Recorder {
 public:
  /// Checks if an NVTX tool is attached. If this is the first NVTX call of the process, it loads
  /// the tool.
  explicit Recorder(Clock& clock);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Switches recording on or off. Call it while no other thread has an open range.
  void enable(bool on);
  bool enabled() const { return (mode_ & recording) != 0; }
  /// Returns true if an NVTX tool is attached.
  bool has_tool() const { return (mode_ & tool_attached) != 0; }

  /// Returns a copy of the name that lives as long as the recorder.
  std::string_view intern(std::string_view name);

  /// Returns all slices so far and empties the logs, which keep their memory. Call it while no
  /// other thread has an open range.
  std::vector<ThreadLog> take();

  /// Releases the log of the calling thread, so that another thread can use its memory. Call
  /// leave() at the end of a thread.
  void leave();

 private:
  friend class Range;
  struct Log;
  struct Cached;
  static constexpr std::uint8_t recording = 1, tool_attached = 2;

  static Cached& cached();
  Log& log_of_this_thread();
  std::unique_ptr<Log> empty_log();

  Clock& clock_;
  std::uint8_t mode_;  // the bits `recording` and `tool_attached`; 0: ranges do nothing
  std::uint64_t id_;
  std::mutex mutex_;
  std::unordered_set<std::string, TextHash, std::equal_to<>> names_;
  std::vector<std::unique_ptr<Log>> logs_;
  std::vector<std::unique_ptr<Log>> left_;  // empty logs of ended threads, reused for new threads
  std::vector<ThreadLog> finished_;         // slices of threads that called leave()
};

/// A range that lasts from construction to destruction. It is recorded if the recorder is enabled,
/// and passed to NVTX if a tool is attached. If `recorder` is null, it does nothing. `name` must be
/// a literal or come from intern().
class Range {
 public:
  Range(Recorder* recorder, RangeKind kind, std::string_view name, std::int64_t bytes = 0,
        std::uint64_t external_id = 0, std::int64_t item = -1)
      : mode_(recorder == nullptr ? std::uint8_t{0} : recorder->mode_) {
    if (mode_ != 0) [[unlikely]]
      begin(*recorder, kind, name, bytes, external_id, item);
  }
  ~Range() {
    if (mode_ != 0) [[unlikely]]
      end();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  void begin(Recorder& recorder, RangeKind kind, std::string_view name, std::int64_t bytes,
             std::uint64_t external_id, std::int64_t item);
  void end();

  const std::uint8_t mode_;  // the recorder's mode when the range opened
  // Only begin() sets the members below, so that an unused range costs nothing but a test of
  // `mode_`.
  RangeKind kind_;
  Recorder* recorder_;
  Recorder::Log* log_;
  std::string_view name_;
  std::int64_t bytes_;
  std::uint64_t external_id_;
  std::int64_t item_;
  std::int64_t start_ns_;
};

}  // namespace normbench

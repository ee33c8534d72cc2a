/// Records ranges of host threads, in a log for each thread. Each range is also an NVTX range.
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

/// The name of ranges in which kernels prepare their constants.
inline constexpr std::string_view constants_range = "constants";
/// The name in tables of all ranges of kind Image. In traces such a range has the name of its file.
inline constexpr std::string_view image_range = "image";

/// One finished range of a host thread. `name` points to an interned name of the recorder or to a
/// literal.
struct Slice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string_view name;
  std::int64_t bytes = 0;
  std::uint64_t external_id = 0;  // DeviceRecord::external_id of its device work; 0: none
  std::int64_t item = -1;         // number of the pipeline item; -1: none
  std::uint32_t depth = 0;
  RangeKind kind = RangeKind::Stage;
};

/// The slices of one thread, in order of their ends.
struct ThreadLog {
  std::int64_t tid = 0;
  std::string name;
  std::vector<Slice> slices;
};

/// Collects the ranges that open and close while it is enabled. Each thread writes to its own log
/// without a lock, and allocates memory only if its log becomes longer than ever before.
class Recorder {
 public:
  /// Finds out whether an NVTX tool is attached, which loads the tool if this is the first NVTX
  /// call of the process.
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

  /// Call it at the end of a thread, so that another thread can use the memory of its log.
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
  std::uint8_t mode_;  // `recording` and `tool_attached`; 0: ranges do nothing
  std::uint64_t id_;
  std::mutex mutex_;
  std::unordered_set<std::string, TextHash, std::equal_to<>> names_;
  std::vector<std::unique_ptr<Log>> logs_;
  std::vector<std::unique_ptr<Log>> left_;  // empty logs of ended threads, to be used again
  std::vector<ThreadLog> finished_;         // slices of threads that have left
};

/// A range from construction to destruction. It goes to the recorder if that is enabled, and to
/// NVTX if a tool is attached. It does nothing if `recorder` is null. `name` must be a literal or
/// come from intern().
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
  // The members below are set by begin() only, so that a range that does nothing costs one test.
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

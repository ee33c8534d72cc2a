/// Records what ran when on the host: a log for each thread, with ranges that are NVTX ranges, too.
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

/// The range in which a kernel prepares its constants.
inline constexpr std::string_view constants_range = "constants";
/// The name of image ranges in tables. In traces, such a range has the name of the image's file.
inline constexpr std::string_view image_range = "image";

/// One finished range of a host thread. `name` points at one of the recorder's interned names or at
/// a literal.
struct Slice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string_view name;
  std::int64_t bytes = 0;
  std::uint64_t external_id = 0;  // number of the device work submitted in the range; 0: none
  std::int64_t item = -1;         // the pipeline's item that it belongs to; -1: none
  std::uint32_t depth = 0;
  RangeKind kind = RangeKind::Stage;
};

/// The slices of one thread, in order of their ends.
struct ThreadLog {
  std::int64_t tid = 0;
  std::string name;
  std::vector<Slice> slices;
};

/// Collects the slices of ranges that open and close while it is enabled. Each thread writes to its
/// own log without a lock. A thread allocates memory only when its log gets longer than ever
/// before.
class Recorder {
 public:
  /// Finds out whether an NVTX tool is attached. This loads the tool if nothing in the process has
  /// asked before.
  explicit Recorder(Clock& clock);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Switches recording on or off. Call while no other thread has a range open.
  void enable(bool on);
  bool enabled() const { return (mode_ & recording) != 0; }
  /// True if an NVTX tool receives the ranges.
  bool has_tool() const { return (mode_ & tool_attached) != 0; }

  /// Returns the name as text that lives as long as the recorder.
  std::string_view intern(std::string_view name);

  /// Takes all slices so far, and keeps the memory of the logs for later slices. No range may be
  /// open on another thread.
  std::vector<ThreadLog> take();

  /// Call at the end of a thread, so that later threads can use the memory of its log.
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
  std::vector<std::unique_ptr<Log>> left_;  // empty logs for later threads
  std::vector<ThreadLog> finished_;         // slices of threads that have left
};

/// A range that lasts as long as this object lives. The range goes to the recorder while the
/// recorder is enabled, and to the NVTX domain `normbench` while a tool is attached. It goes
/// nowhere if `recorder` is null. `name` must outlive the recorder: a literal, or one from
/// intern().
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
  // Only begin() sets the members below, so that a range that does nothing costs one test of mode_.
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

/// What ran when, on the host: one log per thread, ranges that are NVTX ranges too.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.h"
#include "record/clock.h"

namespace normbench {

/// What a range is; the NVTX category and the trace's `cat`.
enum class RangeKind { Run, Point, Variant, Step, Stage, Part, Init, Warmup };
constexpr auto words(RangeKind) {
  return std::to_array<Word<RangeKind>>({{RangeKind::Run, "run"},
                                         {RangeKind::Point, "point"},
                                         {RangeKind::Variant, "variant"},
                                         {RangeKind::Step, "step"},
                                         {RangeKind::Stage, "stage"},
                                         {RangeKind::Part, "part"},
                                         {RangeKind::Init, "init"},
                                         {RangeKind::Warmup, "warmup"}});
}

/// One finished range. `name` points into the recorder's interned names or at a literal.
struct Slice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string_view name;
  RangeKind kind = RangeKind::Stage;
  std::uint32_t depth = 0;
  std::int64_t bytes = 0;
  Place place = Place::Cpu;  // where it ran; ranges are the host's
};

/// The slices of one thread, in order of their ends.
struct ThreadLog {
  std::int64_t tid = 0;
  std::string name;
  std::vector<Slice> slices;
};

/// Collects slices while enabled: those of ranges that open and close enabled. Each thread writes
/// to its own log without a lock.
class Recorder {
 public:
  explicit Recorder(Clock& clock);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void enable(bool on) { enabled_ = on; }
  bool enabled() const { return enabled_; }

  /// A name that lives as long as the recorder.
  std::string_view intern(std::string_view name);

  /// All logs so far, and forgets them. No range may be open on another thread.
  std::vector<ThreadLog> take();

 private:
  friend class Range;
  struct Log;
  Log& log_of_this_thread();

  Clock& clock_;
  bool enabled_ = false;
  std::uint64_t id_;
  std::mutex mutex_;
  std::deque<std::string> names_;
  std::vector<std::unique_ptr<Log>> logs_;
};

/// A scope in the recorder (when given and enabled) and in NVTX domain `normbench` (always; free
/// when no tool is attached). `name` must outlive the recorder: a literal or `intern`ed.
class Range {
 public:
  Range(Recorder* recorder, RangeKind kind, std::string_view name, std::int64_t bytes = 0);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Recorder* recorder_;
  std::int64_t start_ns_ = 0;
  std::string_view name_;
  RangeKind kind_;
  std::int64_t bytes_;
};

/// Opens and closes the registered NVTX range `capture` that a profiler captures.
class CaptureRange {
 public:
  CaptureRange();
  ~CaptureRange();
  CaptureRange(const CaptureRange&) = delete;
  CaptureRange& operator=(const CaptureRange&) = delete;
};

}  // namespace normbench

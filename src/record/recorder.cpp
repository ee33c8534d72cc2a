#include "record/recorder.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "record/thread_name.h"

namespace normbench {
namespace {

using ReadClock = std::int64_t (*)(Clock&);

/// Returns a function that reads the clock. For a SystemClock it avoids the virtual call, which
/// costs two dependent loads.
ReadClock read_of(Clock& clock) {
  if (dynamic_cast<SystemClock*>(&clock) != nullptr)
    return [](Clock& system) { return static_cast<SystemClock&>(system).now_ns(); };
  return [](Clock& any) { return any.now_ns(); };
}

bool is_there(std::int64_t tid) { return tgkill(getpid(), static_cast<pid_t>(tid), 0) == 0; }

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

/// The slices of one thread. They are stored in chunks, so that no slice is copied when the log
/// grows. take() empties the chunks and keeps them for later slices.
struct Recorder::Log {
  static constexpr std::size_t chunk_slices = 4096;

  std::int64_t tid = 0;
  std::string name;
  std::uint32_t depth = 0;

  explicit Log(Clock& clock) : clock_(clock), read_(read_of(clock)) { open_chunk(); }

  std::int64_t now_ns() const { return read_(clock_); }

  Slice& next() {
    if (next_ == end_) [[unlikely]]
      open_chunk();
    return *next_++;
  }

  std::vector<Slice> take() {
    std::vector<Slice> slices;
    slices.reserve((opened_ - 1) * chunk_slices + static_cast<std::size_t>(next_ - begin()));
    for (std::size_t i = 0; i < opened_; ++i) {
      const Slice* const chunk = chunks_[i].get();
      slices.insert(slices.end(), chunk, i + 1 < opened_ ? chunk + chunk_slices : next_);
    }
    opened_ = 0;
    open_chunk();
    return slices;
  }

 private:
  Slice* begin() const { return chunks_[opened_ - 1].get(); }

  /// Opens the next chunk. A new chunk is filled with zeros here, so that later writes of slices
  /// cause no page faults.
  [[gnu::noinline]] void open_chunk() {
    if (opened_ == chunks_.size()) chunks_.push_back(std::make_unique<Slice[]>(chunk_slices));
    ++opened_;
    next_ = begin();
    end_ = next_ + chunk_slices;
  }

  Clock& clock_;
  const ReadClock read_;
  std::vector<std::unique_ptr<Slice[]>> chunks_;
  std::size_t opened_ = 0;  // chunks in use
  Slice* next_ = nullptr;   // place of the next slice; end_ if the chunk is full
  Slice* end_ = nullptr;    // end of the last chunk in use
};

// Each thread remembers in a `Cached` which recorder it used last. A new recorder may have the
// address of a destroyed one, so `Cached` identifies a recorder by `id_` and not by its address.
Recorder::Recorder(Clock& clock)
    : clock_(clock), mode_(nvtx::attached() ? tool_attached : std::uint8_t{0}), id_(next_id()) {}
Recorder::~Recorder() = default;

void Recorder::enable(bool on) {
  mode_ = static_cast<std::uint8_t>(on ? mode_ | recording : mode_ & ~recording);
}

std::string_view Recorder::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  return found != names_.end() ? *found : *names_.emplace(name).first;
}

std::vector<ThreadLog> Recorder::take() {
  const std::lock_guard lock(mutex_);
  std::vector<ThreadLog> logs = std::exchange(finished_, {});
  for (const auto& log : logs_)
    if (auto slices = log->take(); !slices.empty())
      logs.push_back({.tid = log->tid, .name = log->name, .slices = std::move(slices)});
  const auto gone = std::partition(logs_.begin(), logs_.end(),
                                   [](const auto& log) { return is_there(log->tid); });
  std::move(gone, logs_.end(), std::back_inserter(left_));
  logs_.erase(gone, logs_.end());
  std::ranges::sort(logs, {}, &ThreadLog::tid);
  return logs;
}

/// The log that the calling thread used last, and the id of its recorder.
struct Recorder::Cached {
  std::uint64_t recorder = 0;
  Log* log = nullptr;
};

Recorder::Cached& Recorder::cached() {
  thread_local Cached cached;
  return cached;
}

Recorder::Log& Recorder::log_of_this_thread() {
  Cached& last = cached();
  if (last.recorder == id_) [[likely]]
    return *last.log;
  const std::lock_guard lock(mutex_);
  const std::int64_t tid = gettid();
  auto found = std::ranges::find(logs_, tid, [](const auto& log) { return log->tid; });
  if (found == logs_.end()) {
    logs_.push_back(empty_log());
    found = logs_.end() - 1;
    (*found)->tid = tid;
  }
  (*found)->name = name_of_this_thread();
  last = {.recorder = id_, .log = found->get()};
  return **found;
}

/// Returns an empty log. If a thread has ended, reuses its log. The caller must hold the lock.
std::unique_ptr<Recorder::Log> Recorder::empty_log() {
  if (left_.empty()) return std::make_unique<Log>(clock_);
  auto log = std::move(left_.back());
  left_.pop_back();
  return log;
}

void Recorder::leave() {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(logs_, gettid(), [](const auto& log) { return log->tid; });
  if (found == logs_.end()) return;
  Log& log = **found;
  if (auto slices = log.take(); !slices.empty())
    finished_.push_back({.tid = log.tid, .name = log.name, .slices = std::move(slices)});
  left_.push_back(std::move(*found));
  logs_.erase(found);
  cached() = {};
}

void Range::begin(Recorder& recorder, RangeKind kind, std::string_view name, std::int64_t bytes,
                  std::uint64_t external_id, std::int64_t item) {
  if ((mode_ & Recorder::tool_attached) != 0) nvtx::push(kind, name, bytes);
  if ((mode_ & Recorder::recording) == 0) return;
  recorder_ = &recorder;
  kind_ = kind;
  name_ = name;
  bytes_ = bytes;
  external_id_ = external_id;
  item_ = item;
  log_ = &recorder.log_of_this_thread();
  ++log_->depth;
  start_ns_ = log_->now_ns();
}

void Range::end() {
  if ((mode_ & Recorder::recording) != 0) {
    const std::int64_t end_ns = log_->now_ns();
    --log_->depth;
    if (recorder_->enabled())
      log_->next() = {.start_ns = start_ns_,
                      .end_ns = end_ns,
                      .name = name_,
                      .bytes = bytes_,
                      .external_id = external_id_,
                      .item = item_,
                      .depth = log_->depth,
                      .kind = kind_};
  }
  if ((mode_ & Recorder::tool_attached) != 0) nvtx::pop();
}

}  // namespace normbench

#include "record/recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "record/nvtx.h"

namespace normbench {

/// A thread's slices in chunks, so that a full chunk costs one allocation and never a copy.
struct Recorder::Log {
  static constexpr std::size_t chunk_slices = 1024;

  std::int64_t tid = 0;
  std::string name;
  std::uint32_t depth = 0;
  std::vector<std::vector<Slice>> chunks;

  void add(const Slice& slice) {
    if (chunks.empty() || chunks.back().size() == chunk_slices)
      chunks.emplace_back().reserve(chunk_slices);
    chunks.back().push_back(slice);
  }

  /// All slices; the first chunk's memory is kept for what comes next.
  std::vector<Slice> take() {
    std::vector<Slice> slices;
    for (const auto& chunk : chunks) slices.insert(slices.end(), chunk.begin(), chunk.end());
    if (!chunks.empty()) {
      chunks.resize(1);
      chunks.front().clear();
    }
    return slices;
  }
};

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string name_of_this_thread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

}  // namespace

// Keyed by a number and not by address: a later recorder may live where an earlier one did.
Recorder::Recorder(Clock& clock) : clock_(clock), id_(next_id()) {}
Recorder::~Recorder() = default;

std::string_view Recorder::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? names_.emplace_back(name) : *found;
}

std::vector<ThreadLog> Recorder::take() {
  const std::lock_guard lock(mutex_);
  std::vector<ThreadLog> logs;
  for (const auto& log : logs_)
    if (auto slices = log->take(); !slices.empty())
      logs.push_back({.tid = log->tid, .name = log->name, .slices = std::move(slices)});
  std::ranges::sort(logs, {}, &ThreadLog::tid);
  return logs;
}

Recorder::Log& Recorder::log_of_this_thread() {
  struct Cached {
    std::uint64_t recorder = 0;
    Log* log = nullptr;
  };
  thread_local Cached cached;
  if (cached.recorder == id_) return *cached.log;
  const std::lock_guard lock(mutex_);
  const std::int64_t tid = gettid();
  auto found = std::ranges::find(logs_, tid, [](const auto& log) { return log->tid; });
  if (found == logs_.end()) {
    logs_.push_back(std::make_unique<Log>());
    found = logs_.end() - 1;
    (*found)->tid = tid;
  }
  (*found)->name = name_of_this_thread();
  cached = {.recorder = id_, .log = found->get()};
  return **found;
}

Range::Range(Recorder* recorder, RangeKind kind, std::string_view name, std::int64_t bytes)
    : recorder_(recorder != nullptr && recorder->enabled() ? recorder : nullptr),
      name_(name),
      kind_(kind),
      bytes_(bytes) {
  nvtx::push(name, static_cast<std::uint32_t>(kind), bytes);
  if (recorder_ == nullptr) return;
  ++recorder_->log_of_this_thread().depth;
  start_ns_ = recorder_->clock_.now_ns();
}

Range::~Range() {
  if (recorder_ != nullptr) {
    const std::int64_t end_ns = recorder_->clock_.now_ns();
    Recorder::Log& log = recorder_->log_of_this_thread();
    --log.depth;
    if (recorder_->enabled())
      log.add({.start_ns = start_ns_,
               .end_ns = end_ns,
               .name = name_,
               .kind = kind_,
               .depth = log.depth,
               .bytes = bytes_});
  }
  nvtx::pop();
}

CaptureRange::CaptureRange() { nvtx::begin_capture(); }
CaptureRange::~CaptureRange() { nvtx::end_capture(); }

}  // namespace normbench

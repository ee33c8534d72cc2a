/// The model of a recording: which work ran when, and on which lane (thread or stream). Tables and
/// trace files are made from the model.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/enums.h"
#include "core/json.h"
#include "record/device_trace.h"
#include "record/text_hash.h"

namespace normbench {

/// The kinds of slices, named like the categories in PyTorch's traces. Three of them need an
/// explanation:
/// - CpuThread: the share of a stage that one worker thread computes.
/// - PythonFunction: a Python frame. It has no row in tables, but its time does not count as self
///   time of the op around it.
/// - Other: the title of a measured case, or a slice with an unknown category in a file. It has no
///   row in tables.
enum class TraceKind {
  CpuOp,
  UserAnnotation,
  CpuThread,
  CudaRuntime,
  CudaDriver,
  CudaSync,
  Kernel,
  GpuMemcpy,
  GpuMemset,
  GpuUserAnnotation,
  Overhead,
  PythonFunction,
  Other
};
constexpr auto words(TraceKind) {
  return std::to_array<Word<TraceKind>>({{TraceKind::CpuOp, "cpu_op"},
                                         {TraceKind::UserAnnotation, "user_annotation"},
                                         {TraceKind::CpuThread, "cpu_thread"},
                                         {TraceKind::CudaRuntime, "cuda_runtime"},
                                         {TraceKind::CudaDriver, "cuda_driver"},
                                         {TraceKind::CudaSync, "cuda_sync"},
                                         {TraceKind::Kernel, "kernel"},
                                         {TraceKind::GpuMemcpy, "gpu_memcpy"},
                                         {TraceKind::GpuMemset, "gpu_memset"},
                                         {TraceKind::GpuUserAnnotation, "gpu_user_annotation"},
                                         {TraceKind::Overhead, "overhead"},
                                         {TraceKind::PythonFunction, "python_function"},
                                         {TraceKind::Other, "other"}});
}
/// Returns true for kernels, copies and sets, but not for annotations.
constexpr bool is_gpu_work(TraceKind kind) {
  return kind == TraceKind::Kernel || kind == TraceKind::GpuMemcpy || kind == TraceKind::GpuMemset;
}
/// Returns true for calls of the CUDA runtime and driver.
constexpr bool is_call(TraceKind kind) {
  return kind == TraceKind::CudaRuntime || kind == TraceKind::CudaDriver;
}
constexpr bool is_on_gpu(TraceKind kind) {
  return is_gpu_work(kind) || kind == TraceKind::GpuUserAnnotation;
}

/// Details that only slices on devices have.
struct DeviceDetails {
  std::int64_t device = 0, context = 0, stream = 0;
  bool over_link = false;
  /// True for an annotation whose times are from two CUDA events around the work of a stage,
  /// because the work itself was not recorded. The annotation then counts as device work.
  bool from_marks = false;
  std::optional<LaunchShape> launch = {};
  std::int64_t graph = 0, graph_node = 0;
};

/// Returns true for device work, and for an annotation that counts as device work (`from_marks`).
constexpr bool is_device_time(TraceKind kind, const DeviceDetails* details) {
  return is_gpu_work(kind) || (details != nullptr && details->from_marks);
}

struct TraceSlice {
  std::int64_t start_ns = 0, end_ns = 0;
  std::string_view name;  // kept in TraceModel::names
  TraceKind kind = TraceKind::CpuOp;
  /// True if the slice may end on another thread than the one it starts on. The slice then has no
  /// parent and no children.
  bool async = false;
  std::uint32_t depth = 0;  // greater than the parent's
  std::int64_t bytes = 0;
  std::uint64_t external_id = 0;  // 0: none
  std::int64_t correlation = -1;  // -1: none
  std::int32_t details = -1;      // index into TraceModel::details; -1: none
  std::string_view shapes = {};   // of the inputs, as PyTorch prints them; "": unknown
  std::string_view label = {};    // name in tables, like "load{i}"; "": `name` itself
  std::int64_t item = -1;         // the id of its item in TraceModel::items; -1: none
};

/// A thread of a process, or a stream of a device. After finish_model(), the slices of a lane nest
/// and are sorted by (start, -duration). The lanes of one pid are then consecutive, and the lanes
/// of hosts come first.
struct TraceLane {
  std::int64_t pid = 0, tid = 0;
  std::string name;
  std::vector<TraceSlice> slices = {};
};

/// A process, or a device. The pid of a device is its index, from 0 on (see trace_pid()).
struct TraceProcess {
  std::int64_t pid = 0;
  std::string name, labels;
  std::int64_t sort_index = 0;
  bool is_device = false;
};

/// An item of a pipeline (such as a batch): the time from the start of its first stage to the end
/// of its last stage. Items are not on lanes, because they overlap each other.
struct TraceItem {
  std::int64_t id = 0;  // unique
  std::int64_t pid = 0;
  std::string name;  // like "#3"
  std::int64_t start_ns = 0, end_ns = 0;
};

/// An arrow in the trace viewer. A Launch points from a call to the work that it started. The
/// launch of a CUDA graph has an arrow to each piece of its work. An Item points from a stage of a
/// pipeline item to the item's next stage, if that runs on another thread.
struct TraceFlow {
  enum class Kind { Launch, Item };
  Kind kind = Kind::Launch;
  std::int64_t id = 0;  // unique
  std::int64_t from_pid = 0, from_tid = 0, from_ns = 0;
  std::int64_t to_pid = 0, to_tid = 0, to_ns = 0;
};

struct TraceCounter {
  struct Sample {
    std::int64_t ns = 0;
    double value = 0;
  };
  std::int64_t pid = 0;
  std::string name, unit;  // like "link" and "GB/s"
  std::vector<Sample> samples = {};
};

/// How to interpret slices of one thread that overlap but do not nest exactly.
struct Nesting {
  /// The largest error of recorded starts. Some tools cut starts down to whole microseconds but
  /// keep the durations. The end is start plus duration, so the end of a parent may be too early,
  /// and a child may seem to end after its parent. If the child ends at most this much later, it
  /// counts as inside the parent (see is_outside()).
  std::int64_t start_error_ns = 0;
  /// How to count the time that two slices share if they overlap and do not nest. True: only for
  /// the later slice. False: for both slices, as torch.profiler does.
  bool shared_once = false;
};

/// An allocation or a free. `bytes` is negative for a free.
struct TraceMemory {
  std::int64_t ns = 0;
  std::int64_t bytes = 0;
  bool on_device = false;
};

/// A mark in the trace viewer, at a time at which data was lost or cut off, or cannot be trusted.
struct TraceMark {
  std::int64_t ns = 0;
  std::string name;  // a sentence
  Json args = Json::object();
};

/// How much was lost from a recording before it reached the trace, or had to be changed.
struct TraceLosses {
  std::int64_t dropped = 0;         // records that the tracer dropped because it had no room
  std::int64_t lost_buffers = 0;    // buffers of the tracer, lost with all their records
  std::int64_t without_times = 0;   // records whose times are missing
  std::int64_t launches = 0;        // calls that start device work
  std::int64_t launched = 0;        // launches whose work is in the trace
  std::int64_t without_launch = 0;  // pieces of work whose call is not in the trace
  std::int64_t before_launch = 0;   // pieces of work that seem to start before their call
  std::int64_t most_skew_ns = 0;    // the longest time from the start of such a piece to its call
  std::int64_t clipped = 0;         // slices that were cut to fit into another one
  std::int64_t cut_off = 0;         // slices that are not in the file because of its maximum size

  bool operator==(const TraceLosses&) const = default;
};

/// A member of TraceLosses, and its name in the object `normbench` of a trace file.
struct LossField {
  std::string_view name;
  std::int64_t TraceLosses::*value;
};
constexpr auto loss_fields() {
  return std::to_array<LossField>({{"dropped", &TraceLosses::dropped},
                                   {"lost_buffers", &TraceLosses::lost_buffers},
                                   {"without_times", &TraceLosses::without_times},
                                   {"launches", &TraceLosses::launches},
                                   {"launched", &TraceLosses::launched},
                                   {"without_launch", &TraceLosses::without_launch},
                                   {"before_launch", &TraceLosses::before_launch},
                                   {"most_skew_ns", &TraceLosses::most_skew_ns},
                                   {"clipped", &TraceLosses::clipped},
                                   {"cut_off", &TraceLosses::cut_off}});
}

/// Stores each name once. Copies of a TraceNames share the stored names, which live as long as any
/// of these copies.
class TraceNames {
 public:
  std::string_view operator()(std::string_view text) {
    if (store_ == nullptr) store_ = std::make_shared<Store>();
    const auto found = store_->names.find(text);
    return found != store_->names.end() ? *found : *store_->names.emplace(store_->keep(text)).first;
  }

 private:
  struct Store {
    static constexpr std::size_t block_size = std::size_t{1} << 16;

    std::unordered_set<std::string_view, TextHash, std::equal_to<>> names;
    std::vector<std::unique_ptr<char[]>> blocks;
    std::size_t left = 0;  // bytes left in the last block

    std::string_view keep(std::string_view text) {
      if (text.size() > left || blocks.empty()) {
        left = std::max(block_size, text.size());
        blocks.push_back(std::make_unique_for_overwrite<char[]>(left));
        ends = blocks.back().get();
      }
      char* const kept = ends;
      std::ranges::copy(text, kept);
      ends += text.size();
      left -= text.size();
      return {kept, text.size()};
    }
    char* ends = nullptr;  // the end of the used part of the last block
  };
  std::shared_ptr<Store> store_;
};

struct TraceModel {
  Json metadata = Json::object();          // members of the trace file that precede the events
  Json device_properties = Json::array();  // in the form of PyTorch's traces
  std::int64_t base_ns = 0;                // the recorder's clock at the run's start
  std::int64_t base_wall_ns = 0;           // the wall clock at the same moment, since the epoch
  Nesting nesting = {};
  std::vector<TraceProcess> processes = {};
  std::vector<TraceLane> lanes = {};
  std::vector<TraceItem> items = {};
  std::vector<TraceFlow> flows = {};
  std::vector<TraceCounter> counters = {};
  std::vector<TraceMemory> memory = {};
  std::vector<TraceMark> marks = {};
  std::vector<DeviceDetails> details = {};
  TraceLosses losses = {};
  TraceNames names = {};
  // The last ids that add_profile() gave out. The next profile gets ids after them, so no two
  // profiles share an id.
  std::int64_t last_correlation = 0;
  std::int64_t last_item = 0;
  std::uint64_t last_external_id = 0;

  /// Returns a copy of `text` that lives as long as this model.
  std::string_view name(std::string_view text) { return names(text); }

  const DeviceDetails* details_of(const TraceSlice& slice) const {
    return slice.details < 0 ? nullptr : &details[static_cast<std::size_t>(slice.details)];
  }
  bool is_device_time(const TraceSlice& slice) const {
    return normbench::is_device_time(slice.kind, details_of(slice));
  }
};

}  // namespace normbench

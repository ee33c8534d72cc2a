/// The tree of the ops, annotations and CUDA calls of each thread, built as torch.profiler builds
/// it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trace/memory_use.h"
#include "trace/model.h"
#include "trace/submissions.h"

namespace normbench {

/// An op, an annotation (a range around ops) or a CUDA call on a host, with its device time and
/// memory. Members that begin with `self_` do not include the calls inside it. The other members
/// do.
struct Call {
  TraceSlice slice;
  std::int64_t number = 0;  // the index of the slice among all slices in the tree
  std::int64_t self_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;
  Bytes self_memory = {}, memory = {};
};

/// Computes self times, device times and memory of calls. Passes each call to `take` when it is
/// complete. The memory that the tree needs grows only with its depth.
/// - The self time of a call is the part of its time that no direct child covers.
/// - If a slice overlaps another one only partly, it is not a child of that slice.
/// - If a call has only one child, and both have the same row name in tables, the child is merged
///   into the call.
/// - An async slice has no parent, no children and no self time.
/// - Python frames are in the tree, too. So their time does not count as self time of the op around
///   them.
/// - The time of device work counts for the op or annotation that submitted the work (see
///   Submissions).
class CallTree {
 public:
  using Take = std::function<void(const Call&)>;

  /// `submitted` and `memory` must outlive the tree.
  CallTree(const Nesting& nesting, const std::vector<Submitted>& submitted, MemoryUse& memory,
           Take take);

  /// Adds a slice, or ignores it if is_in_tree() is false. Add all slices of a lane before those of
  /// the next lane, and each parent before its children.
  void add(const TraceSlice& slice);
  /// Completes the open calls. Call this after the last slice of each lane.
  void finish_lane();

 private:
  struct Node {
    Call call;
    /// The number of direct children, and the sum of their durations.
    std::int64_t children = 0, children_ns = 0;
    /// Time that is subtracted from the self time in addition to `children_ns`. With
    /// Nesting::shared_once, it is not 0 if two slices overlap and neither contains the other. For
    /// the earlier slice, it is the time that they share. For their parent, it is minus this time,
    /// because `children_ns` counts it twice.
    std::int64_t shared_ns = 0;
    Bytes children_memory = {};
  };
  /// An open call. `only` has its first child, until a second child ends or the call is closed. If
  /// the first child remains the only one, it may be merged into the call.
  struct Open {
    Node node;
    std::unique_ptr<Node> only;
  };

  std::int64_t submitted_by(std::int64_t number);
  void close_before(const TraceSlice& slice);
  void close();

  Nesting nesting_;
  const std::vector<Submitted>& submitted_;
  MemoryUse& memory_;
  Take take_;
  std::vector<Open> open_;  // the calls that are open, outermost first
  std::int64_t next_number_ = 0;
  std::size_t next_submitted_ = 0;
};

}  // namespace normbench

/// The tree of the calls of each thread, built as torch.profiler builds it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trace/memory_use.h"
#include "trace/model.h"
#include "trace/submissions.h"

namespace normbench {

/// An op, an annotation or a CUDA call on a host, with its device time and memory. Members that
/// begin with `self_` leave out the calls inside it; the other members include them.
struct Call {
  TraceSlice slice;
  std::int64_t number = 0;  // the index of the slice among all slices in the tree
  std::int64_t self_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;
  Bytes self_memory = {}, memory = {};
};

/// Computes self times, device times and memory of calls, and gives each call to `take` when it is
/// complete. The memory that the tree needs grows only with its depth.
/// - The self time of a call is the time that no direct child covers.
/// - A slice that only partly overlaps another is not its child.
/// - An only child whose row has the same name as its parent's is merged into the parent.
/// - An async slice has no parent, no children and no self time.
/// - Python frames are in the tree, so that their time does not count as self time of the op around
///   them.
/// - Device work counts for the op or annotation that submitted it (see Submissions).
class CallTree {
 public:
  using Take = std::function<void(const Call&)>;

  /// `submitted` and `memory` must outlive the tree.
  CallTree(const Nesting& nesting, const std::vector<Submitted>& submitted, MemoryUse& memory,
           Take take);

  /// Adds a slice; ignores it if is_in_tree() is false. Slices must come lane by lane, parents
  /// before their children.
  void add(const TraceSlice& slice);
  /// Completes the open calls. Call this after the last slice of each lane.
  void finish_lane();

 private:
  struct Node {
    Call call;
    /// The number of direct children, and the sum of their durations.
    std::int64_t children = 0, children_ns = 0;
    /// Time that is subtracted from the self time in addition to `children_ns`. It is the time that
    /// a call shares with later slices that overlap it. Two such slices are both in `children_ns`
    /// of their parent, so the parent has the negative shared time.
    std::int64_t shared_ns = 0;
    Bytes children_memory = {};
  };
  /// An open call. `only` holds its first child until a second one ends or the call is closed,
  /// because an only child may be merged into the call.
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

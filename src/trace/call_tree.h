/// The calls of each thread as a tree, built as torch.profiler does.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trace/memory_use.h"
#include "trace/model.h"
#include "trace/submissions.h"

namespace normbench {

/// A call of a host, with the device work that it submitted.
struct Call {
  TraceSlice slice;
  std::int64_t number = 0;  // its index among all slices in the tree
  std::int64_t self_ns = 0;
  std::int64_t self_device_ns = 0, device_ns = 0;  // of its own work; also of the calls below it
  Bytes self_memory = {}, memory = {};
};

/// Gives the calls to `take` one by one, in memory that grows only with the depth of the tree.
/// - Self time is what no direct child covers. A slice that overlaps another only partly is not its
///   child. An only child with the name of its parent is merged into the parent.
/// - Async slices are no children, have no children, and have no self time.
/// - Frames of Python are in the tree, because they take time from what is around them.
/// - Device work counts for the op or annotation that submitted it (see Submissions).
class CallTree {
 public:
  using Take = std::function<void(const Call&)>;

  /// `submitted` and `memory` must outlive the tree.
  CallTree(const Nesting& nesting, const std::vector<Submitted>& submitted, MemoryUse& memory,
           Take take);

  /// Adds a slice. Slices must come lane by lane, parents first. A slice that belongs to no tree is
  /// ignored.
  void add(const TraceSlice& slice);
  void finish_lane();

 private:
  /// A call, and the sums over its direct children.
  struct Node {
    Call call;
    std::int64_t children = 0, children_ns = 0;
    std::int64_t shared_ns = 0;  // time that counts for later slices; below 0: given back
    Bytes children_memory = {};
  };
  /// An open call. Its first child is kept in `only` until a second child comes or the call is
  /// closed.
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

/// How the stages of a case are submitted to a device: which stages a graph launches together, and
/// where the host waits.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "measure/case_buffers.h"
#include "plan/buffers.h"
#include "plan/case.h"
#include "plan/label.h"

namespace normbench {

/// The buffers of one stage for which a host stage must wait until the device has finished with
/// them. A buffer is given as the index of the slot that owns it.
struct Hazards {
  std::vector<int> watched;  // for a device stage: a later host stage waits for these
  std::vector<int> waits;    // for a host stage: the device must have finished with these
};

/// Returns the hazards of each stage. There are hazards because a device may do its work long after
/// the host has submitted it.
/// - A host stage must wait before it reads a buffer that a device stage writes.
/// - A host stage must wait before it writes a buffer that a device stage of this or an earlier
///   iteration uses.
/// - With `wait: iteration`, the host waits after each iteration anyway, so there are no hazards
///   between iterations.
/// - With `wait: stage`, the host waits after each stage anyway, so there are no hazards.
std::vector<Hazards> hazards_of(const Case& planned, const std::vector<Slot>& slots);

/// A longest possible run of successive stages that a CUDA graph can hold, and the graphs of this
/// run that exist so far. There is one graph for each combination of buffers.
class GraphRun {
 public:
  GraphRun(const Case& planned, const std::vector<Slot>& slots, std::size_t first,
           std::size_t last);

  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  /// Returns the name of the graph in ranges, like "graph (cast, sub, div)".
  const std::string& label() const { return label_; }

  /// Returns the graph for these buffers. If it does not exist yet, `capture` makes it. The graph
  /// does not depend on the elements of `slots` that no stage of the run uses.
  Graph& at(const BufferSlots& slots, const std::function<std::unique_ptr<Graph>()>& capture);
  std::size_t count() const { return graphs_.size(); }
  /// Deletes all graphs. Call it when buffers have moved.
  void clear() { graphs_.clear(); }

 private:
  struct Hash {
    std::size_t operator()(const BufferSlots& slots) const {
      return (slots[0] * 0x9E3779B97F4A7C15 + slots[1]) * 0x9E3779B97F4A7C15 + slots[2];
    }
  };

  void use(const Slot& slot);

  std::size_t first_, last_;
  std::string label_;
  std::array<bool, 3> uses_ = {};  // by element of BufferSlots: whether a stage uses it
  std::unordered_map<BufferSlots, std::unique_ptr<Graph>, Hash> graphs_;
};

/// Changes the ranges so that each one contains all stages of a graph run or none of them. If a
/// range contains only some stages of a graph run, these are removed from the range. A range that
/// becomes empty is removed.
std::vector<StageRange> around_whole_runs(std::vector<StageRange> ranges,
                                          const std::vector<GraphRun>& runs);

/// Returns the graph runs of a case, in the order of the stages; none if the case does not use
/// graphs. Stages with fresh buffers are in no run, because a graph keeps the addresses of its
/// buffers.
std::vector<GraphRun> graph_runs(const Case& planned, const std::vector<Slot>& slots);

}  // namespace normbench

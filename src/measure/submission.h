/// How a case's stages are submitted to a device: which stages a graph launches together, and where
/// the host waits.
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

/// The buffers for which the host has to wait for the device, as numbers of root slots.
struct Hazards {
  std::vector<int> watched;  // for a device stage: buffers that a host stage waits for later
  std::vector<int> waits;    // for a host stage: buffers that the device must be done with first
};

/// Returns the hazards of every stage. A device does its work later than the host submits it. So a
/// host stage must wait before it reads what a device stage writes. It must also wait before it
/// writes what a device stage of this or an earlier iteration uses. With `wait: iteration` the host
/// waits after each iteration, so there are no hazards between iterations. With `wait: stage` it
/// waits after each stage, so there are none at all.
std::vector<Hazards> hazards_of(const Case& planned, const std::vector<Slot>& slots);

/// A maximal run of stages that can be captured, and its graphs so far.
class GraphRun {
 public:
  GraphRun(const Case& planned, const std::vector<Slot>& slots, std::size_t first,
           std::size_t last);

  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  /// The graph's name in ranges, like "graph (cast, sub, div)".
  const std::string& label() const { return label_; }

  /// Returns the graph for these buffers. If there is none yet, `capture` makes it. Slots that
  /// differ only in buffers that no stage of the run uses have the same graph.
  Graph& at(const BufferSlots& slots, const std::function<std::unique_ptr<Graph>()>& capture);
  std::size_t count() const { return graphs_.size(); }
  /// Drops all graphs. Call when buffers have moved.
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
  std::array<bool, 3> uses_ = {};
  std::unordered_map<BufferSlots, std::unique_ptr<Graph>, Hash> graphs_;
};

/// Changes ranges so that each range contains all stages of a run or none. If a range contains only
/// some stages of a run, they are removed from the range. A range without stages is dropped.
std::vector<StageRange> around_whole_runs(std::vector<StageRange> ranges,
                                          const std::vector<GraphRun>& runs);

/// Returns the runs of a case in the order of its stages; none if the case does not ask for graphs.
/// Stages with fresh buffers are in no run, because a graph keeps the addresses of buffers.
std::vector<GraphRun> graph_runs(const Case& planned, const std::vector<Slot>& slots);

}  // namespace normbench

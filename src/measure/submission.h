/// How a case's stages go to a device: which are launched as one graph, and where the host waits.
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

/// What a stage must wait for, or be waited for; slots are named by their roots.
struct Hazards {
  std::vector<int> watched;  // a device stage's, which a stage on the host waits for later
  std::vector<int> waits;    // a host stage's: the device must be done with them before it starts
};

/// The hazards of every stage, when its work is submitted inline by the host and done later by the
/// device: reading what a device stage wrote, and writing what one of this or an earlier iteration
/// uses. Waiting as the case does settles some: `wait: iteration` those between iterations, `wait:
/// stage` all.
std::vector<Hazards> hazards_of(const Case& planned, const std::vector<Slot>& slots);

/// A maximal run of stages that can be captured, and its graphs so far.
class GraphRun {
 public:
  GraphRun(const Case& planned, const std::vector<Slot>& slots, std::size_t first,
           std::size_t last);

  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  /// "graph (cast, sub, div)".
  const std::string& label() const { return label_; }

  /// The graph for these buffers, made by `capture` when there is none yet. Buffers that no stage
  /// of the run uses make no difference.
  Graph& at(const BufferSlots& slots, const std::function<std::unique_ptr<Graph>()>& capture);
  /// How many graphs there are.
  std::size_t count() const { return graphs_.size(); }
  /// Drops all graphs: their buffers have moved.
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

/// The ranges that can be opened where runs are launched as one: what lies only partly in a range
/// is left out of it.
std::vector<StageRange> around_whole_runs(std::vector<StageRange> ranges,
                                          const std::vector<GraphRun>& runs);

/// The runs of a case in the order of its stages; none unless it asks for graphs. Stages whose
/// buffers are allocated anew each time are in none: a graph keeps addresses.
std::vector<GraphRun> graph_runs(const Case& planned, const std::vector<Slot>& slots);

}  // namespace normbench

/// Reads a case from a `prepare` message, and plans it like the case of a config. Another normbench
/// process sends this message if this process is its peer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "core/tensor.h"
#include "plan/plan.h"

namespace normbench {

/// A stage in a `prepare` message. The members that a stage of a config also has, such as `place`,
/// are kept as JSON, because the planner checks them.
struct PeerStage {
  Json op, parameters = Json::object(), place, kernel, output;  // null: not in the message
  std::vector<TensorDesc> in, out;                              // empty: not in the message

  /// Returns the name of the op, like "normalize"; the JSON of `op` if it is no string.
  std::string name() const;
};

struct PeerPrepare {
  Json threads = 1;         // the member `threads` of the planned variant
  int device = 0;           // index among the CUDA devices that this process sees
  std::int64_t copies = 1;  // copies of the input; 1: the input stays in the cache
  bool unlike = false;      // the copies must differ from each other
  std::string path;         // the .npy file of the input
  TensorDesc input;         // the input, in the memory that the first stage reads
  std::vector<PeerStage> stages;
};

/// Reads a `prepare` message. Unknown members are ignored. Throws Invalid with all mistakes, like
/// "/copies: must be at least 1, got 0; ...". Throws Unsupported if there is not exactly one input,
/// or if a stage may read other values than the output of the stage before it.
PeerPrepare read_prepare(const Json& message);

/// Thrown for a request that this peer cannot fulfil. The process that sent the request then skips
/// the variant and does not count it as failed.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Invalid with all issues, if there are any.
void throw_if_any(const std::vector<Issue>& issues);

/// Returns a size in bytes to use as the size of the last-level cache. In a plan for a cache of
/// this size, a case with cold buffers has exactly `said.copies` copies of its input. So this
/// process rotates over as many copies as the process that sent the request.
std::int64_t cache_bytes_of(const PeerPrepare& said);

/// Returns a plan with one group and one case, which can run here. `options` describes this
/// machine. Throws Invalid with all mistakes that the planner finds; each has its position in the
/// message. Throws Unsupported if the case cannot run here, or if the plan would differ from the
/// message.
Plan plan_peer_case(const PeerPrepare& said, const Backends& backends, PlanOptions options);

}  // namespace normbench

/// Reads a case from a `prepare` message, and plans it like the case of a config.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "core/tensor.h"
#include "plan/plan.h"

namespace normbench {

/// A stage as the message describes it. The planner checks the members that a config also has.
struct PeerStage {
  Json op, parameters = Json::object(), place, kernel, output;  // null: not in the message
  std::vector<TensorDesc> in, out;                              // empty: not in the message

  /// Returns the name of the op, like "normalize"; the JSON of `op` if it is no string.
  std::string name() const;
};

struct PeerPrepare {
  Json threads = 1;         // the member `threads` of a config
  int device = 0;           // number among the CUDA devices that this process sees
  std::int64_t copies = 1;  // copies of the input; 1: it stays in the cache
  bool unlike = false;      // the copies must differ
  std::string path;         // the .npy file of the input
  TensorDesc input;         // the input, in the memory that the first stage reads
  std::vector<PeerStage> stages;
};

/// Reads a message; unknown members are ignored. Throws Invalid with all mistakes ("/copies: must
/// be at least 1, got 0; …"). Throws Unsupported if there is not exactly one input, or the stages
/// are no plain chain.
PeerPrepare read_prepare(const Json& message);

/// Thrown for a request that this peer cannot fulfil. The variant is then skipped, not failed.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Invalid with all issues, if there are any.
void throw_if_any(const std::vector<Issue>& issues);

/// Returns the size in bytes of a last-level cache for which a cold source has exactly
/// `said.copies` copies. With this size, this process rotates over as many copies as the process
/// that asks.
std::int64_t cache_bytes_of(const PeerPrepare& said);

/// Returns a plan of one group with one case, which can run. `options` describe this machine.
/// Throws Invalid with every mistake that the planner finds, each with its place in the message.
/// Throws Unsupported if the case cannot run here, or if the plan would differ from the message.
Plan plan_peer_case(const PeerPrepare& said, const Backends& backends, PlanOptions options);

}  // namespace normbench

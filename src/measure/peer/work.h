/// What a peer has prepared: one contender with its memory, and turns of it.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "measure/contender.h"
#include "measure/group_memory.h"
#include "measure/peer/prepare.h"
#include "measure/turn.h"
#include "plan/plan.h"
#include "record/recorder.h"

namespace normbench {

class PeerWork {
 public:
  /// Plans the case and takes its memory. Throws as plan_peer_case, and std::runtime_error when a
  /// kind of memory is not there.
  PeerWork(const PeerPrepare& said, Backends backends, Clock& clock);

  /// One iteration on poisoned buffers, without a warm-up. Returns its time.
  std::int64_t call();
  /// A turn as in rounds of one's own. Stages are timed where that costs less than 0.5 % of it.
  Turn turn(std::int64_t iterations, std::int64_t warmup_ns);
  /// Writes what the call gave; after a turn, what one more iteration on poisoned buffers gives,
  /// for outputs of the turn may be freed. Throws CannotWrite, and Invalid when nothing was run.
  void write(const std::string& path);

 private:
  const Case& work() const { return plan_.groups[0].cases[0]; }
  GroupMemory take_memory(const PeerPrepare& said) const;

  Clock& clock_;
  Backends backends_;
  Plan plan_;
  Recorder recorder_;
  GroupMemory memory_;
  std::mt19937_64 random_{std::random_device{}()};  // other processes place buffers elsewhere
  Contender contender_;
  std::optional<bool> marks_;
  enum class Result { None, Kept, Past } result_ = Result::None;
};

}  // namespace normbench

/// The answering side of the peer protocol, with which normbench takes turns in another's rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "core/json.h"
#include "measure/group_memory.h"
#include "measure/peer/plan.h"
#include "measure/prepared_case.h"
#include "measure/turn.h"
#include "plan/plan.h"
#include "record/clock.h"
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
  PreparedCase prepared_;
  std::optional<bool> marks_;
  enum class Result { None, Kept, Past } result_ = Result::None;
};

/// Holds one prepared case. Requests that are wrong, or come in the wrong order, are answered so
/// and change nothing.
class PeerServer {
 public:
  using MakeBackends = std::function<Backends(int device)>;

  PeerServer(Clock& clock, MakeBackends make_backends);

  /// The reply to a line; nothing to `close`.
  std::optional<Json> reply(std::string_view line);

 private:
  struct Request;
  static const Request* find(std::string_view type);

  Json hello(const Json& message);
  Json prepare(const Json& message);
  Json run(const Json& message);
  Json output(const Json& message);
  PeerWork& prepared() const;

  Clock& clock_;
  MakeBackends make_backends_;
  std::unique_ptr<PeerWork> work_;
};

}  // namespace normbench

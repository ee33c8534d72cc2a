/// From how much work on a team pays: a decision from measured costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace normbench {

/// What this machine was measured to need. Infinite costs: there is no such team.
struct TeamCosts {
  double awake_ns = 0;   // to start and join a team whose threads still wait in a loop
  double asleep_ns = 0;  // … whose threads sleep; not less
  double loop_ns = 0;    // how long they wait in a loop after a team; infinite: for ever
  // The most that one thread moves: while all of it stays in its cache of so many bytes, and
  // beyond.
  std::int64_t cache_bytes = 0;
  double cached_bytes_per_ns = 0, uncached_bytes_per_ns = 0;
};

/// What a team saves of work that moves so many bytes, before its own costs.
inline double saved_ns(std::int64_t bytes, int threads, const TeamCosts& costs) {
  const double rate =
      bytes <= costs.cache_bytes ? costs.cached_bytes_per_ns : costs.uncached_bytes_per_ns;
  return static_cast<double>(bytes) / rate * (1 - 1.0 / threads);
}

/// The fewest bytes for which a team pays: it saves a quarter more than it costs, for shares are
/// never quite equal. The largest number where it never does.
std::int64_t grain_bytes(int threads, const TeamCosts& costs, bool awake);

/// "a team of 2 pays from 1.2 MB on within 3.9 ms of the last one, …".
std::string grain_text(int threads, const TeamCosts& costs);

/// Chooses between one thread and a team of so many, call after call. All inline: after a pause a
/// call waits for every line of code that it goes through.
class TeamChoice {
 public:
  TeamChoice(int threads, const TeamCosts& costs);

  /// False for work that is too small for any team, whenever it comes.
  bool may_pay(std::int64_t bytes) const { return bytes >= awake_grain_; }
  /// True if work that starts now is to have the team. Work for which only threads that are awake
  /// pay wakes them when it comes so often that they would have saved their waking meanwhile.
  bool pays(std::int64_t bytes, std::int64_t now_ns) const {
    if (!may_pay(bytes)) return false;
    return bytes >= asleep_grain_ || soon_after(last_team_ns_, now_ns) ||
           (soon_after(last_miss_ns_, now_ns) && missed_ns_ >= costs_.asleep_ns);
  }
  /// What has been done: work by one thread, or any by the team.
  void worked_alone(std::int64_t bytes, std::int64_t start_ns, std::int64_t end_ns) {
    if (!may_pay(bytes)) return;
    if (!soon_after(last_miss_ns_, start_ns)) missed_ns_ = 0;
    last_miss_ns_ = end_ns;
    missed_ns_ += saved_ns(bytes, threads_, costs_) - costs_.awake_ns;
  }
  void team_ended(std::int64_t end_ns) {
    last_team_ns_ = end_ns;
    last_miss_ns_.reset();
  }

 private:
  /// Less than the time that threads wait in a loop has gone by.
  bool soon_after(std::optional<std::int64_t> then_ns, std::int64_t now_ns) const {
    return then_ns && static_cast<double>(now_ns - *then_ns) < costs_.loop_ns;
  }

  int threads_;
  TeamCosts costs_;
  std::int64_t awake_grain_, asleep_grain_;
  std::optional<std::int64_t> last_team_ns_, last_miss_ns_;
  double missed_ns_ = 0;  // what threads that are awake would have saved lately
};

}  // namespace normbench

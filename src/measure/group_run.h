/// The state of a group while it is measured: its contenders, their memory, and the results so far.
#pragma once

#include <map>
#include <random>

#include "document/note.h"
#include "measure/budget.h"
#include "measure/contender.h"
#include "measure/file_walk.h"
#include "measure/run_context.h"
#include "measure/state_reader.h"
#include "measure/watchdog.h"

namespace normbench {

/// While this object lives, the watchdog is armed for a contender.
class Watched {
 public:
  Watched(Watchdog& watchdog, std::size_t group, const std::string& contender)
      : watchdog_(watchdog) {
    watchdog_.arm(group, contender);
  }
  ~Watched() { watchdog_.disarm(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  Watchdog& watchdog_;
};

/// A member of a group: a case, or a limit (a case that measures a limit of the machine), with its
/// contender and its result.
struct Member {
  int index;  // index in the list of the cases followed by the limits
  const Case* planned;
  CaseResult* result;
  std::unique_ptr<Contender> contender = nullptr;  // null: the member takes no turns any more
  TurnShape shape = {};
  std::int64_t wanted = 0;  // `shape.iterations` before the first call of fit_turns()
  // The notes that the latest fit_turns() has added to `result`. They are removed before turns are
  // fitted again.
  std::vector<std::string> notes_of_fit = {};
  // For an output without a reference: the outcome of the check of the first call, until the output
  // has been compared with the outputs of other members. Otherwise empty.
  std::optional<CheckOutcome> given = {};
  // In seconds: the time of the latest check of all outputs, and an estimate of the time for
  // checking one image.
  double check_seconds = 0, image_check_seconds = 0;

  bool is_case(const Group& group) const { return index < static_cast<int>(group.cases.size()); }
  bool live() const { return contender != nullptr; }
  /// Returns the expected time of a turn in seconds.
  double turn_seconds() const {
    return (shape.beside_ns + static_cast<double>(shape.iterations) * shape.iteration_ns) * 1e-9;
  }
  /// fail() and skip() end only this contender. They also delete its rounds, because only complete
  /// cases are compared.
  void fail(const std::string& reason) { end(Status::Failed, reason); }
  void skip(const std::string& reason) { end(Status::Skipped, reason); }
  /// Adds the outcome of a check to the result. A wrong output fails the member.
  void judge(const CheckOutcome& outcome);

 private:
  void end(Status status, const std::string& reason);
};

/// Returns true if the stages of the member are timed in staged turns: separate turns after the
/// rounds, in which each stage is timed.
bool takes_staged_turns(const Member& member);

/// Returns true if the case has only one stage and this stage runs on a CPU. The time of a turn is
/// then the time of the stage. On a device, the time of a turn also includes the gaps between
/// successive runs of the stage.
bool is_one_stage(const Case& planned);

/// Returns the name of the range of a group in the recorder: the name of the experiment and, with a
/// sweep, the point, like `EXPERIMENT {"batch":10}`.
std::string point_name(const Group& group);

/// Returns the names of the contenders that must take no turns because they hung or failed before,
/// each with the reason. They are read from the journal, if there is one, and from `context.part`.
std::map<std::string, std::string> hung_contenders(const RunContext& context, std::size_t group);

class GroupRun {
 public:
  GroupRun(const Plan& plan, std::size_t index, RunContext& context);

  /// Prepares every contender that can run, makes its first call, and checks the output of this
  /// call. Limits are prepared only if at least one case can still take turns. Returns false when
  /// interrupted.
  bool prepare(double clock_cost_ns);
  /// Runs one turn of a member inside two ranges of the recorder, one for the variant and one for
  /// the turn. `start_ns` of the returned round counts from the start of the group. If this turn
  /// and the previous one use the device, and the previous one ended less than `device_idle_ns`
  /// ago, the warm-up is a single iteration.
  Turn turn(Member& member, TurnShape shape, std::size_t number);
  /// Compares the output of the latest first_call() or last_call() of the member with the
  /// reference. If there is no reference, compares it with a standard (the output of another case).
  /// A wrong output fails the member. The comparison ends after `seconds`, or after 0.1 s if that
  /// is longer, even if some values were not compared yet.
  void check(Member& member, double seconds);
  /// Checks a call of the latest turn of the member (Contender::check_recent). Returns false if
  /// nothing was checked, because the member has no reference or is checked only at its first and
  /// last calls.
  bool check_recent(Member& member);
  /// Decides at random whether a call of the next turn of the member is checked. On average, this
  /// happens in three of the first eight rounds, and less and less often in later rounds. Always
  /// returns false
  /// - for limits,
  /// - if outputs are not checked in this process, or `checked_calls` is 2 or less, or
  /// - if the checks between rounds would probably take more than check_seconds() together.
  bool draws_a_call(const Member& member);
  /// Draws a random number from 1 to `calls`.
  std::int64_t drawn_call(std::int64_t calls) {
    return std::uniform_int_distribution<std::int64_t>(1, calls)(check_random_);
  }
  /// Reads the state of the device after a turn of the member. Returns zeros if the member uses no
  /// device.
  DeviceState state_after_turn(const Member& member) {
    return member.planned->uses_gpu() ? states_.read() : DeviceState{};
  }
  std::int64_t slowest_state_ns() const { return states_.slowest_ns(); }
  /// Calls `work`. If it throws, only this member ends. The watchdog guards the call, but not for a
  /// peer, because the messages of peers have their own time limits.
  void guarded(Member& member, const std::function<void()>& work);
  /// Returns true if a call of a member threw CutShort, because the run was interrupted.
  bool cut_short() const { return cut_short_; }

  /// A standard is the output of a case with which the outputs of other cases are compared. For
  /// each standard, finds another live member whose output agrees with it, and stores the name of
  /// that member in the check of the standard's case. If there is no such member, the check states
  /// that the output was compared with nothing. Call it again after members have failed.
  void name_witnesses();

  /// Returns the members that still take turns, cases first. live() also returns limits,
  /// live_cases() does not.
  std::vector<Member*> live();
  std::vector<Member*> live_cases();
  bool has_live_case() const;

  void tell(const GroupStep& step) { context_.observer.step_done(step); }

  const Plan& plan() const { return plan_; }
  std::size_t index() const { return index_; }
  const Group& group() const { return plan_.groups[index_]; }
  RunContext& context() { return context_; }
  GroupResult& result() { return result_; }
  std::mt19937_64& random() { return random_; }
  /// Returns the time since the start of the group in seconds. spent() does not count the time for
  /// starting and preparing peers, because time limits do not include it.
  double seconds() const;
  double spent() const { return seconds() - peers_seconds_; }

  /// Returns the budget: how long the rounds, turns and checks of the group may take. prepare()
  /// decides it.
  const Budget& budget() const { return budget_; }
  /// Shortens the turns if the rounds so far took much longer than foreseen. `rounds_seconds` is
  /// the time of these rounds with their checks. Returns true if the turns were shortened. The
  /// caller must then delete these rounds, because their turns were longer. Changes nothing and
  /// returns false
  /// - if the group would take at most most_of_limit times its time limit,
  /// - if all turns have their fewest iterations already, or
  /// - if there is an earlier result of the group (Part::first), which determines the turns.
  bool fit_turns_anew(double rounds_seconds);
  /// Makes the turns of loaders in the next round start at the item after the last item of this
  /// round. Call it after each round.
  void walk_on() { walk_.go_on(); }
  /// Adds a note to each case whose turns together did not load all images of the dataset.
  void note_images();

 private:
  void enter(const std::vector<Case>& planned, std::vector<CaseResult>& results);
  void first_call(Member& member, double clock_cost_ns);
  double seconds_for_first_check() const;
  const Standard* standard_for(const Case& planned) const;
  /// Returns a live member whose output agrees with the standard and that is not the standard's own
  /// case; null if there is none.
  const Member* witness_of(const Standard& standard) const;
  /// Compares the first outputs of members without a reference with one another. Outputs that must
  /// agree (is_standard_for()) form a kind. The standard of a kind is the output of the baseline.
  /// If the baseline has no output of this kind, it is the first output of this kind. All other
  /// outputs of the kind are compared with the standard.
  void compare_first_outputs();
  Disturbance disturbance_now() const;
  void hold_to_standard(Member& member, const Tensor64& output);
  void skip_limits(NoLimit why);
  /// Gives contenders the same number of iterations per turn, so that the fixed costs of a turn are
  /// the same share of each turn.
  /// - The contenders that load different images in successive items get the largest number that
  ///   one of them has. All their turns then read the same files.
  /// - Any other contender is changed only if it and the baseline have more than one iteration, and
  ///   its number is at least half and at most twice the number of the baseline. These contenders
  ///   and the baseline get the largest number that one of them has. If the baseline takes no
  ///   turns, the first contender is used in place of the baseline.
  /// No contender gets more than the smallest `most_iterations` of all contenders. The numbers of
  /// pipelines, and of the user's own loaders, are not changed. If `context_.part.first` is set, no
  /// number is changed.
  void align_turns();
  /// A stream is a limit with the op `stream`, which reads and writes memory without arithmetic.
  /// Returns a rank for each stream that takes turns: the number of other streams of the same kind
  /// that have a shorter iteration. Streams are of the same kind if their bytes, threads and place
  /// are the same, and all or none of them stay in the cache.
  std::map<const Member*, std::size_t> stream_ranks();
  /// If the forecast of the group exceeds its time limit too far (is_overrun()), skips slow streams
  /// before their first turn. (A stream is a limit with the op `stream`.) Of the streams of the
  /// same kind (stream_ranks()), at least the two fastest stay, since the fastest one decides what
  /// the machine can do. More than two stay if the group then ends sooner, because a group with
  /// more than 24 contenders has fewer rounds in a block (StopRule::block_rounds()). If
  /// `context_.part.first` is set, skips the limits that were skipped in that earlier result.
  void leave_out_slow_streams();
  /// Decides how the group spends its time: makes the budget, shortens the turns of loaders and
  /// pipelines if they take too long, and starts the walk through the files.
  void fit_turns();
  ContenderTime time_of(const Member& member) const;
  /// Returns the budget for these contenders.
  Budget budget_for(const std::vector<Member*>& contenders) const;
  /// Adds up to two notes to the result of a member: that its turns were shortened, and that all
  /// its turns load the same images, which are not all images of the dataset.
  void note_fit(Member& member);
  Sides need(const Case& planned) const;
  void take_memory();

  const Plan& plan_;
  std::size_t index_;
  RunContext& context_;
  std::int64_t start_ns_;
  std::mt19937_64 random_, check_random_;
  GroupResult result_;
  std::optional<GroupMemory> own_memory_;
  GroupMemory* memory_ = nullptr;
  std::vector<Member> members_;      // cases, followed by limits
  std::vector<Standard> standards_;  // set by compare_first_outputs()
  bool cut_short_ = false;
  Budget budget_;
  FileWalk walk_;
  double peers_seconds_ = 0;      // time for starting and preparing peers
  double checks_seconds_ = 0;     // time of all checks between the rounds so far
  double checks_before_fit_ = 0;  // checks_seconds_ at the latest fit_turns()
  StateReader states_;
  // Set if the latest turn ran on the device. `end_ns`: when that turn ended. `until`: the latest
  // result of disturbance_now() since then.
  struct DeviceTurn {
    std::int64_t end_ns;
    Disturbance until = {};
  };
  std::optional<DeviceTurn> device_turn_;
};

}  // namespace normbench

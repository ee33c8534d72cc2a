/// A group while it is measured: its contenders, their memory, and their results so far.
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

/// Arms the watchdog in its constructor, and disarms it in its destructor.
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

/// A case or limit of a running group, with its contender and its place in the results.
struct Member {
  int index;  // index among the group's cases and then its limits
  const Case* planned;
  CaseResult* result;
  std::unique_ptr<Contender> contender = nullptr;  // null: it takes no more turns
  TurnShape shape = {};
  std::int64_t wanted = 0;  // iterations of a turn, if there is time for them
  // Notes of the result that hold until the turns are fitted anew.
  std::vector<std::string> notes_of_fit = {};
  // The outcome of the first call, until its output was compared with the outputs of other members.
  std::optional<CheckOutcome> given = {};
  // The time of the latest check of a whole output, and how long the check of one image may take,
  // in seconds.
  double check_seconds = 0, image_check_seconds = 0;

  bool is_case(const Group& group) const { return index < static_cast<int>(group.cases.size()); }
  bool live() const { return contender != nullptr; }
  /// Returns how long a turn will probably take.
  double turn_seconds() const {
    return (shape.beside_ns + static_cast<double>(shape.iterations) * shape.iteration_ns) * 1e-9;
  }
  /// fail() and skip() end only this contender. They drop the contender's rounds, since only
  /// complete cases are compared.
  void fail(const std::string& reason) { end(Status::Failed, reason); }
  void skip(const std::string& reason) { end(Status::Skipped, reason); }
  /// Adds the outcome of a check to the result. A wrong output fails the member.
  void judge(const CheckOutcome& outcome);

 private:
  void end(Status status, const std::string& reason);
};

/// True if the times of a case's stages come from turns of their own, with marks.
bool takes_staged_turns(const Member& member);

/// True if a turn's time is the time of its only stage. False for a stage on a device, because the
/// turn's time then contains the gaps between successive runs of the stage.
bool is_one_stage(const Case& planned);

/// Returns the name of a group in ranges, like `place {"batch":10}`, or like `place` without a
/// sweep.
std::string point_name(const Group& group);

/// Returns the contenders of a group that take no turns because they hung or failed before, each
/// with the reason: those of the journal, if there is one, and of `context.part`.
std::map<std::string, std::string> hung_contenders(const RunContext& context, std::size_t group);

class GroupRun {
 public:
  GroupRun(const Plan& plan, std::size_t index, RunContext& context);

  /// Prepares every contender that can run, makes its first call, and checks the output of that
  /// call. Limits are prepared only if a case is live. Returns false when interrupted.
  bool prepare(double clock_cost_ns);
  /// Runs one turn of a member, inside its ranges. The start of the returned round counts from the
  /// start of the group. The warm-up is a single iteration if this turn and the previous one use
  /// the device, and the previous one ended less than `device_idle_ns` ago.
  Turn turn(Member& member, TurnShape shape, std::size_t number);
  /// Compares the output of the member's latest first_call() or last_call() with the reference. If
  /// there is no reference, compares it with the standard. A wrong output fails the member.
  /// Leaves values out once it has taken `seconds`, but at least 0.1 s.
  void check(Member& member, double seconds);
  /// Checks a call of the member's latest turn (Contender::check_recent). Returns false if nothing
  /// was checked, because the member has no reference or is checked only at its first and last
  /// calls.
  bool check_recent(Member& member);
  /// Decides at random whether a call of the member's next turn is checked. On average, that
  /// happens in three of the first eight rounds, and more and more rarely in later rounds. It never
  /// happens for limits, nor if `checked_calls` is 2 or less, nor where checks between rounds
  /// would then probably take more than check_seconds().
  bool draws_a_call(const Member& member);
  /// Draws a number from 1 to `calls`.
  std::int64_t drawn_call(std::int64_t calls) {
    return std::uniform_int_distribution<std::int64_t>(1, calls)(check_random_);
  }
  /// Reads the state of the device after a member's turn. Returns zeros if the member uses no
  /// device.
  DeviceState state_after_turn(const Member& member) {
    return member.planned->uses_gpu() ? states_.read() : DeviceState{};
  }
  std::int64_t slowest_state_ns() const { return states_.slowest_ns(); }
  /// Calls `work`. If it throws, only this member ends. The watchdog guards the
  /// call unless the member is a peer, whose messages have time limits of their own.
  void guarded(Member& member, const std::function<void()>& work);
  /// True if a call of a member threw CutShort, because the run was interrupted.
  bool cut_short() const { return cut_short_; }

  /// For each standard, finds another live member whose output agrees with it, and stores that
  /// member's name in the check of the standard's case. If there is none, the check says that the
  /// output was compared with nothing. Call again after members have failed.
  void name_witnesses();

  /// The members that still take turns: cases first, then limits. live_cases() has no limits.
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
  /// The seconds since the group's start. spent() leaves out the start of peers, which no time
  /// limit contains.
  double seconds() const;
  double spent() const { return seconds() - peers_seconds_; }

  /// How the group spends its time; decided by prepare().
  const Budget& budget() const { return budget_; }
  /// Fits the turns anew if the rounds so far, which took `rounds_seconds` with their checks, took
  /// so much longer than foreseen that the group would exceed most_of_limit times its time limit,
  /// and if turns can be shorter. Returns true if they are; the rounds so far do not fit them.
  /// Does nothing in a part that continues another.
  bool fit_turns_anew(double rounds_seconds);
  /// Lets the next turns of loaders start where the latest ones ended. Call after each round.
  void walk_on() { walk_.go_on(); }
  /// Adds notes on the images that all turns of a loader have read.
  void note_images();

 private:
  void enter(const std::vector<Case>& planned, std::vector<CaseResult>& results);
  void first_call(Member& member, double clock_cost_ns);
  double seconds_for_first_check() const;
  const Standard* standard_for(const Case& planned) const;
  /// Returns a live member, apart from the standard's own, whose output agrees with the standard;
  /// null for none.
  const Member* witness_of(const Standard& standard) const;
  /// Compares the first outputs of members without a reference with one another. Outputs that must
  /// agree (is_standard_for()) form a kind. The standard of a kind is the baseline's output or, if
  /// the baseline has no output of this kind, the first member's that has one. All other outputs of
  /// the kind are compared with the standard.
  void compare_first_outputs();
  Disturbance disturbance_now() const;
  void hold_to_standard(Member& member, const Tensor64& output);
  void skip_limits(NoLimit why);
  /// Aligns the iterations of turns, so that the fixed costs of a turn have the same share in each.
  /// - Contenders that walk through files all get the same number of iterations: the largest among
  ///   them. All their turns then read the same files.
  /// - Other contenders are aligned only if they and the baseline have more than one iteration, and
  ///   their iterations differ from the baseline's by a factor of 2 at most. They get the largest
  ///   number of iterations among them. If the baseline takes no turns, the first contender
  ///   replaces it.
  /// No number is set above the smallest `most_iterations` of all contenders. Pipelines keep their
  /// numbers. If `context_.part.first` is set, all contenders keep theirs.
  void align_turns();
  /// Divides the group's time, shortens the turns of loaders and pipelines if they do not fit, and
  /// starts the walk through the files.
  void fit_turns();
  ContenderTime time_of(const Member& member) const;
  /// Adds the notes on a member's turns to its result.
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
  std::vector<Member> members_;      // cases, then limits
  std::vector<Standard> standards_;  // one for each kind of output
  bool cut_short_ = false;
  Budget budget_;
  FileWalk walk_;
  double peers_seconds_ = 0;   // time in which peers were started and prepared
  double checks_seconds_ = 0;  // time of checks between rounds
  double checks_before_fit_ = 0;  // the same, when the turns were fitted
  StateReader states_;
  // The latest turn, if it ran on the device: when it ended, and the disturbances read after it.
  struct DeviceTurn {
    std::int64_t end_ns;
    Disturbance until = {};
  };
  std::optional<DeviceTurn> device_turn_;
};

}  // namespace normbench

/// A group while it is measured: its contenders, their memory and what they have given so far.
#pragma once

#include <map>
#include <random>

#include "document/note.h"
#include "measure/contender.h"
#include "measure/runner.h"
#include "measure/state_reader.h"
#include "measure/watchdog.h"

namespace normbench {

/// Has the watchdog guard one piece of work, which must end.
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

/// A case or limit of a running group: what takes its turns, and its place in the results.
struct Member {
  int index;  // among the group's cases, then its limits
  const Case* planned;
  CaseResult* result;
  std::unique_ptr<Contender> contender = nullptr;  // gone when the case takes no more turns
  TurnShape shape = {};
  std::optional<CheckOutcome> given = {};  // of its first call, where that needs another's output

  bool is_case(const Group& group) const { return index < static_cast<int>(group.cases.size()); }
  bool live() const { return contender != nullptr; }
  /// Both end this contender alone. It keeps no rounds: only whole cases are compared.
  void fail(const std::string& reason) { end(Status::Failed, reason); }
  void skip(const std::string& reason) { end(Status::Skipped, reason); }
  /// Keeps what a check found; a wrong output fails it.
  void judge(const CheckOutcome& outcome);

 private:
  void end(Status status, const std::string& reason);
};

/// "place {"batch":10}", "place" without a sweep: how ranges name a group.
std::string point_name(const Group& group);

/// Contenders of a group that are known to hang, and why: from the journal, or the part asked for.
std::map<std::string, std::string> hung_contenders(const RunContext& context, std::size_t group);

class GroupRun {
 public:
  GroupRun(const Plan& plan, std::size_t index, RunContext& context);

  /// Prepares every contender that can run and makes its first, checked call. False when
  /// interrupted.
  bool prepare(double clock_cost_ns);
  /// One turn of one contender, inside its ranges; its round's start is relative to the group's. A
  /// device that worked within the last millisecond is not warmed up for long.
  Turn turn(Member& member, TurnShape shape, std::size_t number);
  /// Holds the output of the member's first or last call to the reference, or to the standard; a
  /// wrong one fails it.
  void check(Member& member);
  /// After a turn of a case, draws one of the calls whose outputs it left and checks that. False
  /// where none can be drawn.
  bool check_recent(Member& member);
  /// Whether a call of the case's next turn is to be checked: of three of the first eight, and more
  /// rarely later.
  bool draws_a_call(const Member& member);
  /// The number, from 1 on, of one of so many calls.
  std::int64_t drawn_call(std::int64_t calls) {
    return std::uniform_int_distribution<std::int64_t>(1, calls)(check_random_);
  }
  /// The state that a member's turn left its device in.
  DeviceState state_after_turn(const Member& member) {
    return member.planned->uses_gpu() ? states_.read() : DeviceState{};
  }
  std::int64_t slowest_state_ns() const { return states_.slowest_ns(); }
  /// Runs `planned`; what it throws ends this member alone. The watchdog stops work that hangs,
  /// except a peer's: its messages have time limits of their own.
  void guarded(Member& member, const std::function<void()>& planned);
  /// True when the run was interrupted while a member was waited for.
  bool cut_short() const { return cut_short_; }

  /// Names again the member that agrees with each standard: the one before may have failed.
  void name_witnesses();

  /// Contenders that have not failed: cases, then limits; and whether any case is among them.
  std::vector<Member*> live();
  std::vector<Member*> live_cases();

  void tell(const GroupStep& step) { context_.observer.step_done(step); }

  const Plan& plan() const { return plan_; }
  std::size_t index() const { return index_; }
  const Group& group() const { return plan_.groups[index_]; }
  RunContext& context() { return context_; }
  GroupResult& result() { return result_; }
  std::mt19937_64& random() { return random_; }
  double seconds() const;

 private:
  void enter(const std::vector<Case>& planned, std::vector<CaseResult>& results);
  void first_call(Member& member, double clock_cost_ns);
  const Standard* standard_for(const Case& planned) const;
  /// A live member whose output agrees with the standard; null for none.
  const Member* witness_of(const Standard& standard) const;
  /// For outputs of a kind that no reference tells right, makes the baseline's the standard, or
  /// else the first, and holds the others to it.
  void compare_first_outputs();
  Disturbance disturbance_now() const;
  void hold_to_standard(Member& member, const Tensor64& output);
  void skip_limits(NoLimit why);
  /// Gives all contenders with about as many iterations a turn as the baseline the most of these,
  /// so that a turn's own costs have the same share in each. Those that read other files in each
  /// iteration get the most of any of them, so that their turns read the same files.
  void align_turns();
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
  StateReader states_;
  // After the last turn on the device, when no other was taken since: when it ended, and what had
  // disturbed the machine until then.
  struct DeviceTurn {
    std::int64_t end_ns;
    Disturbance until = {};
  };
  std::optional<DeviceTurn> device_turn_;
};

}  // namespace normbench

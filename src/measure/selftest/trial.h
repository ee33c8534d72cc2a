/// Runs one row on one case.
#pragma once

#include <atomic>
#include <map>
#include <utility>

#include "measure/selftest/input.h"
#include "measure/selftest/judge.h"

namespace normbench::selftest {

/// The instruction sets and the largest team with which a place is tested.
struct Equipment {
  std::vector<std::string> simd = {""};  // instruction sets to force; "": the one in use
  int threads = 3;                       // threads in the largest team
};

/// The place of the tested rows: its queues, and the backends that own memory.
class Lab {
 public:
  Lab(const Backends& backends, Backend& backend, Equipment equipment = {},
      const std::atomic<bool>* interrupted = nullptr)
      : equipment(std::move(equipment)),
        backends_(backends),
        backend_(backend),
        interrupted_(interrupted) {}

  const Equipment equipment;

  Backend& backend() const { return backend_; }
  Backend& owner(Memory memory) const { return backends_.owner(memory); }
  /// Returns the place's queue for a team that uses exactly this many threads, however small the
  /// work.
  Queue& queue(int threads);
  /// Makes all queues anew after a row threw, and checks that the device still works.
  void recover();
  /// Why the device could not be recovered; nothing while it works.
  const std::optional<std::string>& lost() const { return lost_; }
  /// True when no more cases are run: the device is lost, or the test is interrupted.
  bool is_over() const { return lost_.has_value() || (interrupted_ != nullptr && *interrupted_); }

 private:
  const Backends& backends_;
  Backend& backend_;
  std::map<int, std::unique_ptr<Queue>> queues_;
  std::optional<std::string> lost_;
  const std::atomic<bool>* const interrupted_;
};

/// Drains the queue in its destructor, so that memory may be freed even if a row threw.
class Settled {
 public:
  explicit Settled(Queue& queue) : queue_(queue) {}
  ~Settled();
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  Queue& queue_;
};

/// The conditions of a run. The row's results must have the same bits in all settings with the same
/// instruction set.
struct Setting {
  std::int64_t in_shift = 0, out_shift = 0;  // distance from the start of a cache line, in elements
  int threads = 1;
  std::byte poison{0xFF};  // what outputs and scratch memory held before
  bool guarded = true;     // false: no guard bytes around tensors
  bool captured = false;   // run as a graph
  std::string simd = {};   // "": the instruction set in use
};

/// Returns the sizes of the teams in settings().
std::vector<int> teams(bool quick, const Equipment& equipment);

/// Returns the settings of a case, grouped by instruction set. Unless `quick`, every instruction
/// set after the first has only two settings: one thread, and the largest team.
std::vector<Setting> settings(bool quick, bool captured, const Equipment& equipment);

/// A row bound to an op and its inputs.
struct Trial {
  const Kernel& kernel;
  const Op& op;
  std::span<const Input> inputs;  // the op's inputs; `unregister` takes the first one twice
  const Signature& signature;
  const std::vector<Exact>* exact;  // exact values of each output; null: they are undefined
};

/// Runs the row in all settings. Its outputs must be within their bounds and have the same bits in
/// every setting of an instruction set. It must write nothing outside of its tensors and not change
/// its inputs. Returns the error of the output nearest to its bound. Adds the number of runs to
/// `runs`. Exceptions of the row pass through.
Judged run_trial(Lab& lab, const Trial& trial, const std::vector<Setting>& all, std::int64_t& runs);

}  // namespace normbench::selftest

/// One row on one case.
#pragma once

#include <atomic>
#include <map>
#include <utility>

#include "measure/selftest/input.h"
#include "measure/selftest/judge.h"

namespace normbench::selftest {

/// What a place offers besides its rows.
struct Equipment {
  std::vector<std::string> simd = {""};  // instruction sets to force; "": as it is
  int threads = 3;                       // of the largest team
};

/// The place of the rows under test: its queues, and who owns the memory.
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
  /// The place's queue with this team, which even the smallest work has.
  Queue& queue(int threads);
  /// After a row threw: makes the queues anew and checks that the device still works.
  void recover();
  /// Why the device could not be recovered, or nothing.
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

/// Drains the queue at its end, so that memory may be freed, even when a row threw.
class Settled {
 public:
  explicit Settled(Queue& queue) : queue_(queue) {}
  ~Settled();
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  Queue& queue_;
};

/// What must not change a row's results; only the instruction set may, within their bounds.
struct Setting {
  std::int64_t in_shift = 0, out_shift = 0;  // elements past a cache line
  int threads = 1;
  std::byte poison{0xFF};  // what outputs and scratch memory held before
  bool guarded = true;     // false: allocations of just the tensors
  bool captured = false;   // run as a graph
  std::string simd = {};   // "": the instruction set in use
};

/// The sizes of the teams that settings have.
std::vector<int> teams(bool quick, const Equipment& equipment);

/// The settings of a case, instruction set by instruction set; but for the first one (unless
/// `quick`) only those with one thread and the largest team.
std::vector<Setting> settings(bool quick, bool captured, const Equipment& equipment);

/// A row bound to an op and its inputs.
struct Trial {
  const Kernel& kernel;
  const Op& op;
  std::span<const Input> inputs;  // unregister's second one is the first
  const Signature& signature;
  const std::vector<Exact>* exact;  // of each output; null: the values are undefined
};

/// Runs it in all settings. Outputs are right within their bounds, with the same bits in every
/// setting of an instruction set, with nothing written beside any tensor and the inputs as they
/// were. What is found is of the output nearest to its bound. `runs` counts up.
/// What the row throws passes through.
Judged run_trial(Lab& lab, const Trial& trial, const std::vector<Setting>& all, std::int64_t& runs);

}  // namespace normbench::selftest

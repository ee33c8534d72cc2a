/// Runs one kernel row (an implementation of an op) on one case, in several settings.
#pragma once

#include <atomic>
#include <map>
#include <utility>

#include "measure/selftest/input.h"
#include "measure/selftest/judge.h"

namespace normbench::selftest {

/// The instruction sets and the largest team with which a CPU is tested.
struct Equipment {
  std::vector<std::string> simd = {""};  // names of sets; "": the one in use
  int threads = 3;                       // threads in the largest team
};

/// The place (the CPU or a device) in which kernels are tested: its queues, and the backends that
/// own memory.
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
  /// Returns the queue of the place for a team of exactly this many threads. The team is not
  /// reduced for small work.
  Queue& queue(int threads);
  /// Call it after a kernel threw. Makes new queues, and tests whether the device still works.
  void recover();
  /// Returns why the device could not be recovered. Returns nothing while it works.
  const std::optional<std::string>& lost() const { return lost_; }
  /// Returns true if no further case may run, because the device is lost or the test is
  /// interrupted.
  bool is_over() const { return lost_.has_value() || (interrupted_ != nullptr && *interrupted_); }

 private:
  const Backends& backends_;
  Backend& backend_;
  std::map<int, std::unique_ptr<Queue>> queues_;
  std::optional<std::string> lost_;
  const std::atomic<bool>* const interrupted_;
};

/// Drains the queue in its destructor. So memory can be freed afterwards even if a kernel threw.
class Settled {
 public:
  explicit Settled(Queue& queue) : queue_(queue) {}
  ~Settled();
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  Queue& queue_;
};

/// The conditions of one run of a kernel. The outputs must have the same bits in all settings with
/// the same instruction set.
struct Setting {
  std::int64_t in_shift = 0, out_shift = 0;  // elements from a cache line's start to a tensor
  int threads = 1;
  std::byte poison{0xFF};  // value of all bytes of outputs and scratch memory before the run
  bool guarded = true;     // false: no guard bytes around tensors
  bool captured = false;   // true: the kernel runs as a CUDA graph
  std::string simd = {};   // "": the instruction set in use
};

/// Returns the team sizes that settings() uses.
std::vector<int> teams(bool quick, const Equipment& equipment);

/// Returns the settings of a case, grouped by instruction set. Without `quick`, each instruction
/// set after the first has only two settings: one with one thread, and one with the largest team.
std::vector<Setting> settings(bool quick, bool captured, const Equipment& equipment);

/// A kernel row, and the case on which it runs.
struct Trial {
  const Kernel& kernel;
  const Op& op;
  std::span<const Input> inputs;  // `unregister` gets the first one twice
  const Signature& signature;
  const std::vector<Exact>* exact;  // by output; null: the values are undefined
};

/// Runs a kernel in the settings `all`. Its outputs must be within their bounds, and must have the
/// same bits in all settings with the same instruction set. It must write nothing outside of its
/// tensors, and must not change its inputs. Ends at the first failure. Returns the error of the
/// element nearest to its bound, and the failure. Adds the number of runs to `runs`. Does not catch
/// exceptions of the kernel.
Judged run_trial(Lab& lab, const Trial& trial, const std::vector<Setting>& all, std::int64_t& runs);

}  // namespace normbench::selftest

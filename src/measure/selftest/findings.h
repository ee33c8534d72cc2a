/// The options and the results of the self-test.
#pragma once

#include <atomic>

#include "backend/backend.h"

namespace normbench::selftest {

/// The seed of all random inputs.
inline constexpr std::uint64_t seed = 1;

/// Which kernel rows (implementations of an op) to test, and on which cases.
struct Options {
  std::optional<Place> place = {};  // empty: every place
  std::string glob = {};            // pattern for "op/kernel", "op" or "kernel"; "": all
  bool quick = false;               // true: few and small tensors, for compute-sanitizer
  // True: tests tensors of more than 2^31 elements even with `quick`, and even if less than 64 GiB
  // of host memory are free.
  bool large = false;
  // The instruction sets on which CPU kernels are tested. Empty: only the one in use.
  std::vector<std::string> simd = {};
  int threads = 3;                                  // threads of the largest team, on a CPU
  std::int64_t host_bytes = 0;                      // free host memory; 0: unknown
  std::int64_t device_bytes = 0;                    // free device memory; 0: unknown
  std::function<void(std::string_view)> step = {};  // called before a step, like "cpu: normalize"
  const std::atomic<bool>* interrupted = nullptr;   // true: no further case is run
};

/// The results of one kernel row. A case is one op on certain inputs. Each case runs in several
/// settings, which differ in the instruction set, the number of threads, the addresses, and the
/// earlier contents of memory.
struct RowFinding {
  std::string op = {}, kernel = {};
  std::int64_t offered = 0;   // cases that were offered to the kernel row
  std::int64_t accepted = 0;  // cases that it accepted, and that were run
  std::int64_t runs = 0;
  // The number of failed cases. It is 1 larger if the kernel row accepted no case, or if the device
  // was lost before it got all cases.
  std::int64_t wrong = 0;
  // False: it did not get all cases, because of an interrupt or because the device was lost.
  bool finished = true;
  bool compared = false;  // false: the values of the op are undefined, so none were compared
  double max_error = 0, bound = 0;  // the error nearest to its bound, and this bound
  std::string worst = {};           // description of the case with that error
  std::string failure = {};         // description of the first failure; "": none
};

/// Tensors of more than 2^31 elements may use at most this share of the free memory.
inline constexpr double most_of_memory = 0.4;

/// A part of the self-test that was left out, and why.
struct NotTested {
  enum class Kind {
    NoCases,  // `kernel` is not tested, because `op` has no cases
    // The kernel rows were run only on some instruction sets, not on those in `missing` and
    // `unasked`, nor on those of other architectures.
    Simd,
    MemoryUnknown,  // large tensors (more than 2^31 elements), because free memory is unknown
    TooLarge,       // large tensors, because they need more than `most_of_memory` of free memory
    NotAsked,       // large tensors, because they need much memory and were not requested
    Interrupted,
    Failed,  // large tensors, because of `error`
  };

  Kind kind;
  std::string op = {}, kernel = {};
  std::vector<std::string> missing = {};  // instruction sets that this CPU does not have
  std::vector<std::string> unasked = {};  // instruction sets that were not requested
  std::int64_t need_bytes = 0, free_bytes = 0;
  std::string error = {};

  bool operator==(const NotTested&) const = default;
};

struct PlaceFinding {
  Place place = Place::Cpu;
  std::optional<std::string> unavailable = {};  // why nothing could run here
  // Why the device was lost. After that, nothing was run on it.
  std::optional<std::string> lost = {};
  std::vector<RowFinding> rows = {};
  // Only for a CPU: the instruction sets on which each kernel row was run. Empty: only the one in
  // use.
  std::vector<std::string> simd = {};
  std::vector<int> teams = {};  // only for a CPU: sizes of the thread teams
  std::vector<NotTested> notes = {};
};

struct Findings {
  bool quick = false;
  std::vector<PlaceFinding> places;
};

std::int64_t failed_rows(const PlaceFinding& place);
/// Returns the number of kernel rows that have no failure but were not run on all their cases.
std::int64_t unfinished_rows(const PlaceFinding& place);

}  // namespace normbench::selftest

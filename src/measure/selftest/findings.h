/// The options and the findings of the self-test.
#pragma once

#include <atomic>

#include "backend/backend.h"

namespace normbench::selftest {

/// The seed of all random inputs.
inline constexpr std::uint64_t seed = 1;

/// What to test, and how much.
struct Options {
  std::optional<Place> place = {};  // nothing: every place
  std::string glob = {};            // matches "op/kernel", "op" or "kernel"; "": all rows
  bool quick = false;               // only few and small tensors, for compute-sanitizer
  // Tests tensors of more than 2^31 elements even with `quick`, and even if less than 64 GiB of the
  // host's memory are free.
  bool large = false;
  std::vector<std::string> simd = {};  // instruction sets for CPU rows; empty: the one in use
  int threads = 3;                     // threads in the largest team of CPU rows
  std::int64_t host_bytes = 0;         // free memory of the host; 0: unknown
  std::int64_t device_bytes = 0;       // free memory of the device; 0: unknown
  std::function<void(std::string_view)> step = {};  // called before each step: "cpu: normalize"
  const std::atomic<bool>* interrupted = nullptr;   // when true, no further case is run
};

/// The findings on one row. A case is one op on one input. Each case runs in several settings,
/// which differ in instruction set, team, addresses, and previous contents of memory.
struct RowFinding {
  std::string op = {}, kernel = {};
  std::int64_t offered = 0;   // cases that the row was offered
  std::int64_t accepted = 0;  // how many of these cases the row accepts
  std::int64_t runs = 0;
  std::int64_t wrong = 0;  // cases that failed
  bool finished = true;    // false: interrupted, or the place was lost, before the last case
  bool compared = false;   // false: nothing was compared, because the op's values are undefined
  double max_error = 0, bound = 0;  // error and bound of the case nearest to its bound
  std::string worst = {};           // the case nearest to its bound, in words
  std::string failure = {};         // the first failure, in words; "": none
};

/// Tensors of more than 2^31 elements take at most this share of the free memory.
inline constexpr double most_of_memory = 0.4;

/// What the self-test left out, and why.
struct NotTested {
  enum class Kind {
    NoCases,  // `kernel` is not tested, since `op` has no cases
    // Instruction sets: those in `missing` and `unasked`, and those of other architectures.
    Simd,
    MemoryUnknown,  // large tensors (more than 2^31 elements): free memory is unknown
    TooLarge,       // large tensors need more than `most_of_memory` of the free memory
    NotAsked,       // large tensors need much of the free memory, and were not requested
    Interrupted,
    Failed,  // `error` is the reason
  };

  Kind kind;
  std::string op = {}, kernel = {};
  std::vector<std::string> missing = {};  // instruction sets that this CPU lacks
  std::vector<std::string> unasked = {};
  std::int64_t need_bytes = 0, free_bytes = 0;
  std::string error = {};

  bool operator==(const NotTested&) const = default;
};

struct PlaceFinding {
  Place place = Place::Cpu;
  std::optional<std::string> unavailable = {};  // why nothing ran here
  // Why the device was lost. Nothing more was run on it then.
  std::optional<std::string> lost = {};
  std::vector<RowFinding> rows = {};
  // The instruction sets on which each row was run; only for a CPU.
  std::vector<std::string> simd = {};
  std::vector<int> teams = {};  // the sizes of the teams; only for a CPU
  std::vector<NotTested> notes = {};
};

struct Findings {
  bool quick = false;
  std::vector<PlaceFinding> places;
};

std::int64_t failed_rows(const PlaceFinding& place);
/// Returns the number of rows without a failure that were not run on all their cases.
std::int64_t unfinished_rows(const PlaceFinding& place);

}  // namespace normbench::selftest

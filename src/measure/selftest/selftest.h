/// Holds every row of kernels to its op's reference: what `normbench selftest` runs.
#pragma once

#include <atomic>

#include "backend/backend.h"

namespace normbench::selftest {

/// The seed of all random inputs.
inline constexpr std::uint64_t seed = 1;

/// What to test, and how much.
struct Options {
  std::optional<Place> place = {};                  // nothing: every place
  std::string glob = {};                            // of "op/kernel", "op" or "kernel"; "" for all
  bool quick = false;                               // few small tensors, for compute-sanitizer
  bool large = false;                               // past 2^31 elements on any CPU; quick or not
  std::vector<std::string> simd = {};               // of CPU rows, one by one; none: the one in use
  int threads = 3;                                  // of the largest team of CPU rows
  std::int64_t host_bytes = 0;                      // free memory; 0 when unknown
  std::int64_t device_bytes = 0;                    // of the device, taken as free; likewise
  std::function<void(std::string_view)> step = {};  // told before each "cpu: normalize"
  const std::atomic<bool>* interrupted = nullptr;   // when true, the next case is the last one
};

/// What was found of a row. A case is one op on one input; it runs in several settings (instruction
/// sets, teams, addresses, what the memory held before).
struct RowFinding {
  std::string op = {}, kernel = {};
  std::int64_t offered = 0;   // cases that the op allows
  std::int64_t accepted = 0;  // of these, by the row
  std::int64_t runs = 0;
  std::int64_t wrong = 0;           // cases that failed
  bool finished = true;             // false: interrupted, or the place lost, before its last case
  bool compared = false;            // false: the op's values are undefined
  double max_error = 0, bound = 0;  // of the case nearest to its bound
  std::string worst = {};           // that case in words
  std::string failure = {};         // the first, in words; "" when all is right
};

/// Tensors of more than 2^31 elements take at most this share of the free memory.
inline constexpr double most_of_memory = 0.4;

/// What the self-test left out, and why.
struct NotTested {
  enum class Kind {
    NoCases,        // the row `kernel` of `op`: there are no cases for the op
    Simd,           // instruction sets: those of other CPUs, `missing` and `unasked`
    MemoryUnknown,  // tensors of more than 2^31 elements, here and below
    TooLarge,       // … need more than `most_of_memory` of what is free
    NotAsked,       // … need much of what is free, and were not asked for
    Interrupted,
    Failed,  // `error` says how
  };

  Kind kind;
  std::string op = {}, kernel = {};
  std::vector<std::string> missing = {};  // this CPU lacks them
  std::vector<std::string> unasked = {};
  std::int64_t need_bytes = 0, free_bytes = 0;
  std::string error = {};

  bool operator==(const NotTested&) const = default;
};

struct PlaceFinding {
  Place place = Place::Cpu;
  std::optional<std::string> unavailable = {};  // why nothing ran here
  std::optional<std::string> lost = {};         // why nothing ran here any more after some row
  std::vector<RowFinding> rows = {};
  std::vector<std::string> simd = {};  // instruction sets that each row was run on; a CPU's
  std::vector<int> teams = {};         // their sizes; a CPU's
  std::vector<NotTested> notes = {};
};

struct Findings {
  bool quick = false;
  std::vector<PlaceFinding> places;
};

/// How many rows failed.
std::int64_t failed_rows(const PlaceFinding& place);
/// How many rows have no failure so far, but were not run on all their cases.
std::int64_t unfinished_rows(const PlaceFinding& place);

/// Runs all rows that `options` choose, but the CPU's references, on inputs of every dtype and
/// layout: tiny, odd, strided, off a cache line, of a million elements and of more than 2^31; and
/// on values that are hard to round. Throws Invalid when the glob matches no row.
Findings run(const Backends& backends, const Options& options);

}  // namespace normbench::selftest

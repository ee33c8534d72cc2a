/// Makes example results for tests of the analysis and of reports. Their rounds are random numbers
/// with fixed seeds.
#pragma once

#include <string>
#include <vector>

#include "document/results.h"

namespace normbench::examples {

/// One stage of an example case.
struct StageSpec {
  std::string op;
  DType to = DType::Float32;
  OutputPolicy output = OutputPolicy::Reuse;
};

struct CaseSpec {
  std::string variant;
  double ms = 1;
  DType source = DType::Float32;
  std::vector<StageSpec> stages = {{"normalize"}};
  std::int64_t faults = 0;  // page faults per iteration
};

inline constexpr Shape shape{10, 3, 720, 1280};
inline constexpr int rounds = 20;
inline constexpr double noise = 0.005;  // rounds differ from `ms` by at most this share

/// Returns `count` rounds of `iterations` iterations each. An iteration takes a random time between
/// (1 - amplitude) * ms and (1 + amplitude) * ms. The same seed gives the same rounds.
std::vector<Round> make_rounds(double ms, std::uint64_t seed, int count = rounds,
                               double amplitude = noise, std::int64_t faults = 0,
                               std::int64_t iterations = 1);

/// Returns a case with status ok on a batch of `shape`. The variant's name is the seed of the
/// rounds.
CaseResult make_case(const CaseSpec& spec);

/// Returns the case of a limit that streams memory: it reads the bytes of a batch of dtype `source`
/// and writes the bytes of a batch of float32.
CaseResult make_limit(const std::string& name, double ms, DType source);

/// Returns a document with these groups, and with an example tool, environment, config and options.
Results make_results(const std::string& name, std::vector<GroupResult> groups);

Results blog();              // page faults explain the time of the baseline
Results blog_no_counters();  // as blog(), but every counter is 0
Results swept();             // three batches; the winner changes with the batch
Results published();         // published experiments, with a claim of each outcome
Results skipped_gpu();       // no driver: all cases are skipped
Results failed();            // one wrong output
Results unfair();            // outputs of different dtypes
Results tie();               // three cases, two of which do not differ
Results busy();              // other processes ran on the processor of one case
Results inconclusive();      // two cases too noisy to tell
Results quick();             // five rounds
Results interrupted();       // two groups of a sweep, then interrupted
Results traced();            // measured under a profiler
Results decoding();          // a load stage takes most of the time, files are left out
Results labelled();          // stages have labels, and two are in NVTX ranges
Results gpu();               // an example GPU: device times, limits of the link, throttled
Results gpu_device_clock();  // the same rounds as in gpu(), but ranked by device time
Results pinning();           // one case pins its source in each iteration
Results constants();         // constants per call or cached; one case has two fresh outputs
Results peers();             // a peer runs two variants; other peers failed or were skipped
Results why_slow();          // a peer with two allocators; one thread is at its limit
Results constants_reused();  // the variants of constants() with every output reused
Results pipelines();         // one pipeline in three cases: in turn, in flight, one host thread

/// Returns a sweep of `groups` batches with `variants` variants each, "v0" (the baseline) to the
/// slowest, whose times differ by 1 % of that of "v0".
Results many(int groups, int variants);

}  // namespace normbench::examples

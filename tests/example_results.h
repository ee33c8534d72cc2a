/// Makes example results for tests of the analysis and of reports. The times of the rounds are
/// random numbers with fixed seeds.
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
inline constexpr double noise = 0.005;  // largest relative deviation of a round from `ms`

/// Returns `count` rounds of `iterations` iterations each. An iteration takes a random time between
/// (1 - amplitude) * ms and (1 + amplitude) * ms. The same seed gives the same rounds.
std::vector<Round> make_rounds(double ms, std::uint64_t seed, int count = rounds,
                               double amplitude = noise, std::int64_t faults = 0,
                               std::int64_t iterations = 1);

/// Returns a case with status ok whose source has the shape `shape`. The seed of the rounds depends
/// only on the variant's name.
CaseResult make_case(const CaseSpec& spec);

/// Returns a case that measures a limit of the machine by streaming memory: it reads the bytes of a
/// batch of dtype `source` and writes the bytes of a batch of float32.
CaseResult make_limit(const std::string& name, double ms, DType source);

/// Returns a document (the results of a run) with these groups, and with an example tool,
/// environment, config and options.
Results make_results(const std::string& name, std::vector<GroupResult> groups);

Results blog();              // page faults explain the time of the baseline
Results blog_no_counters();  // as blog(), but every counter is 0
Results swept();             // three batch sizes; the fastest case depends on the batch size
Results published();         // published experiments; their claims have every outcome
Results skipped_gpu();       // no driver: all cases are skipped
Results failed();            // the output of one case is wrong
Results unfair();            // the cases have outputs of different dtypes
Results tie();               // three cases; two of them take the same time
Results own_code();          // the user's own loader, and the same loop with cached batches
Results busy();              // other processes used the processor in the rounds of one case
Results inconclusive();      // two cases whose intervals are too wide for a winner
Results quick();             // as blog(), but five rounds, as in a quick run
Results interrupted();       // a sweep that was interrupted after two of three groups
Results traced();            // as blog(), but a profiling tool was attached
Results decoding();          // a load stage takes most of the time; two files are left out
Results labelled();          // stages have labels, and two are in NVTX ranges
Results gpu();               // a throttled GPU, with device times and limits of the link
Results gpu_device_clock();  // the same rounds as in gpu(), but ranked by device time
Results pinning();           // one case pins its source in each iteration
Results constants();         // constants per call or cached; one case has two fresh outputs
Results peers();             // a peer (a library) runs two variants; others failed or were skipped
Results why_slow();          // three groups with a cause each: page faults, threads, bytes
Results constants_reused();  // the variants of constants() with every output reused
Results pipelines();         // three cases: items in turn, three in flight, three in one thread

/// Returns a sweep over the batch sizes 1 to `groups`. Each batch size has `variants` variants. The
/// baseline "v0" is the fastest. Each further variant takes longer than the one before it by 1 % of
/// the time of "v0".
Results many(int groups, int variants);

}  // namespace normbench::examples

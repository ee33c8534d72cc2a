/// Results as a run would leave them, with rounds from a fixed generator: what analysis and reports
/// are tested on.
#pragma once

#include <string>
#include <vector>

#include "document/results.h"

namespace normbench::examples {

/// One stage of a made-up case.
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
  std::int64_t faults = 0;  // per iteration
};

inline constexpr Shape shape{10, 3, 720, 1280};
inline constexpr int rounds = 20;
inline constexpr double noise = 0.005;  // a round lies within this of `ms`

/// `count` rounds of `iterations` within `amplitude` of `ms`, the same for the same seed.
std::vector<Round> make_rounds(double ms, std::uint64_t seed, int count = rounds,
                               double amplitude = noise, std::int64_t faults = 0,
                               std::int64_t iterations = 1);

/// An ok case on batches of `shape`; its rounds differ from those of other variants.
CaseResult make_case(const CaseSpec& spec);

/// "stream …" that reads and writes as many bytes as a case from `source` to float32.
CaseResult make_limit(const std::string& name, double ms, DType source);

/// Tool, environment, config and options around groups.
Results make_results(const std::string& name, std::vector<GroupResult> groups);

Results blog();              // page faults explain the baseline
Results blog_no_counters();  // the same times, every counter zero
Results swept();
/// Published experiments, with a claim of each outcome.
Results published();         // three batches, the winner changes
Results skipped_gpu();       // CPU stages run, GPU variants are skipped
Results failed();            // one wrong output
Results unfair();            // outputs of different dtypes
Results tie();               // two cases that do not differ
Results busy();              // others had the processor of one case
Results inconclusive();      // two cases too noisy to tell
Results quick();             // five rounds
Results interrupted();       // one of several groups
Results traced();            // under a profiler
Results decoding();          // a load stage that takes most of the time, files left out
Results labelled();          // stages with labels, in ranges
Results gpu();               // a made-up GPU: device times, limits of the link, clocks held back
Results gpu_device_clock();  // the same, ranked by device time
Results pinning();           // page-locking each time, against pageable and page-locked sources
Results constants();         // cached constants and a second fresh buffer change together
Results peers();             // two variants by a peer, others of peers that failed or were skipped
Results why_slow();          // a peer with a twin of another allocator; one thread at its limit
Results constants_reused();  // the same variants with every output reused
Results pipelines();         // a pipeline in turn, in flight, and by one host thread

}  // namespace normbench::examples

/// How two sides were measured: differences that forbid a comparison, and others that are reported.
#pragma once

#include <variant>

#include "document/results.h"

namespace normbench {

/// A fact about how a document was made. If a fact from Host to Config differs, the documents must
/// not be compared. If a fact after Config differs, the difference is only reported.
enum class SetupFact {
  Host,  // the host's name, or the name given with --machine
  Gpu,
  GpuDriver,
  Cpu,
  CpuFeatures,
  CpuCores,
  CpuCaches,
  Threads,
  InstructionSet,
  BuildType,
  Compiler,
  Sanitizers,
  Clock,
  Cache,
  Quick,
  Traced,
  ScaledDown,
  Config,
  CompilerFlags,
  Kernel,
  Microcode,
  Governor,
  HugePages,
  Memory,
  CudaRuntime,
  PcieGeneration,
  PcieWidth,
  GpuPowerLimit
};

/// A fact that differs between the documents.
struct SetupDifference {
  SetupFact fact;
  std::vector<Json> base, now;  // distinct values of each side; null: absent, or no GPU
  std::string pointer = {};     // JSON pointer into the config; only for Config

  bool forbids() const { return fact <= SetupFact::Config; }
};

/// Returns all facts that differ between any two documents. Memory sizes differ if they are 1 %
/// apart or more. A fact that all documents of a side lack is not compared. SetupFact::Traced is
/// also returned if all documents are traced, since traced documents must not be compared.
std::vector<SetupDifference> setup_differences(const std::vector<Results>& base,
                                               const std::vector<Results>& now);

/// Returns true if both sides' programs were built alike and use the same instruction set.
/// Otherwise their limits run different code.
bool built_alike(const std::vector<SetupDifference>& differences);

/// Returns the JSON pointers of values that differ between the configs or that only one config has.
/// The order of keys does not matter. Texts for people are ignored: any "about", and "question",
/// "ids", "claims" and "published" of an experiment.
std::vector<std::string> config_differences(const Json& a, const Json& b);

/// Further things that a reader should know about a comparison.
namespace caution {
struct SameDocument {};  // BASE and NEW are the same document
struct UnpairedRuns {
  std::size_t base, now;
};
struct Interrupted {
  bool of_base;
  std::size_t interrupted, runs;
};
struct NoTurns {};  // the runs of the two sides did not alternate
struct Busier {     // load averages, in tasks per thread
  double base, now;
};
struct FewRuns {  // too few pairs of runs, so rounds were compared
  int pairs;
};
}  // namespace caution
using Caution = std::variant<caution::SameDocument, caution::UnpairedRuns, caution::Interrupted,
                             caution::NoTurns, caution::Busier, caution::FewRuns>;

/// Returns cautions about runs without a partner, interrupted runs, sides that did not alternate,
/// and a machine that was much busier on one side.
std::vector<Caution> setup_cautions(const std::vector<Results>& base,
                                    const std::vector<Results>& now);

/// Returns false if the dates show that the runs of the two sides did not alternate.
bool took_turns(const std::vector<Results>& base, const std::vector<Results>& now);

/// The largest relative change that counts as no change, and the reason why it is not smaller.
struct Margin {
  enum class Reason { Least, Precision, Calibrated, TooFewRuns, NoTurns, Asked };
  double value = 0;
  Reason reason = Reason::Least;
};

/// Returns the largest of 2 %, the precision of the runs, and the calibrated difference between
/// fresh processes. The precision of a quick run counts only if its config sets it. In two cases
/// the margin is at least 5 %:
/// - The runs of the two sides did not alternate.
/// - `run_pairs` is false, and no document has a calibration with at least kFewestDifferences
///   differences (analysis/calibration.h).
Margin margin_of(const std::vector<Results>& base, const std::vector<Results>& now, bool run_pairs);

}  // namespace normbench

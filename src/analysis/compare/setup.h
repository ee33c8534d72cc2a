/// How two sides were measured: differences that forbid a comparison, and others to
/// mention.
#pragma once

#include <variant>

#include "document/results.h"

namespace normbench {

/// A fact of how documents came about. The facts up to Config forbid a comparison.
enum class SetupFact {
  Host,  // its name, or the one given to all hosts that count as one
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

/// A fact that differs between documents.
struct SetupDifference {
  SetupFact fact;
  std::vector<Json> base, now;  // each side's distinct values; null: absent, for Gpu: none
  std::string pointer = {};     // in the Config

  bool forbids() const { return fact <= SetupFact::Config; }
};

/// All facts that differ between any two documents, memory by 1 % or more. A fact that a document
/// lacks is not compared.
std::vector<SetupDifference> setup_differences(const std::vector<Results>& base,
                                               const std::vector<Results>& now);

/// True unless the two sides' programs were built or run for different instruction sets, by
/// different compilers or otherwise differently: then their limits are different code, too.
bool built_alike(const std::vector<SetupDifference>& differences);

/// Pointers of the values that differ between the configs, or stand in only one. The order of keys
/// does not count, nor do comments on a config and its results: any "about", and an experiment's
/// "question", "ids", "claims" and "published".
std::vector<std::string> config_differences(const Json& a, const Json& b);

/// Further things that a reader should know.
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
struct Busier {     // load in tasks per thread
  double base, now;
};
struct FewRuns {  // so few that rounds decide
  int pairs;
};
}  // namespace caution
using Caution =
    std::variant<caution::SameDocument, caution::UnpairedRuns, caution::Interrupted,
                 caution::NoTurns, caution::Busier, caution::FewRuns>;

/// Cautions: runs without a partner, interrupted runs, sides that did not take turns, a machine
/// that was much busier on one side.
std::vector<Caution> setup_cautions(const std::vector<Results>& base,
                                    const std::vector<Results>& now);

/// True unless the dates show that the runs of the two sides did not take turns.
bool took_turns(const std::vector<Results>& base, const std::vector<Results>& now);

/// The largest relative change that counts as none, and its reason.
struct Margin {
  enum class Reason { Least, Precision, Calibrated, TooFewRuns, NoTurns, Asked };
  double value = 0;
  Reason reason = Reason::Least;
};

/// The largest of 2 %, the precision that a config asks for, and the calibrated difference of fresh
/// processes. It is 5 % at least where runs are not pairs that took turns, unless
/// kFewestDifferences (analysis/calibration.h) show that difference.
Margin margin_of(const std::vector<Results>& base, const std::vector<Results>& now, bool run_pairs);

}  // namespace normbench

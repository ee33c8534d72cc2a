/// What two sides were measured with: the differences that forbid a comparison, and those that only
/// deserve a word.
#pragma once

#include <variant>

#include "document/results.h"

namespace normbench {

/// What documents say of how they came about. Those up to Config forbid a comparison.
enum class SetupFact {
  Host,  // its name, or the one that was given to it and to others that count as one with it
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

/// A fact that is not the same in all documents.
struct SetupDifference {
  SetupFact fact;
  std::vector<Json> base, now;  // each side's distinct values; null: absent, of the GPU: none
  std::string pointer = {};     // of the Config

  bool forbids() const { return fact <= SetupFact::Config; }
};

/// Every fact that differs between any two documents, memory by 1 % or more; what a document does
/// not say is not compared.
std::vector<SetupDifference> setup_differences(const std::vector<Results>& base,
                                               const std::vector<Results>& now);

/// True unless the two sides' programs were built, or run, for another instruction set, by another
/// compiler or otherwise: their limits are then other code, too.
bool built_alike(const std::vector<SetupDifference>& differences);

/// Pointers of the values that are not the same in both configs, or only in one. The order of keys
/// is no difference, nor is what people write of a config and its results: any "about", and an
/// experiment's "question", "ids", "claims" and "published".
std::vector<std::string> config_differences(const Json& a, const Json& b);

/// What a reader should know besides.
namespace caution {
struct SameDocument {};  // BASE and NEW are one
struct UnpairedRuns {
  std::size_t base, now;
};
struct Interrupted {
  bool of_base;
  std::size_t interrupted, runs;
};
struct NoTurns {};  // the runs of the two sides did not alternate
struct Busier {     // tasks a thread
  double base, now;
};
struct FewRuns {  // so that rounds decide
  int pairs;
};
}  // namespace caution
using Caution =
    std::variant<caution::SameDocument, caution::UnpairedRuns, caution::Interrupted,
                 caution::NoTurns, caution::Busier, caution::FewRuns>;

/// Runs without a partner, interrupted runs, sides that did not take turns, a machine that was much
/// busier on one side.
std::vector<Caution> setup_cautions(const std::vector<Results>& base,
                                    const std::vector<Results>& now);

/// True unless the dates say that the runs of the two sides did not take turns.
bool took_turns(const std::vector<Results>& base, const std::vector<Results>& now);

/// A relative change within this is none.
struct Margin {
  enum class Reason { Least, Precision, Calibrated, TooFewRuns, NoTurns, Asked };
  double value = 0;
  Reason reason = Reason::Least;
};

/// The largest of 2 %, the precision that a config asks for, and what fresh processes of the same
/// code differ by (calibrated). Where runs are no pairs that took turns, and that is not known of
/// kFewestDifferences (analysis/calibration.h): 5 % at least.
Margin margin_of(const std::vector<Results>& base, const std::vector<Results>& now, bool run_pairs);

}  // namespace normbench

/// What differs between two variants: one thing changed, or several.
#pragma once

#include <initializer_list>
#include <span>
#include <variant>

#include "document/results.h"

namespace normbench {

/// A dtype to start from, and whether the chain has a cast because of it.
struct SourceDType {
  DType dtype = DType::Float32;
  bool cast = false;

  bool operator==(const SourceDType&) const = default;
};

/// What a case has of a factor. Json: a parameter or an axis as written; null: the parameter's
/// default. Strings: ops.
using FactorValue = std::variant<bool, std::int64_t, std::string, Json, DType, SourceDType, Layout,
                                 Memory, Shape, Place, OutputPolicy, Constants, Wait,
                                 std::vector<std::string>, std::vector<OutputPolicy>>;

/// One thing that two cases do differently.
struct Factor {
  enum class Kind {
    SourceDType,
    SourceLayout,
    SourceShape,
    SourceMemory,
    SourceBytes,
    Ops,
    Parameter,
    Constants,
    Place,
    Kernel,
    Output,   // of a stage
    Outputs,  // of all stages
    Memory,
    DType,
    Layout,
    ResultDType,
    ResultLayout,
    Peer,
    Threads,
    InFlight,
    Submit,
    Servers,
    Wait,
    Graph,
    Axis
  };
  Kind kind;
  FactorValue left, right;               // what each of them has
  std::string name = {};                 // of a parameter or an axis
  std::vector<std::string> stages = {};  // labels, where not all stages that could differ do

  bool operator==(const Factor&) const = default;
};

/// All that differs between `a` and `b` by what was asked of them; empty when they do the same.
/// What follows from something else is no factor of its own: a place from where the data lies, an
/// inherited memory kind, a kernel that nobody chose or that a peer has, the cast that a source of
/// integers needs, an axis that shows in another factor than the peer. A peer allocates as its
/// library does, whatever is asked for but in place: its outputs are fresh where it faulted so.
std::vector<Factor> factors(const CaseResult& a, const CaseResult& b);

/// True for a peer on the host that faults on at least every second page of its result.
bool faults_on_result(const CaseResult& result);

/// True when the list has factors and all of them are about where outputs are written.
bool only_outputs(std::span<const Factor> factors);

/// The factor when it is the only one and of one of these kinds, else null.
const Factor* only_factor(std::span<const Factor> factors,
                          std::initializer_list<Factor::Kind> kinds);

}  // namespace normbench

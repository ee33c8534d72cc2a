/// The differences between two variants: one thing changed, or several.
#pragma once

#include <initializer_list>
#include <span>
#include <variant>

#include "document/results.h"

namespace normbench {

/// The dtype to start from, and whether the chain has a cast because of it that the other lacks.
struct SourceDType {
  DType dtype = DType::Float32;
  bool cast = false;

  bool operator==(const SourceDType&) const = default;
};

/// A case's value of a factor. Json: a parameter or an axis as written; null: the default. Strings:
/// ops.
using FactorValue = std::variant<bool, std::int64_t, std::string, Json, DType, SourceDType, Layout,
                                 Memory, Shape, Place, OutputPolicy, Constants, Wait,
                                 std::vector<std::string>, std::vector<OutputPolicy>>;

/// One thing that differs between two cases.
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
    Output,   // a stage's
    Outputs,  // all stages'
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
  FactorValue left, right;               // the values in the two cases
  std::string name = {};                 // the parameter's or the axis's
  std::vector<std::string> stages = {};  // labels, if only some stages differ that could

  bool operator==(const Factor&) const = default;
};

/// All differences between what was asked of `a` and `b`; empty when they do the same. What follows
/// from something else is no factor: a place from where the data lies, an inherited memory kind, a
/// kernel that nobody chose or that a peer has, the cast that a source of integers needs, an axis
/// that shows in a factor other than the peer. A peer allocates as its library does, unless in
/// place was asked for: its outputs count as fresh where it faulted so much.
std::vector<Factor> factors(const CaseResult& a, const CaseResult& b);

/// True if a peer ran the case on the host and had, in an iteration, at least one page fault for
/// each two pages of its result.
bool faults_on_result(const CaseResult& result);

/// True when the list has factors and all are about where outputs are written.
bool only_outputs(std::span<const Factor> factors);

/// The only factor, if it is of one of these kinds; else null.
const Factor* only_factor(std::span<const Factor> factors,
                          std::initializer_list<Factor::Kind> kinds);

}  // namespace normbench

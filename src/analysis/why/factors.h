/// The factors in which two cases differ.
#pragma once

#include <initializer_list>
#include <span>
#include <variant>

#include "document/results.h"

namespace normbench {

/// The dtype of a case's source. `cast`: the case has a cast of the source that the other case
/// lacks.
struct SourceDType {
  DType dtype = DType::Float32;
  bool cast = false;

  bool operator==(const SourceDType&) const = default;
};

/// The value of a factor in one case. Json holds a parameter or an axis as in the config; null
/// means the default. A list of strings holds ops, or lanes with their servers.
using FactorValue = std::variant<bool, std::int64_t, std::string, Json, DType, SourceDType, Layout,
                                 PixelFormat, Memory, Shape, Place, OutputPolicy, Constants, Wait,
                                 std::vector<std::string>, std::vector<OutputPolicy>>;

/// One difference between two cases.
struct Factor {
  enum class Kind {
    SourceDType,
    SourceLayout,
    SourcePixelFormat,
    SourceShape,
    SourceMemory,
    SourceBytes,
    Ops,
    Parameter,
    Constants,
    Place,
    Kernel,
    Output,   // output policy of some stages
    Outputs,  // output policy of all stages
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
  FactorValue left, right;  // values in the first and the second case
  std::string name = {};    // name of the parameter or the axis
  // Labels of the stages that differ in this factor. Empty if all stages that could differ do.
  std::vector<std::string> stages = {};

  bool operator==(const Factor&) const = default;
};

/// Returns all differences between what the config specifies for `a` and for `b`; an empty list if
/// there are none. Left out are differences that follow from others:
/// - a place that follows from the memory of the input;
/// - a memory kind that a stage inherits from its input;
/// - the kernel, if the config names it for neither case, or if the peers differ;
/// - a cast that only one case needs, because the dtypes of the sources differ;
/// - an axis, if a factor other than the peer was found.
/// The config does not specify the output policy of a peer. It is taken to be OutputPolicy::Fresh
/// if faults_on_result() is true for the case.
std::vector<Factor> factors(const CaseResult& a, const CaseResult& b);

/// Returns true if a peer ran the case on the host with many page faults: at least one per
/// iteration for every two pages of its result.
bool faults_on_result(const CaseResult& result);

/// Returns true if `factors` is not empty and all of them are about where outputs are written.
bool only_outputs(std::span<const Factor> factors);

/// Returns the factor if there is only one and it is of one of these kinds, else null.
const Factor* only_factor(std::span<const Factor> factors,
                          std::initializer_list<Factor::Kind> kinds);

}  // namespace normbench

#include "analysis/why/factors.h"

#include <algorithm>
#include <set>

#include "analysis/case_analysis.h"
#include "ops/cast.h"
#include "ops/op.h"

namespace normbench {
namespace {

using Kind = Factor::Kind;

constexpr double kPageBytes = 4096;  // the smallest page size

/// A stage that two cases have in common, with its input in each case.
struct Both {
  const StageResult* a;
  const StageResult* b;
  TensorDesc in_a, in_b;
};

void add(std::vector<Factor>& list, Kind kind, const FactorValue& left, const FactorValue& right,
         const std::string& name = "") {
  if (left != right) list.push_back({kind, left, right, name});
}

std::vector<TensorDesc> inputs(const CaseResult& result) {
  std::vector<TensorDesc> list{result.source.value_or(TensorDesc{})};
  for (const StageResult& stage : result.stages) list.push_back(stage.out);
  return list;
}

/// Returns the stages that two cases have in common, if all ops of one case occur in the other case
/// in the same order, possibly with further ops between them. Returns nothing otherwise.
std::optional<std::vector<Both>> side_by_side(const CaseResult& a, const CaseResult& b) {
  if (a.stages.size() > b.stages.size()) {
    auto swapped = side_by_side(b, a);
    if (swapped)
      for (Both& both : *swapped) both = {both.b, both.a, both.in_b, both.in_a};
    return swapped;
  }
  const std::vector<TensorDesc> in_a = inputs(a), in_b = inputs(b);
  std::vector<Both> list;
  for (std::size_t i = 0; i < b.stages.size(); ++i)
    if (const std::size_t next = list.size();
        next < a.stages.size() && a.stages[next].op == b.stages[i].op)
      list.push_back({&a.stages[next], &b.stages[i], in_a[next], in_b[i]});
  return list.size() == a.stages.size() ? std::optional(list) : std::nullopt;
}

/// Returns when a stage prepares its constants; Cached if the config does not set it.
Constants constants_of(const StageResult& stage) {
  for (const auto& [member, said] : stage.parameters.items())
    if (parameter_kind(member) == ParameterKind::Constants && said.is_string())
      return parse_word<Constants>(said.get_ref<const std::string&>()).value_or(Constants::Cached);
  return Constants::Cached;
}

/// Returns a parameter as it is in the config. If the config does not set it, returns the default
/// of constants, storage and flip, and null for any other parameter.
FactorValue parameter(const StageResult& stage, const std::string& member) {
  const ParameterKind kind = parameter_kind(member);
  if (kind == ParameterKind::Constants) return constants_of(stage);
  if (stage.parameters.contains(member)) return stage.parameters[member];
  if (kind == ParameterKind::Storage) return Json(name_of(Storage::Image));
  return kind == ParameterKind::Flip ? Json(name_of(Flip::None)) : Json();
}

/// Returns the names of the parameters that at least one of the two stages sets. Leaves out
/// parameters that decide a property of the output, such as its dtype. If the stages use different
/// kinds of storage, also leaves out the other parameters about files.
std::set<std::string> parameters(const Both& both) {
  std::set<std::string> members;
  bool other_storage = false;
  for (const StageResult* stage : {both.a, both.b})
    for (const auto& [member, value] : stage->parameters.items()) {
      const ParameterKind kind = parameter_kind(member);
      if (kind != ParameterKind::OfOutput) members.insert(member);
      other_storage |= kind == ParameterKind::Storage &&
                       parameter(*both.a, member) != parameter(*both.b, member);
    }
  if (other_storage)
    std::erase_if(members, [](const std::string& member) {
      return parameter_kind(member) == ParameterKind::Files;
    });
  return members;
}

/// If the values of `factor` in the two cases differ, adds it to `list` with the label of the stage
/// `both`. If `list` already has the same factor from another stage, adds only the label to that
/// factor.
void note(std::vector<Factor>& list, Factor factor, const Both& both) {
  if (factor.left == factor.right) return;
  const auto same = std::ranges::find_if(list, [&](const Factor& other) {
    return other.kind == factor.kind && other.name == factor.name && other.left == factor.left &&
           other.right == factor.right;
  });
  Factor& noted = same == list.end() ? list.emplace_back(std::move(factor)) : *same;
  noted.stages.push_back(both.a->label);
}

/// Adds the differences in where a stage runs and what it writes. Leaves out differences that
/// follow from differences of its input.
void note_place_and_output(const Both& both, std::vector<Factor>& list) {
  const StageResult &a = *both.a, &b = *both.b;
  const TensorDesc &in_a = both.in_a, &in_b = both.in_b;
  const bool data_moved = (in_a.memory == Memory::Device) != (in_b.memory == Memory::Device);
  if (!data_moved) note(list, {Kind::Place, a.place, b.place}, both);
  const bool is_chosen = a.forced || b.forced;  // false: the kernel follows from the input
  if (a.place == b.place && is_chosen) note(list, {Kind::Kernel, a.kernel, b.kernel}, both);
  note(list, {Kind::Output, a.output, b.output}, both);
  const bool inherited = a.out.memory == in_a.memory && b.out.memory == in_b.memory;
  if (a.place == b.place && !inherited)
    note(list, {Kind::Memory, a.out.memory, b.out.memory}, both);
  if (in_a.dtype == in_b.dtype) note(list, {Kind::DType, a.out.dtype, b.out.dtype}, both);
  // The layout of planes follows from their format.
  const bool has_layouts = !a.out.shape.is_ycbcr() && !b.out.shape.is_ycbcr();
  if (in_a.layout == in_b.layout && has_layouts)
    note(list, {Kind::Layout, a.out.layout, b.out.layout}, both);
}

/// Returns the number of stages that set the parameter of this factor in at least one case.
std::size_t carriers(const std::vector<Both>& stages, const Factor& factor) {
  const auto is_it = [&](const std::string& member) {
    return factor.kind == Kind::Constants ? parameter_kind(member) == ParameterKind::Constants
                                          : member == factor.name;
  };
  return static_cast<std::size_t>(std::ranges::count_if(
      stages, [&](const Both& both) { return std::ranges::any_of(parameters(both), is_it); }));
}

/// Adds the differences between the stages that both cases have. A factor lists its stages only if
/// there are other stages that could differ in it but do not.
void add_stage_factors(const std::vector<Both>& stages, std::vector<Factor>& list) {
  std::vector<Factor> differences;
  for (const Both& both : stages) {
    for (const std::string& member : parameters(both)) {
      Factor factor{Kind::Parameter, parameter(*both.a, member), parameter(*both.b, member),
                    member};
      if (parameter_kind(member) == ParameterKind::Constants)
        factor.kind = Kind::Constants, factor.name.clear();
      note(differences, std::move(factor), both);
    }
    note_place_and_output(both, differences);
  }
  for (Factor& factor : differences) {
    const bool everywhere = factor.stages.size() == stages.size() && stages.size() > 1;
    if (factor.kind == Kind::Output && everywhere) factor.kind = Kind::Outputs;
    if (factor.kind == Kind::Outputs || factor.stages.size() == carriers(stages, factor))
      factor.stages.clear();
    list.push_back(std::move(factor));
  }
}

/// Returns the distinct output policies of a case's stages. An in-place stage is left out, since
/// its op implies the policy.
std::vector<OutputPolicy> allocations(const CaseResult& result) {
  std::set<OutputPolicy> policies;
  for (const StageResult& stage : result.stages)
    if (stage.output != OutputPolicy::InPlace) policies.insert(stage.output);
  return {policies.begin(), policies.end()};
}

Constants constants(const CaseResult& result) {
  const bool per_call = std::ranges::any_of(result.stages, [](const StageResult& stage) {
    return constants_of(stage) == Constants::PerCall;
  });
  return per_call ? Constants::PerCall : Constants::Cached;
}

bool inherits_memory(const CaseResult& result) {
  return result.source && result.source->memory == outputs_of(result).front().memory;
}

/// Adds the differences between two cases whose ops differ. The stages are not compared one by one.
/// Instead, each case as a whole gives one value for how outputs are allocated, for when constants
/// are prepared, and for the dtype, layout and host memory of the result.
void add_chain_factors(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  add(list, Kind::Constants, constants(a), constants(b));
  add(list, Kind::Outputs, allocations(a), allocations(b));
  if (a.stages.empty() || b.stages.empty()) return;
  const TensorDesc left = outputs_of(a).front(), right = outputs_of(b).front();
  add(list, Kind::ResultDType, left.dtype, right.dtype);
  add(list, Kind::ResultLayout, left.layout, right.layout);
  const bool device = left.memory == Memory::Device || right.memory == Memory::Device;
  if (!device && !(inherits_memory(a) && inherits_memory(b)))
    add(list, Kind::Memory, left.memory, right.memory);
}

std::vector<std::string> ops(const CaseResult& result, bool casts) {
  std::vector<std::string> names;
  for (const StageResult& stage : result.stages)
    if (casts || stage.op != Cast::name) names.push_back(stage.op);
  return names;
}

/// Returns true if the sources have different dtypes. Older documents have no dtypes, so for them
/// the numbers of bytes are compared.
bool other_dtypes(const CaseResult& a, const CaseResult& b) {
  if (a.source && b.source) return a.source->dtype != b.source->dtype;
  return !a.source && !b.source && a.source_bytes != b.source_bytes;
}

/// Returns true if the sources have different dtypes and the ops differ only in casts.
bool cast_follows_source(const CaseResult& a, const CaseResult& b) {
  return other_dtypes(a, b) && ops(a, true) != ops(b, true) && ops(a, false) == ops(b, false);
}

SourceDType source_dtype(const CaseResult& result, const CaseResult& other) {
  return {.dtype = result.source->dtype,
          .cast = cast_follows_source(result, other) &&
                  ops(result, true).size() > ops(other, true).size()};
}

void add_source(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  if (a.source && b.source) {
    if (a.source->dtype != b.source->dtype)
      add(list, Kind::SourceDType, source_dtype(a, b), source_dtype(b, a));
    add(list, Kind::SourceLayout, a.source->layout, b.source->layout);
    Shape of_a = a.source->shape;
    const Shape& of_b = b.source->shape;
    add(list, Kind::SourcePixelFormat, of_a.format, of_b.format);
    of_a.format = of_b.format;
    add(list, Kind::SourceShape, of_a, of_b);
    add(list, Kind::SourceMemory, a.source->memory, b.source->memory);
  } else if (!a.source && !b.source) {
    add(list, Kind::SourceBytes, a.source_bytes, b.source_bytes);
  }
}

void add_stages(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  if (!cast_follows_source(a, b)) add(list, Kind::Ops, ops(a, true), ops(b, true));
  if (const auto stages = side_by_side(a, b))
    add_stage_factors(*stages, list);
  else
    add_chain_factors(a, b, list);
}

std::vector<OutputPolicy> found_allocations(const CaseResult& result) {
  return faults_on_result(result) ? std::vector{OutputPolicy::Fresh} : allocations(result);
}

bool is_of_allocation(const Factor& factor) {
  return factor.kind == Kind::Output || factor.kind == Kind::Outputs;
}

/// If different peers run the two cases, adds Kind::Peer and removes Kind::Kernel, because the peer
/// decides the kernels. If one of the cases has many page faults (faults_on_result), its outputs
/// count as fresh, regardless of its output policies.
void add_runner(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  if (a.peer == b.peer) return;
  std::erase_if(list, [](const Factor& factor) { return factor.kind == Kind::Kernel; });
  if (faults_on_result(a) || faults_on_result(b)) {
    std::erase_if(list, is_of_allocation);
    add(list, Kind::Outputs, found_allocations(a), found_allocations(b));
  }
  add(list, Kind::Peer, a.peer, b.peer);
}

/// Returns true if the value of an axis names the peer of the case.
bool names_peer(const Json& value, const CaseResult& result) {
  const Json peer = result.peer;
  return value == peer || (value.is_structured() && std::ranges::find(value, peer) != value.end());
}

/// Adds the axes with different values, if the cases differ in nothing else or only in the peer.
/// Leaves out axes that name the peer.
void add_axes(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  const auto is_peer = [](const Factor& factor) { return factor.kind == Kind::Peer; };
  if (!std::ranges::all_of(list, is_peer)) return;
  for (const auto& [axis, value] : a.axes.items())
    if (b.axes.contains(axis) && !(names_peer(value, a) && names_peer(b.axes[axis], b)))
      add(list, Kind::Axis, value, b.axes[axis], axis);
}

/// Returns the name and the number of servers, like "load=2", of each lane whose number of servers
/// is different in the other case.
std::vector<std::string> servers(const CaseResult& result, const CaseResult& other) {
  std::vector<std::string> lanes;
  for (const LaneResult& lane : result.pipeline->lanes) {
    const auto its = std::ranges::find(other.pipeline->lanes, lane.name, &LaneResult::name);
    if (its != other.pipeline->lanes.end() && its->servers != lane.servers)
      lanes.push_back(lane.name + "=" + std::to_string(lane.servers));
  }
  return lanes;
}

/// Adds a difference in the number of items in flight. If both cases have several items in flight,
/// adds a difference in how work is submitted. If both submit by lane, adds the lanes with
/// different numbers of servers.
void add_flight(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  const auto in_flight = [](const CaseResult& result) {
    return result.pipeline ? result.pipeline->in_flight : 1;
  };
  add(list, Kind::InFlight, in_flight(a), in_flight(b));
  if (in_flight(a) == 1 || in_flight(b) == 1) return;
  add(list, Kind::Submit, std::string(name_of(a.pipeline->submit)),
      std::string(name_of(b.pipeline->submit)));
  const bool by_lanes = a.pipeline->submit == Submit::Lane && b.pipeline->submit == Submit::Lane;
  if (by_lanes) add(list, Kind::Servers, servers(a, b), servers(b, a));
}

}  // namespace

std::vector<Factor> factors(const CaseResult& a, const CaseResult& b) {
  std::vector<Factor> list;
  add_source(a, b, list);
  add_stages(a, b, list);
  add_runner(a, b, list);
  add(list, Kind::Threads, std::int64_t{a.threads}, std::int64_t{b.threads});
  add_flight(a, b, list);
  if (a.wait && b.wait) {
    add(list, Kind::Wait, *a.wait, *b.wait);
    add(list, Kind::Graph, a.graph, b.graph);
  }
  add_axes(a, b, list);
  return list;
}

bool faults_on_result(const CaseResult& result) {
  if (result.peer.empty() || uses_gpu(result) || !measured(result)) return false;
  const double faults = faults_per_iteration(result);
  return faults >= 1 && 2 * kPageBytes * faults >= static_cast<double>(result.result_bytes);
}

bool only_outputs(std::span<const Factor> factors) {
  return !factors.empty() && std::ranges::all_of(factors, is_of_allocation);
}

const Factor* only_factor(std::span<const Factor> factors,
                          std::initializer_list<Factor::Kind> kinds) {
  if (factors.size() != 1) return nullptr;
  return std::ranges::find(kinds, factors[0].kind) == kinds.end() ? nullptr : &factors[0];
}

}  // namespace normbench

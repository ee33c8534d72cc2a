#include "analysis/stage_factors.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/words.h"

namespace normbench {

namespace {

/// One thing that stages differ in, and which ones.
struct Difference {
  std::string what, left, right;
  std::vector<std::string> stages;
};

/// Parameters of which the output tells more than the text.
constexpr auto seen_in_output = std::to_array<std::string_view>({"to", "dtype", "layout"});

/// What goes into each stage.
std::vector<TensorDesc> inputs(const CaseResult& result) {
  std::vector<TensorDesc> list{result.source.value_or(TensorDesc{})};
  for (const StageResult& stage : result.stages) list.push_back(stage.out);
  return list;
}

/// What a stage has for a parameter that the config does not mention.
std::string unsaid(const std::string& member) {
  if (member == "constants") return std::string(name_of(Constants::Cached));
  if (member == "flip") return std::string(name_of(Flip::None));
  return "default";
}

std::string parameter(const StageResult& stage, const std::string& member) {
  return stage.parameters.contains(member) ? axis_value(stage.parameters[member]) : unsaid(member);
}

/// Parameters that one of the stages mentions, but for those that show in the output.
std::set<std::string> parameters(const Both& both) {
  std::set<std::string> members;
  for (const StageResult* stage : {both.a, both.b})
    for (const auto& [member, value] : stage->parameters.items())
      if (std::ranges::find(seen_in_output, member) == seen_in_output.end()) members.insert(member);
  return members;
}

/// Notes one stage's difference; those of other stages that are alike are the same thing.
void note(std::vector<Difference>& list, const std::string& what, const std::string& left,
          const std::string& right, const Both& both) {
  if (left == right) return;
  const auto same = std::ranges::find_if(list, [&](const Difference& other) {
    return other.what == what && other.left == left && other.right == right;
  });
  if (same == list.end())
    list.push_back({what, left, right, {both.a->label}});
  else
    same->stages.push_back(both.a->label);
}

template <class E>
void note_words(std::vector<Difference>& list, const std::string& what, E left, E right,
                const Both& both) {
  note(list, what, std::string(name_of(left)), std::string(name_of(right)), both);
}

/// Where a stage runs and what it writes, unless that follows from what goes into it.
void note_place_and_output(const Both& both, std::vector<Difference>& list) {
  const StageResult &a = *both.a, &b = *both.b;
  const TensorDesc &in_a = both.in_a, &in_b = both.in_b;
  const bool data_moved = (in_a.memory == Memory::Device) != (in_b.memory == Memory::Device);
  if (!data_moved) note_words(list, "place", a.place, b.place, both);
  if (a.place == b.place && a.label != b.label) note(list, "kernel", a.kernel, b.kernel, both);
  note_words(list, "output", a.output, b.output, both);
  const bool inherited = a.out.memory == in_a.memory && b.out.memory == in_b.memory;
  if (a.place == b.place && !inherited)
    note_words(list, "memory", a.out.memory, b.out.memory, both);
  if (in_a.dtype == in_b.dtype) note_words(list, "dtype", a.out.dtype, b.out.dtype, both);
  if (in_a.layout == in_b.layout) note_words(list, "layout", a.out.layout, b.out.layout, both);
}

std::size_t carriers(const std::vector<Both>& stages, const std::string& what) {
  return static_cast<std::size_t>(std::ranges::count_if(
      stages, [&](const Both& both) { return parameters(both).contains(what); }));
}

/// "outputs", "constants", "output of div".
std::string name_of_difference(const Difference& difference, const std::vector<Both>& stages) {
  const std::string& what = difference.what;
  const std::vector<std::string>& where = difference.stages;
  if (what == "output" && where.size() == stages.size() && stages.size() > 1) return "outputs";
  if (where.size() == carriers(stages, what)) return what;
  return what + " of " + enumerate(where);
}

/// How the chain allocates its outputs: "fresh", "fresh and reuse". Which stage works in place is
/// part of its ops.
std::string allocations(const CaseResult& result) {
  std::set<std::string> policies;
  for (const StageResult& stage : result.stages)
    if (stage.output != OutputPolicy::InPlace) policies.emplace(name_of(stage.output));
  return enumerate(std::vector(policies.begin(), policies.end()));
}

std::string constants(const CaseResult& result) {
  const bool per_call = std::ranges::any_of(result.stages, [](const StageResult& stage) {
    return parameter(stage, "constants") == name_of(Constants::PerCall);
  });
  return std::string(name_of(per_call ? Constants::PerCall : Constants::Cached));
}

void add(std::vector<Factor>& list, const std::string& name, const std::string& left,
         const std::string& right) {
  if (left != right) list.push_back({name, left, right});
}

}  // namespace

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

void add_stage_factors(const std::vector<Both>& stages, std::vector<Factor>& list) {
  std::vector<Difference> differences;
  for (const Both& both : stages) {
    for (const std::string& member : parameters(both))
      note(differences, member, parameter(*both.a, member), parameter(*both.b, member), both);
    note_place_and_output(both, differences);
  }
  for (const Difference& difference : differences)
    list.push_back({name_of_difference(difference, stages), difference.left, difference.right});
}

void add_chain_factors(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  add(list, "constants", constants(a), constants(b));
  add(list, "outputs", allocations(a), allocations(b));
  if (a.stages.empty() || b.stages.empty()) return;
  const TensorDesc &left = a.stages.back().out, &right = b.stages.back().out;
  add(list, "dtype of the result", std::string(name_of(left.dtype)),
      std::string(name_of(right.dtype)));
  add(list, "layout of the result", std::string(name_of(left.layout)),
      std::string(name_of(right.layout)));
}

}  // namespace normbench

#include "analysis/factors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/stage_factors.h"
#include "analysis/words.h"

namespace normbench {

namespace {

constexpr std::size_t kReadable = 32;  // characters of a value

void add(std::vector<Factor>& list, const std::string& name, const std::string& left,
         const std::string& right) {
  if (left != right) list.push_back({name, left, right});
}

template <class E>
std::string word(E value) {
  return std::string(name_of(value));
}

std::string extents(const Shape& shape) {
  return fmt::format("{}x{}x{}x{}", shape.n, shape.c, shape.h, shape.w);
}

std::vector<std::string> ops(const CaseResult& result, bool casts) {
  std::vector<std::string> names;
  for (const StageResult& stage : result.stages)
    if (casts || stage.op != "cast") names.push_back(stage.op);
  return names;
}

/// True when they start from other dtypes, as far as that is known: older documents have bytes
/// only.
bool other_dtypes(const CaseResult& a, const CaseResult& b) {
  if (a.source && b.source) return a.source->dtype != b.source->dtype;
  return !a.source && !b.source && a.source_bytes != b.source_bytes;
}

/// True when the only stages that one of them has more are the casts that its source needs.
bool cast_follows_source(const CaseResult& a, const CaseResult& b) {
  return other_dtypes(a, b) && ops(a, true) != ops(b, true) && ops(a, false) == ops(b, false);
}

std::string source_dtype(const CaseResult& result, const CaseResult& other) {
  const bool cast =
      cast_follows_source(result, other) && ops(result, true).size() > ops(other, true).size();
  return word(result.source->dtype) + (cast ? " and its cast" : "");
}

void add_source(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  if (a.source && b.source) {
    add(list, "dtype of the source", source_dtype(a, b), source_dtype(b, a));
    add(list, "layout of the source", word(a.source->layout), word(b.source->layout));
    add(list, "size of the source", extents(a.source->shape), extents(b.source->shape));
    add(list, "memory of the source", word(a.source->memory), word(b.source->memory));
  } else if (!a.source && !b.source) {
    add(list, "bytes of the source", std::to_string(a.source_bytes),
        std::to_string(b.source_bytes));
  }
}

void add_stages(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  if (!cast_follows_source(a, b))
    add(list, "ops", fmt::format("{}", fmt::join(ops(a, true), ", ")),
        fmt::format("{}", fmt::join(ops(b, true), ", ")));
  if (const auto stages = side_by_side(a, b))
    add_stage_factors(*stages, list);
  else
    add_chain_factors(a, b, list);
}

void add_axes(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  for (const auto& [axis, value] : a.axes.items())
    if (b.axes.contains(axis)) add(list, axis, axis_value(value), axis_value(b.axes[axis]));
}

std::string runner(const CaseResult& result) {
  return result.peer.empty() ? "normbench" : result.peer;
}

/// Who runs the stages. Which kernels it has for that follows from it.
void add_runner(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list) {
  if (a.peer == b.peer) return;
  std::erase_if(list, [](const Factor& factor) {
    return factor.name == "kernel" || factor.name.starts_with("kernel of ");
  });
  add(list, "peer", runner(a), runner(b));
}

}  // namespace

std::vector<Factor> factors(const CaseResult& a, const CaseResult& b) {
  std::vector<Factor> list;
  add_source(a, b, list);
  add_stages(a, b, list);
  add_runner(a, b, list);
  add(list, "threads", std::to_string(a.threads), std::to_string(b.threads));
  if (a.wait && b.wait) {
    add(list, "wait", std::string(name_of(*a.wait)), std::string(name_of(*b.wait)));
    add(list, "graph", a.graph ? "yes" : "no", b.graph ? "yes" : "no");
  }
  if (list.empty()) add_axes(a, b, list);
  return list;
}

std::string factor_text(const Factor& factor) {
  if (std::max(factor.left.size(), factor.right.size()) > kReadable) return factor.name;
  const bool lists = (factor.left + factor.right).find(',') != std::string::npos;
  return fmt::format("{} ({}{}{})", factor.name, factor.left, lists ? " | " : ", ", factor.right);
}

std::string factor_names(std::span<const Factor> factors) {
  std::vector<std::string> names;
  for (const Factor& factor : factors) names.push_back(factor.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool only_outputs(std::span<const Factor> factors) {
  return !factors.empty() && std::ranges::all_of(factors, [](const Factor& factor) {
    return factor.name.starts_with("output");
  });
}

const Factor* only_factor(std::span<const Factor> factors, const std::string& name) {
  if (factors.size() != 1) return nullptr;
  const bool is_it = factors[0].name == name || factors[0].name.starts_with(name + " of ");
  return is_it ? &factors[0] : nullptr;
}

}  // namespace normbench

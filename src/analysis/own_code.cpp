#include "analysis/own_code.h"

#include <algorithm>

#include "analysis/case_analysis.h"
#include "document/batch_shape.h"

namespace normbench {
namespace {

bool is_cached(const CaseResult& result) {
  const Json& parameters = result.stages.front().parameters;
  return parameters.is_object() && parameters.value("cached", Json()) == Json(true);
}

bool has_own_loader(const CaseResult& result) {
  if (result.stages.empty()) return false;
  const Roles& roles = roles_of(result.stages.front());
  return roles.own_code && roles.starts;
}

/// Returns true if the cases differ at most in the stage that gives the batches.
bool is_same_loop(const CaseResult& a, const CaseResult& b) {
  const auto is_same = [](const StageResult& one, const StageResult& other) {
    return one.op == other.op && one.label == other.label && one.parameters == other.parameters &&
           one.place == other.place;
  };
  return a.peer == b.peer && a.threads == b.threads &&
         std::equal(a.stages.begin() + 1, a.stages.end(), b.stages.begin() + 1, b.stages.end(),
                    is_same);
}

std::vector<std::int64_t> extents(const TensorDesc& desc, Layout layout) {
  const auto [n, c, h, w] = desc.shape.extents();
  if (layout == Layout::Nchw) return {n, c, h, w};
  return {n, h, w, c};
}

/// Returns the last of the stages that are the user's own code and make an array, or null.
const StageResult* giving_stage(const CaseResult& result) {
  const StageResult* giving = nullptr;
  for (const StageResult& stage : result.stages)
    if (roles_of(stage).own_code && !roles_of(stage).passes_through) giving = &stage;
  return giving;
}

}  // namespace

std::optional<TensorDesc> said_to_give(const CaseResult& result) {
  const StageResult* const stage = giving_stage(result);
  return stage == nullptr ? std::nullopt : std::optional(stage->out);
}

UnlikeSaid unlike_said(const CaseResult& result) {
  const StageResult* const stage = giving_stage(result);
  if (stage == nullptr || !result.given) return {};
  const TensorDesc& said = stage->out;
  const GivenResult& given = *result.given;
  const auto states = [&](const char* member) { return stage->parameters.contains(member); };
  const std::vector<std::int64_t> shape = batch_shape(given);
  const bool is_planes = shape == extents(said, Layout::Nchw),
             is_pixels = shape == extents(said, Layout::Nhwc);
  const bool is_channels_last = given.order == ArrayOrder::ChannelsLast;
  const bool is_contiguous = given.order == ArrayOrder::Contiguous;
  UnlikeSaid unlike{.dtype = states("dtype") && given.dtype != name_of(said.dtype),
                    .shape = !is_planes && !is_pixels,
                    .pinned = is_page_locked(said.memory) && !given.pinned};
  if (shape.size() != 4)
    unlike.shape =
        shape.empty() || shape.front() != said.shape.n || given.elements() != said.elements();
  else if (!unlike.shape && states("layout"))
    unlike.layout = said.layout == Layout::Nchw
                        ? !(is_planes && is_contiguous)
                        : !(is_pixels && is_contiguous) && !(is_planes && is_channels_last);
  return unlike;
}

double times_uint8(const GivenResult& given) {
  const auto elements = static_cast<double>(std::max<std::int64_t>(1, given.elements()));
  return static_cast<double>(given.bytes) / elements;
}

std::vector<Headspace> headspaces(const GroupResult& group, const Pairs& pairs,
                                  const Results& results) {
  std::vector<Headspace> found;
  const auto& cases = group.cases;
  for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
    if (!measured(cases[i]) || !has_own_loader(cases[i]) || is_cached(cases[i])) continue;
    for (int j = 0; j < static_cast<int>(cases.size()); ++j) {
      if (!measured(cases[j]) || !has_own_loader(cases[j]) || !is_cached(cases[j])) continue;
      const std::optional<Pair> pair = pairs.of(i, j);
      if (!pair || !is_same_loop(cases[i], cases[j])) continue;
      const auto share = [](double ratio) { return std::max(0.0, 1 - 1 / ratio); };
      const double at_most = pair->ratio.high * (1 + pair->process_effect);
      found.push_back(
          {.loader = i,
           .cached = j,
           .share = {share(pair->ratio.value), share(pair->ratio.low), share(pair->ratio.high)},
           .ns = median_ns(cases[i], results),
           .cached_ns = median_ns(cases[j], results),
           .at_most = share(at_most),
           .covered = pair->covered,
           .different = pair->different});
      break;
    }
  }
  return found;
}

}  // namespace normbench

#include "analysis/why/parts.h"

#include <algorithm>

#include "analysis/case_analysis.h"
#include "ops/load.h"

namespace normbench {
namespace {

/// Returns false for a stage that loads files of raw pixels.
bool decodes(const StageResult& stage) {
  const Json& said = value_at(stage.parameters, "/storage");
  return !said.is_string() ||
         parse_word<Storage>(said.get_ref<const std::string&>()) == Storage::Image;
}

Resource resource_of(const StageResult& stage) {
  if (roles_of(stage).files == FileUse::Reads)
    return decodes(stage) ? Resource::Decode : Resource::Reading;
  if (stage.link_bytes > 0) return Resource::Link;
  if (page_locks(stage)) return Resource::Pinning;
  return stage.place == Place::Cuda ? Resource::Gpu : Resource::Cpu;
}

/// Returns the share of a stage in the case's time. For a stage that page-locks memory, it is the
/// share of the stage's calls, since the host does that work.
double share_of(const CaseResult& result, const StageResult& stage) {
  if (!page_locks(stage) || stage.calls_ns.empty()) return stage_share(result, stage);
  StageResult host = stage;
  host.rounds_ns = stage.calls_ns;
  return stage_share(result, host);
}

}  // namespace

std::vector<ResourceShare> parts(const CaseResult& result) {
  std::vector<ResourceShare> list;
  for (const StageResult& stage : result.stages) {
    const Resource resource = resource_of(stage);
    auto part = std::ranges::find(list, resource, &ResourceShare::resource);
    if (part == list.end()) part = list.insert(list.end(), ResourceShare{resource});
    part->stages.push_back(stage.label);
    part->share += share_of(result, stage);
  }
  if (std::ranges::all_of(list, [](const ResourceShare& part) { return part.share <= 0; }))
    return {};
  std::ranges::stable_sort(list, std::greater(), &ResourceShare::share);
  return list;
}

std::optional<Gain> gain_beside(const CaseResult& result, Resource resource) {
  const std::vector<ResourceShare> list = parts(result);
  const auto part = std::ranges::find(list, resource, &ResourceShare::resource);
  const auto other = std::ranges::find_if(
      list, [&](const ResourceShare& one) { return one.resource != resource && one.share > 0; });
  if (part == list.end() || other == list.end()) return std::nullopt;
  return Gain{*part, other->resource};
}

bool page_locks(const StageResult& stage) { return roles_of(stage).locks != PageLocking::None; }

}  // namespace normbench

#include "analysis/amdahl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/case_analysis.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

/// What "a faster …" of a resource is.
struct Faster {
  std::string_view resource, noun;
};
constexpr auto faster_nouns = std::to_array<Faster>({{"link", "link"},
                                                     {"CPU", "stage on the CPU"},
                                                     {"GPU", "kernel"},
                                                     {"decode", "decoder"},
                                                     {"pinning", "way to pin"}});

bool pins(const StageResult& stage) {
  return stage.op == "pin" || stage.op == "register" || stage.op == "unregister";
}

std::string resource_of(const StageResult& stage) {
  if (stage.op == "load") return "decode";
  if (stage.link_bytes > 0) return "link";
  if (pins(stage)) return "pinning";
  return stage.place == Place::Cuda ? "GPU" : "CPU";
}

/// The share of a stage; of those that pin it is the host that does the work, in its call.
double share_of(const CaseResult& result, const StageResult& stage) {
  if (!pins(stage) || stage.calls_ns.empty()) return stage_share(result, stage);
  StageResult host = stage;
  host.rounds_ns = stage.calls_ns;
  return stage_share(result, host);
}

/// The largest part of another resource; null for none.
const Part* largest_other(const std::vector<Part>& list, const std::string& resource) {
  const auto other = std::ranges::find_if(
      list, [&](const Part& part) { return part.resource != resource && part.share > 0; });
  return other == list.end() ? nullptr : &*other;
}

std::string work_text(const std::string& resource, const std::vector<std::string>& labels) {
  if (resource == "link") return labels.size() == 1 ? "the copy" : "copies";
  if (resource == "decode") return "loading the images";
  return enumerate(labels);
}

}  // namespace

std::vector<Part> parts(const CaseResult& result) {
  std::vector<Part> list;
  std::vector<std::vector<std::string>> labels;
  for (const StageResult& stage : result.stages) {
    const std::string resource = resource_of(stage);
    auto part = std::ranges::find(list, resource, &Part::resource);
    if (part == list.end()) {
      part = list.insert(list.end(), {.resource = resource, .work = ""});
      labels.emplace_back();
    }
    part->share += share_of(result, stage);
    labels[static_cast<std::size_t>(part - list.begin())].push_back(stage.label);
  }
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i].work = work_text(list[i].resource, labels[i]);
  if (std::ranges::all_of(list, [](const Part& part) { return part.share <= 0; })) return {};
  std::ranges::stable_sort(list, std::greater(), &Part::share);
  return list;
}

std::optional<std::string> gain_at_most(const CaseResult& result, const std::string& resource) {
  const std::vector<Part> list = parts(result);
  const auto part = std::ranges::find(list, resource, &Part::resource);
  const Part* other = largest_other(list, resource);
  if (part == list.end() || other == nullptr) return std::nullopt;
  const double share = std::min(1.0, part->share);
  const auto noun = std::ranges::find(faster_nouns, other->resource, &Faster::resource);
  return fmt::format("{} of its time is {}, so a faster {} gains at most {}.",
                     format_percent(share), part->work, noun->noun, format_percent(1 - share));
}

}  // namespace normbench

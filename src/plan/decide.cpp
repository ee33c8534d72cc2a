#include "plan/decide.h"

#include <algorithm>
#include <limits>

#include "plan/composed.h"
#include "plan/wiring.h"

namespace normbench {
namespace {

/// Connects stages up to the first mistake, which is added to the issues.
void wire(const VariantText& text, const std::vector<std::optional<StageSpec>>& specs,
          Wiring& wiring, std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i]) return;
    const Composed& members = text.stages[i].members;
    try {
      wiring.add(*specs[i]);
    } catch (const StageMistake& mistake) {
      issues.push_back({members.where(mistake.member), mistake.text});
      return;
    } catch (const Invalid& mistake) {
      issues.push_back({members.pointer, mistake.what()});
      return;
    }
  }
}

int read_threads(Reader& reader, int all) {
  const Json& said = reader.member("threads");
  if (!said.is_string())
    return static_cast<int>(reader.integer("threads", 1, 1, std::numeric_limits<int>::max()));
  if (said != "all") reader.complain_at("threads", wrong_type("an integer or \"all\"", said));
  return all;
}

/// Reads what a variant says beside its stages; `fits` is false when a mistake was found.
void read_options(const Composed& options, PlanContext& context, Case& decided) {
  const std::size_t before = context.issues.size();
  Reader reader(options.fields, options.pointer, context.issues);
  decided.threads = read_threads(reader, context.options.all_threads);
  decided.wait = reader.word("wait", decided.wait);
  decided.graph = reader.boolean("graph", false);
  const bool in_flight = reader.integer("in_flight", 1, 1, 1024) > 1;
  const std::string peer = reader.text("peer", "");
  reader.finish();
  if (!peer.empty() && std::ranges::find(context.peers, peer) == context.peers.end())
    reader.complain_at("peer", unknown("peer", peer, context.peers));
  options.relocate(std::span(context.issues).subspan(before));
  if (decided.skip) return;
  if (!peer.empty()) decided.skip = "peers are not supported by this version";
  if (in_flight && !decided.skip) decided.skip = "in_flight is not supported by this version";
}

}  // namespace

std::optional<Case> decide_case(const VariantText& text, PlanContext& context) {
  const std::size_t before = context.issues.size();
  const Paths paths{.base_dir = context.options.base_dir, .images_dir = context.options.images_dir};
  std::vector<std::optional<StageSpec>> specs;
  for (const StageText& stage : text.stages)
    specs.push_back(read_stage(stage, paths, context.resolved, context.issues));
  Wiring wiring(context.backends);
  wire(text, specs, wiring, context.issues);
  Case decided = wiring.take();
  read_options(text.options, context, decided);
  if (!text.whole || context.issues.size() > before) return std::nullopt;
  const auto on_gpu = [](const Stage& stage) { return stage.place == Place::Cuda; };
  if (decided.graph && std::ranges::none_of(decided.stages, on_gpu))
    context.issues.push_back({text.options.where("graph"), "graph needs stages on the GPU"});
  if (decided.stages.empty())
    context.issues.push_back({text.options.pointer, "has no stage after its source"});
  if (context.issues.size() > before) return std::nullopt;
  return decided;
}

}  // namespace normbench

#include "measure/empty_result.h"

#include <algorithm>

namespace normbench {

namespace {

/// A row of this process, or the one that a peer is asked for.
std::string kernel_of(const Stage& stage, bool by_peer) {
  if (by_peer) return stage.forced;
  return stage.kernel ? std::string(stage.kernel->name) : "";
}

StageResult stage_result(const Stage& stage, const TensorDesc& out, bool by_peer) {
  return {.op = std::string(name_of(stage.op)),
          .label = stage.label,
          .kernel = kernel_of(stage, by_peer),
          .place = stage.place,
          .out = out,
          .parameters = stage.parameters,
          .min_bytes = stage.fewest.read_bytes + stage.fewest.written_bytes,
          .min_read_bytes = stage.fewest.read_bytes,
          .bytes = stage.cost.read_bytes + stage.cost.written_bytes,
          .link_bytes = stage.cost.link_bytes,
          .flops = stage.cost.flops,
          .output = stage.output,
          .rounds_ns = {},
          .resident = stage.resident};
}

bool uses_gpu(const Case& work) {
  return std::ranges::any_of(work.stages,
                             [](const Stage& stage) { return stage.place == Place::Cuda; });
}

CaseResult case_result(const Case& work) {
  CaseResult result{.variant = work.variant,
                    .axes = work.axes,
                    .status = work.skip ? Status::Skipped : Status::Ok,
                    .reason = work.skip.value_or(""),
                    .threads = work.threads,
                    .threads_decided = work.threads_decided,
                    .wait = uses_gpu(work) ? std::optional(work.wait) : std::nullopt,
                    .graph = work.graph,
                    .peer = work.peer,
                    .resident = work.resident,
                    .images = work.values.front().desc.shape.n,
                    .source_bytes = fewest_read_bytes(work),
                    .result_bytes = work.result().bytes(),
                    .source = work.source ? std::optional(work.source->desc()) : std::nullopt,
                    .stages = {},
                    .rounds = {},
                    .check = {},
                    .notes = {}};
  for (const Stage& stage : work.stages)
    result.stages.push_back(
        stage_result(stage, work.values[stage.out.front()].desc, !work.peer.empty()));
  return result;
}

}  // namespace

GroupResult empty_result(const Group& group) {
  GroupResult result;
  result.experiment = group.experiment;
  result.question = group.question;
  result.point = group.point;
  result.baseline = group.baseline;
  for (const Case& work : group.cases) result.cases.push_back(case_result(work));
  for (const Case& work : group.limits) result.limits.push_back(case_result(work));
  for (const Published& row : group.published)
    result.published.push_back({.variant = row.variant,
                                .where = row.where,
                                .wall_ms = row.wall_ms,
                                .device_ms = row.device_ms});
  for (const Claim& claim : group.claims)
    result.claims.push_back({.text = claim.text,
                             .left = claim.left,
                             .relation = claim.relation,
                             .right = claim.right});
  return result;
}

}  // namespace normbench

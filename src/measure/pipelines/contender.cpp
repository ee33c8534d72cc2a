#include "measure/pipelines/contender.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "measure/stage_times.h"

namespace normbench {
namespace {

constexpr double marks_share = 0.005;

bool is_on_device(const Stage& stage) { return stage.place == Place::Cuda; }

/// The images that items start from: those with equal ones start from the same values. Empty where
/// they load none.
using Images = std::vector<std::size_t>;

std::function<Images(std::int64_t)> images_of(const Case& work) {
  const auto* const load = std::get_if<Load>(&work.stages.front().op);
  if (load == nullptr) return [](std::int64_t) { return Images(); };
  return [walk = load->walk()](std::int64_t item) { return walk.numbers_of(item); };
}

/// Gives `count` of the items, in order: the first and the last, and others that are drawn.
std::vector<std::int64_t> drawn_items(std::int64_t items, std::int64_t count,
                                      std::mt19937_64& random) {
  std::vector<std::int64_t> between, drawn{0, items - 1};
  for (std::int64_t item = 1; item + 1 < items; ++item) between.push_back(item);
  std::ranges::sample(between, std::back_inserter(drawn), count - 2, random);
  std::ranges::sort(drawn);
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  return drawn;
}

}  // namespace

PipelineContender::PipelineContender(const Case& work, GroupMemory& memory,
                                     const Backends& backends, Recorder& recorder, Clock& clock,
                                     std::mt19937_64& random, std::int64_t checked_items)
    : backends_(backends),
      clock_(clock),
      cold_files_(work),
      engine_(work, memory, backends, recorder, clock),
      random_(random()),
      checked_items_(checked_items) {
  engine_.place(random);
}

std::int64_t PipelineContender::first_call() {
  engine_.load_kernels();
  cold_files_.drop();
  const std::int64_t first_ns = engine_.run(1, {}).round.wall_ns;  // checks take time of their own
  run_checked(1, std::byte{0xFF});
  return first_ns;
}

void PipelineContender::last_call() {
  run_checked(engine_.work().pipeline->items, std::byte{0x55});
}

/// Keeps the outputs of some items; those of items that start from the same must be equal.
void PipelineContender::run_checked(std::int64_t items, std::byte poison) {
  kept_.clear();
  unlike_.reset();
  items_.assign(static_cast<std::size_t>(items), {});
  chosen_ = drawn_items(items, checked_items_, random_);
  if (engine_.work().pipeline->part) {
    engine_.run(items, {});
    return;
  }
  engine_.run(items, {.poison = Poison{poison}, .on_done = [&](Flight& flight) { keep(flight); }});
  compare_items();
}

void PipelineContender::compare_items() {
  if (items_.size() == 1) return;
  const auto loaded = images_of(engine_.work());
  std::map<std::pair<Images, const std::byte*>, std::int64_t> firsts;
  for (std::int64_t item = 0; item < std::ssize(items_) && !unlike_; ++item) {
    const Item& one = items_[static_cast<std::size_t>(item)];
    const std::int64_t first =
        firsts.emplace(std::pair(loaded(item), one.input), item).first->second;
    if (one.hash != items_[static_cast<std::size_t>(first)].hash) unlike_.emplace(first, item);
  }
}

void PipelineContender::keep(Flight& flight) {
  Kept kept{.item = flight.item(), .inputs = flight.stages().inputs(), .outputs = {}};
  std::size_t hash = 0;
  for (const View& view : flight.stages().outputs()) {
    auto& bytes = kept.outputs.emplace_back(static_cast<std::size_t>(view.desc.bytes()));
    backends_.owner(view.desc.memory).copy(bytes.data(), view.data, bytes.size());
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    hash = hash * 31 + std::hash<std::string_view>{}(text);
  }
  const bool is_checked = std::ranges::binary_search(chosen_, kept.item);
  if (is_checked) kept.wrong_file = flight.stages().why_not_saved();
  const std::byte* const input = kept.inputs.empty() ? nullptr : kept.inputs.front().data;
  const std::lock_guard lock(mutex_);
  items_[static_cast<std::size_t>(kept.item)] = {.input = input, .hash = hash};
  if (is_checked) kept_.push_back(std::move(kept));
}

CheckOutcome PipelineContender::check() {
  const Case& work = engine_.work();
  // Its stages are those of a variant, which is checked.
  CheckOutcome worst{.result = {.ok = true, .held_to = HeldTo::Nothing}, .reason = "", .note = ""};
  for (const Kept& kept : kept_) {
    std::vector<View> outputs;
    for (std::size_t i = 0; i < kept.outputs.size(); ++i) {
      TensorDesc desc = work.values[work.outputs[i]].desc;
      desc.memory = Memory::Pageable;
      outputs.push_back({.data = const_cast<std::byte*>(kept.outputs[i].data()), .desc = desc});
    }
    const bool is_end = kept.item == chosen_.front() || kept.item == chosen_.back();
    std::optional<ImageRange> only;  // all images of the first and the last item
    if (!is_end) only = drawn_image(work, random_);
    CheckOutcome outcome = check_output(work, kept.inputs, outputs, backends_, kept.item, 0, only);
    outcome.judge_files(kept.wrong_file);
    if (!outcome.result.ok) outcome.reason = fmt::format("item {}: {}", kept.item, outcome.reason);
    if (&kept == &kept_.front()) {
      worst = std::move(outcome);
    } else if (outcome.result.ok) {
      worst.result.add(outcome.result);
    } else {
      outcome.result.add(worst.result);
      worst = std::move(outcome);
    }
  }
  if (unlike_ && worst.result.ok) {
    worst.result.ok = false;
    worst.reason =
        fmt::format("wrong output: item {} differs from item {}, though both start from the same",
                    unlike_->second, unlike_->first);
  }
  return worst;
}

TurnShape PipelineContender::shape_of_turns(double clock_cost_ns) {
  const Case& work = engine_.work();
  TurnShape shape{.iterations = work.pipeline->items, .marks = true};
  if (!engine_.has_device()) return shape;
  const auto count = std::ranges::count_if(work.stages, is_on_device);
  const Flow flow = engine_.run(work.pipeline->in_flight, {});
  const double item_ns =
      static_cast<double>(flow.round.wall_ns) / static_cast<double>(work.pipeline->in_flight);
  const double marks_ns =
      2 * static_cast<double>(count) * (mark_cost_ns(engine_.device(), clock_) + clock_cost_ns);
  shape.marks = marks_ns < marks_share * item_ns;
  shape.bracket_ns = empty_bracket_ns(engine_.device());
  return shape;
}

Turn PipelineContender::take_turn(const TurnShape& shape, std::mt19937_64& random) {
  const Pipeline& pipeline = *engine_.work().pipeline;
  engine_.place(random);
  const FlowOptions options{.ranges = shape.marks, .device_marks = shape.marks};
  if (shape.warmup_ns > 0)
    engine_.run(std::min<std::int64_t>(pipeline.in_flight, pipeline.items), options);
  cold_files_.drop();
  if (engine_.has_device()) engine_.device().start_cycles();
  Flow flow = engine_.run(pipeline.items, options);
  Turn turn;
  turn.round = flow.round;
  if (engine_.has_device()) turn.round.turn_clock_mhz = engine_.device().stop_cycles();
  if (shape.marks) {
    turn.stage_ns = std::move(flow.stage_ns);
    turn.calls_ns = std::move(flow.calls_ns);
  }
  turn.flow = FlowTimes{.fill_ns = *std::ranges::min_element(flow.end_ns),
                        .drain_ns = flow.round.wall_ns - *std::ranges::max_element(flow.begin_ns)};
  for (std::size_t i = 0; i < flow.end_ns.size(); ++i)
    turn.flow->latency_ns.push_back(flow.end_ns[i] - flow.begin_ns[i]);
  if (shape.marks) turn.flow->lanes = lane_times(flow.spans, pipeline.lanes.size());
  return turn;
}

}  // namespace normbench

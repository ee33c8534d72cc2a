#include "measure/contender.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ops/array_file.h"

namespace normbench {

std::int64_t poisoned_iteration(Engine& engine, const Poison& poison, bool poison_fresh,
                                std::int64_t item) {
  Clock& clock = engine.clock();
  engine.advance();
  engine.item().poison(poison);
  const Bound bound = engine.bind_fresh();
  EngineOptions options{.keep_outputs = true, .first = item};
  if (poison_fresh) options.poison = poison;
  const std::int64_t start_ns = clock.now_ns();
  engine.iterate(options);
  engine.drain();
  return clock.now_ns() - start_ns;
}

namespace {

/// Returns true if the reference can check single images of every output, and host code can read
/// all outputs through the CPU caches.
bool are_images_known(const Case& planned) {
  const auto is_known = [](const Stage& stage) { return has_reference(stage.op); };
  const auto has_images = [&](int value) {
    const TensorDesc& desc = planned.values[value].desc;
    return desc.shape.n == planned.images() && host_caches(desc.memory);
  };
  return !planned.whole_batch() && std::ranges::all_of(planned.stages, is_known) &&
         std::ranges::all_of(planned.outputs, has_images);
}

/// The indices of the images that an item loads; empty if the case loads no files.
using ImageNumbers = std::vector<std::size_t>;

std::function<ImageNumbers(std::int64_t)> images_of(const Case& planned) {
  const Load* const load = planned.loader();
  if (load == nullptr) return [](std::int64_t) { return ImageNumbers(); };
  return [walk = load->walk()](std::int64_t item) { return walk.numbers_of(item); };
}

/// Draws `count` of `items` items and returns their numbers in ascending order. The first and the
/// last item are always drawn, the others at random. Returns all numbers if there are fewer than
/// `count` items.
std::vector<std::int64_t> drawn_items(std::int64_t items, std::int64_t count,
                                      std::mt19937_64& random) {
  std::vector<std::int64_t> between, drawn{0, items - 1};
  for (std::int64_t item = 1; item + 1 < items; ++item) between.push_back(item);
  std::ranges::sample(between, std::back_inserter(drawn), count - 2, random);
  std::ranges::sort(drawn);
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  return drawn;
}

FlowTimes flow_times(const Flow& flow, const Pipeline& pipeline, bool marks) {
  FlowTimes times{.fill_ns = *std::ranges::min_element(flow.end_ns),
                  .drain_ns = flow.round.wall_ns - *std::ranges::max_element(flow.begin_ns)};
  for (std::size_t i = 0; i < flow.end_ns.size(); ++i)
    times.latency_ns.push_back(flow.end_ns[i] - flow.begin_ns[i]);
  if (marks) times.lanes = lane_times(flow.spans, pipeline.lanes.size());
  return times;
}

}  // namespace

Turn take_turn(Engine& engine, const TurnShape& shape, std::mt19937_64& random,
               const std::function<void(Item&)>& look) {
  const std::optional<Pipeline>& pipeline = engine.planned().pipeline;
  engine.place(random);
  const Bound bound = engine.bind_fresh();
  EngineOptions options{.ranges = shape.marks, .marks = shape.marks, .graphs = !shape.marks};
  prepare_turn(engine, shape, options);
  engine.cold_files().drop();
  options.cycles = true;
  options.on_done = look;
  options.first = shape.first;
  Flow flow = engine.run(shape.iterations, options);
  Turn turn;
  turn.round = flow.round;
  if (shape.marks) {
    turn.stage_ns = std::move(flow.stage_ns);
    turn.calls_ns = std::move(flow.calls_ns);
  }
  if (pipeline) turn.flow = flow_times(flow, *pipeline, shape.marks);
  engine.drop_graphs();
  return turn;
}

ImageRange drawn_image(const Case& planned, std::mt19937_64& random) {
  std::uniform_int_distribution<std::int64_t> image(0, planned.images() - 1);
  return {.first = image(random), .count = 1};
}

void write_array(const std::string& path, View view, const Backends& backends) {
  std::vector<std::byte> host;
  if (!host_caches(view.desc.memory)) {
    host.resize(static_cast<std::size_t>(view.desc.bytes()));
    backends.owner(view.desc.memory).copy(host.data(), view.data, host.size());
    view.data = host.data();
  }
  write_npy(path, view);
}

CaseContender::CaseContender(const Case& planned, GroupMemory& memory, const Backends& backends,
                             Recorder& recorder, Clock& clock, std::mt19937_64& random,
                             std::int64_t checked_items)
    : backends_(backends),
      random_(planned.pipeline ? random() : 0),
      engine_(planned, memory, backends, recorder, clock, random),
      keeps_images_(engine_.frees_outputs_last() && are_images_known(planned)),
      items_(planned.pipeline ? planned.pipeline->items : 1),
      checked_items_(checked_items) {}

std::int64_t CaseContender::first_call() {
  constexpr std::byte poison{0xFF};
  engine_.load_kernels();
  engine_.cold_files().drop();
  if (!planned().pipeline) return poisoned_iteration(engine_, Poison{poison}, false);
  // Only this run is timed. run_checked() takes longer, because it also copies outputs for the
  // check.
  const std::int64_t first_ns = engine_.run(1, {}).round.wall_ns;
  run_checked(1, poison);
  return first_ns;
}

void CaseContender::last_call() {
  constexpr std::byte poison{0x55};
  if (planned().pipeline) return run_checked(items_, poison);
  checked_ = last_item_;
  poisoned_iteration(engine_, Poison{poison}, true, checked_);
}

CheckOutcome CaseContender::check(const std::function<bool()>& is_over) {
  if (planned().pipeline) return check_items(is_over);
  Item& item = engine_.item();
  CheckOutcome outcome =
      check_output(planned(), item.inputs(), item.outputs(), backends_, checked_, 0, {}, is_over);
  outcome.judge_files(item.why_not_saved());
  return outcome;
}

/// Compares kept outputs with the reference: the images `only`, or all images if `only` is empty.
CheckOutcome CaseContender::check_kept(const Kept& kept, std::optional<ImageRange> only,
                                       const std::function<bool()>& is_over) const {
  std::vector<View> outputs;
  for (std::size_t i = 0; i < kept.outputs.size(); ++i) {
    TensorDesc desc = planned().values[planned().outputs[i]].desc;
    if (kept.image.count > 0) desc.shape.n = kept.image.count;
    desc.memory = Memory::Pageable;
    outputs.push_back({.data = const_cast<std::byte*>(kept.outputs[i].data()), .desc = desc});
  }
  return check_output(planned(), kept.inputs, outputs, backends_, kept.item, 0, only, is_over);
}

void CaseContender::keep_an_image(std::mt19937_64& random) {
  kept_image_.image = drawn_image(planned(), random);
  const std::vector<View> outputs = engine_.item().outputs();
  kept_image_.outputs.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorDesc& desc = outputs[i].desc;
    const std::int64_t bytes = desc.bytes() / desc.shape.n;
    const std::byte* const first = outputs[i].data + kept_image_.image.first * bytes;
    kept_image_.outputs[i].assign(first, first + bytes);
  }
}

CheckOutcome CaseContender::check_image(ImageRange image) {
  Item& item = engine_.item();
  return check_output(planned(), item.inputs(), item.outputs(), backends_, last_item_, 0, image);
}

CheckOutcome CaseContender::check_one_more(std::mt19937_64& random) {
  const ImageRange image = drawn_image(planned(), random);
  Poison poison{std::byte{0x55}};
  if (!planned().whole_batch()) {
    poison.part = image.first;  // to poison all images would take longer than the call itself
    poison.parts = planned().images();
  }
  poisoned_iteration(engine_, poison, true, last_item_);
  return check_image(image);
}

std::optional<CheckOutcome> CaseContender::check_recent(std::mt19937_64& random) {
  if (planned().pipeline) return std::nullopt;  // items of a pipeline are checked in separate turns
  const std::int64_t calls = std::min(engine_.calls_left(), items_);
  // The first check also makes and checks one more call after the turn. Two successive calls show a
  // fault that occurs only in every second call.
  const bool is_pair = drawn_++ == 0;
  if (!keeps_images_ && calls == 0) return check_one_more(random);
  CheckOutcome outcome;
  if (keeps_images_) {
    kept_image_.item = last_item_;
    kept_image_.inputs = engine_.item().inputs();
    outcome = check_kept(kept_image_, kept_image_.image);
  } else {
    std::int64_t back = 0;
    if (!is_pair) back = std::uniform_int_distribution<std::int64_t>(0, calls - 1)(random);
    engine_.look_back(static_cast<std::size_t>(back));
    last_item_ -= back;
    outcome = check_image(drawn_image(planned(), random));
  }
  if (!is_pair || !outcome.result.ok) return outcome;
  CheckOutcome next = check_one_more(random);
  next.result.add(outcome.result);
  return next;
}

/// Runs a turn of a pipeline, copies the outputs of the chosen items (chosen_), and looks for items
/// that gave different outputs from the same input. If the case is only a part of a pipeline
/// (Pipeline::part), only runs the turn.
void CaseContender::run_checked(std::int64_t items, std::byte poison) {
  kept_.clear();
  unlike_.reset();
  given_.assign(static_cast<std::size_t>(items), {});
  chosen_ = drawn_items(items, checked_items_, random_);
  if (planned().pipeline->part) {
    engine_.run(items, {});
    return;
  }
  engine_.run(items, {.poison = Poison{poison}, .on_done = [&](Item& item) { keep(item); }});
  compare_items();
}

void CaseContender::compare_items() {
  if (given_.size() == 1) return;
  const auto loaded = images_of(planned());
  std::map<std::pair<ImageNumbers, const std::byte*>, std::int64_t> firsts;
  for (std::int64_t item = 0; item < std::ssize(given_) && !unlike_; ++item) {
    const Given& given = given_[static_cast<std::size_t>(item)];
    const std::int64_t first =
        firsts.emplace(std::pair(loaded(item), given.input), item).first->second;
    if (given.hash != given_[static_cast<std::size_t>(first)].hash) unlike_.emplace(first, item);
  }
}

void CaseContender::keep(Item& item) {
  Kept kept{.item = item.number, .inputs = item.inputs()};
  std::size_t hash = 0;
  for (const View& view : item.outputs()) {
    auto& bytes = kept.outputs.emplace_back(static_cast<std::size_t>(view.desc.bytes()));
    backends_.owner(view.desc.memory).copy(bytes.data(), view.data, bytes.size());
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    hash = hash * 31 + std::hash<std::string_view>{}(text);
  }
  const bool is_checked = std::ranges::binary_search(chosen_, kept.item);
  if (is_checked) kept.wrong_file = item.why_not_saved();
  const std::byte* const input = kept.inputs.empty() ? nullptr : kept.inputs.front().data;
  const std::lock_guard lock(mutex_);
  given_[static_cast<std::size_t>(kept.item)] = {.input = input, .hash = hash};
  if (is_checked) kept_.push_back(std::move(kept));
}

CheckOutcome CaseContender::check_items(const std::function<bool()>& is_over) {
  // If the case is only a part of a pipeline (Pipeline::part), kept_ is empty. The stages of the
  // part are checked in the turns of the whole pipeline.
  CheckOutcome worst{.result = {.ok = true, .held_to = HeldTo::Nothing}, .reason = "", .note = ""};
  for (const Kept& kept : kept_) {
    const bool is_end = kept.item == chosen_.front() || kept.item == chosen_.back();
    if (!is_end && is_over && is_over()) continue;
    std::optional<ImageRange> only;  // empty (all images) for the first and the last item
    if (!is_end) only = drawn_image(planned(), random_);
    CheckOutcome outcome = check_kept(kept, only, is_over);
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
        fmt::format("wrong output: item {} differs from item {}, although both have the same input",
                    unlike_->second, unlike_->first);
  }
  return worst;
}

TurnShape CaseContender::shape_of_turns(double clock_cost_ns) {
  return normbench::shape_of_turns(engine_, clock_cost_ns);
}

Turn CaseContender::take_turn(const TurnShape& shape, std::mt19937_64& random) {
  last_item_ = shape.first + shape.iterations - 1;
  items_ = shape.iterations;
  std::function<void(Item&)> look;
  if (keeps_images_ && shape.looked_at) look = [&](Item&) { keep_an_image(random); };
  return normbench::take_turn(engine_, shape, random, look);
}

}  // namespace normbench

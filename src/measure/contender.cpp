#include "measure/contender.h"

#include <algorithm>

#include "ops/array_file.h"

namespace normbench {

std::int64_t poisoned_iteration(PreparedCase& prepared, const Poison& poison, bool poison_fresh,
                                Clock& clock, std::int64_t item) {
  prepared.advance();
  prepared.poison(poison);
  const Bound bound = prepared.bind_fresh();
  IterationOptions options{.keep_outputs = true, .item = item};
  if (poison_fresh) options.poison = poison;
  const std::int64_t start_ns = clock.now_ns();
  prepared.run(options);
  prepared.drain();
  return clock.now_ns() - start_ns;
}

namespace {

/// True if one image of each output can be held to the reference alone.
bool are_images_known(const Case& work) {
  const auto is_known = [](const Stage& stage) { return has_reference(stage.op); };
  const auto has_images = [&](int value) {
    const TensorDesc& desc = work.values[value].desc;
    return desc.shape.n == work.images() && host_caches(desc.memory);
  };
  return !whole_batch(work) && std::ranges::all_of(work.stages, is_known) &&
         std::ranges::all_of(work.outputs, has_images);
}

}  // namespace

ImageRange drawn_image(const Case& work, std::mt19937_64& random) {
  std::uniform_int_distribution<std::int64_t> image(0, work.images() - 1);
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

CaseContender::CaseContender(const Case& work, GroupMemory& memory, const Backends& backends,
                             Recorder& recorder, Clock& clock, std::mt19937_64& random)
    : backends_(backends),
      clock_(clock),
      prepared_(work, memory, backends, recorder),
      keeps_images_(prepared_.frees_outputs_last() && are_images_known(work)) {
  prepared_.place(random);
}

void CaseContender::keep_an_image(std::mt19937_64& random) {
  kept_.image = drawn_image(prepared_.work(), random);
  const std::vector<View> outputs = prepared_.outputs();
  kept_.outputs.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorDesc& desc = outputs[i].desc;
    const std::int64_t bytes = desc.bytes() / desc.shape.n;
    const std::byte* const first = outputs[i].data + kept_.image.first * bytes;
    kept_.outputs[i].assign(first, first + bytes);
  }
}

std::int64_t CaseContender::first_call() {
  prepared_.load_kernels();
  prepared_.cold_files().drop();
  return poisoned_iteration(prepared_, Poison{std::byte{0xFF}}, false, clock_);
}

void CaseContender::last_call() {
  checked_ = last_item_;
  poisoned_iteration(prepared_, Poison{std::byte{0x55}}, true, clock_, checked_);
}

CheckOutcome CaseContender::check() {
  CheckOutcome outcome =
      check_output(prepared_.work(), prepared_.inputs(), prepared_.outputs(), backends_, checked_);
  outcome.judge_files(prepared_.why_not_saved());
  return outcome;
}

CheckOutcome CaseContender::check_image(ImageRange image) {
  return check_output(prepared_.work(), prepared_.inputs(), prepared_.outputs(), backends_,
                      last_item_, 0, image);
}

CheckOutcome CaseContender::check_kept() {
  const Case& work = prepared_.work();
  std::vector<View> kept;
  for (std::size_t i = 0; i < kept_.outputs.size(); ++i) {
    TensorDesc desc = work.values[work.outputs[i]].desc;
    desc.shape.n = kept_.image.count;
    desc.memory = Memory::Pageable;
    kept.push_back({.data = kept_.outputs[i].data(), .desc = desc});
  }
  return check_output(work, prepared_.inputs(), kept, backends_, last_item_, 0, kept_.image);
}

CheckOutcome CaseContender::check_one_more(std::mt19937_64& random) {
  const Case& work = prepared_.work();
  const ImageRange image = drawn_image(work, random);
  Poison poison{std::byte{0x55}};
  if (!whole_batch(work)) {
    poison.part = image.first;  // what is checked: all of it would cost more than the call
    poison.parts = work.images();
  }
  poisoned_iteration(prepared_, poison, true, clock_, last_item_);
  return check_image(image);
}

std::optional<CheckOutcome> CaseContender::check_recent(std::mt19937_64& random) {
  const Case& work = prepared_.work();
  const std::int64_t calls = std::min(prepared_.calls_left(), last_item_ + 1);
  const bool is_pair = drawn_++ == 0;  // what is wrong in every other call is wrong in one of them
  if (!keeps_images_ && calls == 0) return check_one_more(random);
  CheckOutcome outcome;
  if (keeps_images_) {
    outcome = check_kept();
  } else {
    std::int64_t back = 0;
    if (!is_pair) back = std::uniform_int_distribution<std::int64_t>(0, calls - 1)(random);
    prepared_.look_back(static_cast<std::size_t>(back));
    last_item_ -= back;
    outcome = check_image(drawn_image(work, random));
  }
  if (!is_pair || !outcome.result.ok) return outcome;
  CheckOutcome next = check_one_more(random);
  next.result.add(outcome.result);
  return next;
}

TurnShape CaseContender::shape_of_turns(double clock_cost_ns) {
  return normbench::shape_of_turns(prepared_, clock_, clock_cost_ns);
}

Turn CaseContender::take_turn(const TurnShape& shape, std::mt19937_64& random) {
  last_item_ = shape.iterations - 1;
  std::function<void()> look;
  if (keeps_images_ && shape.looked_at) look = [&] { keep_an_image(random); };
  return normbench::take_turn(prepared_, shape, clock_, random, look);
}

}  // namespace normbench

#include "measure/selftest/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "backend/cpu/simd_targets.h"

namespace normbench::selftest {
namespace {

constexpr int odd_team = 3;  // no shape is split evenly by it

/// The buffers of one run.
struct Memories {
  Buffer in;
  std::optional<Buffer> out;  // none: the output is the input's bytes
  std::optional<Buffer> scratch;

  const Buffer& output() const { return out ? *out : in; }
};

Buffer make_buffer(const Lab& lab, Memory memory, std::int64_t bytes, std::int64_t shift_bytes,
                   const Setting& setting) {
  return {lab.owner(memory),
          memory,
          bytes,
          {.shift_bytes = shift_bytes, .poison = setting.poison, .guarded = setting.guarded}};
}

Memories make_memories(const Lab& lab, const Trial& trial, const Setting& setting) {
  const TensorDesc &in = trial.signature.in[0], &out = trial.signature.out[0];
  const std::int64_t size = size_of(in.dtype);
  // Pageable memory that a `register` locks is what an `unregister` gives back.
  const bool undoes = std::holds_alternative<Unregister>(trial.op);
  Memories made{.in = make_buffer(lab, undoes ? Memory::Pageable : in.memory,
                                  static_cast<std::int64_t>(trial.input.bytes().size()),
                                  setting.in_shift * size, setting),
                .out = {},
                .scratch = {}};
  made.in.write(0, trial.input.bytes());
  if (!passes_through(trial.op))
    made.out.emplace(
        make_buffer(lab, out.memory, out.bytes(), setting.out_shift * size_of(out.dtype), setting));
  if (const std::size_t bytes = trial.kernel.scratch(trial.op, trial.signature); bytes > 0)
    made.scratch.emplace(
        make_buffer(lab, out.memory, static_cast<std::int64_t>(bytes), 0, setting));
  return made;
}

View scratch_view(const Memories& memories, const Trial& trial) {
  if (!memories.scratch) return {};
  const auto bytes = static_cast<std::int64_t>(trial.kernel.scratch(trial.op, trial.signature));
  return {memories.scratch->data(),
          dense(DType::UInt8, Layout::Nchw, {1, 1, 1, bytes}, trial.signature.out[0].memory)};
}

/// The output when it starts at `data`.
View output_view(const Trial& trial, std::byte* data) {
  const TensorDesc& out = trial.signature.out[0];
  return passes_through(trial.op) ? trial.input.view(data, out.memory) : View{data, out};
}

/// Registers memory, or undoes that, by the place's first row that does.
template <class T>
void call(const Lab& lab, Queue& queue, const View& memory) {
  const auto rows = lab.backend().kernels();
  const auto row = std::ranges::find(rows, T::name, &Kernel::op);
  if (row == rows.end()) throw std::runtime_error(fmt::format("no row of \"{}\" here", T::name));
  const Signature signature{.in = {memory.desc, memory.desc}, .out = {memory.desc}};
  const std::vector<View> views{memory, memory};
  row->prepare(T{}, signature)(queue, views, std::span(views).first(1), {});
}

void launch(Queue& queue, const Launch& run, const Trial& trial, const Memories& memories,
            const View& in, bool captured) {
  const std::vector<View> all_in(trial.signature.in.size(), in);
  const View out = output_view(trial, memories.output().data());
  if (captured) queue.begin_capture();
  run(queue, all_in, std::span(&out, 1), scratch_view(memories, trial));
  if (!captured) return queue.drain();
  const auto graph = queue.end_capture();
  queue.launch(*graph);
  queue.drain();
}

/// What the row did to memory that is not its to write, or nothing.
std::optional<std::string> trespass(const Memories& memories, const Trial& trial) {
  if (const auto stray = memories.in.stray_write("the input")) return stray;
  if (const auto stray = memories.output().stray_write("the output")) return stray;
  if (memories.scratch)
    if (const auto stray = memories.scratch->stray_write("the scratch memory")) return stray;
  const std::vector<std::byte> now = memories.in.read();
  const std::span<const std::byte> before = trial.input.bytes();
  if (std::memcmp(now.data(), before.data(), now.size()) == 0) return std::nullopt;
  const auto [at, was] = std::ranges::mismatch(now, before);
  return fmt::format("changed its input (byte {})", at - now.begin());
}

/// One run: the bytes of its output, or what is wrong with what it wrote elsewhere.
struct Run {
  std::vector<std::byte> output;
  std::optional<std::string> failure;
};

/// What the settings of an instruction set have in common.
struct Prepared {
  Launch launch;
  std::vector<std::byte> output;  // the first one
};

Run run_once(Lab& lab, const Trial& trial, const Setting& setting, const Launch& run) {
  const Memories memories = make_memories(lab, trial, setting);
  Queue& queue = lab.queue(setting.threads);
  const View in = trial.input.view(memories.in.data(), trial.signature.in[0].memory);
  const Settled settled(queue);
  if (std::holds_alternative<Unregister>(trial.op)) call<Register>(lab, queue, in);
  launch(queue, run, trial, memories, in, setting.captured);
  if (std::holds_alternative<Register>(trial.op)) call<Unregister>(lab, queue, in);
  return {.output = memories.output().read(), .failure = trespass(memories, trial)};
}

/// ", AVX2, 3 threads, buffers 1 and 3 elements past a cache line, as a graph".
std::string in_words(const Setting& setting) {
  std::string text;
  if (!setting.simd.empty()) text += ", " + setting.simd;
  if (setting.threads != 1) text += fmt::format(", {} threads", setting.threads);
  if (setting.in_shift != 0 || setting.out_shift != 0)
    text += fmt::format(", buffers {} and {} elements past a cache line", setting.in_shift,
                        setting.out_shift);
  return text + (setting.captured ? ", as a graph" : "");
}

}  // namespace

Settled::~Settled() {
  try {
    queue_.drain();
  } catch (const std::exception&) {  // what the row throws says why
  }
}

Queue& Lab::queue(int threads) {
  auto& queue = queues_[threads];
  if (!queue) queue = backend_.make_queue(threads, nullptr);
  return *queue;
}

void Lab::recover() {
  queues_.clear();
  try {
    const Memory memory = backend_.place() == Place::Cpu ? Memory::Pageable : Memory::Device;
    const Buffer probe(owner(memory), memory, 64, {});
    queue(1).drain();
    if (probe.stray_write("")) lost_ = "memory does not hold what is written to it";
  } catch (const std::exception& error) {
    lost_ = error.what();
  }
}

std::vector<int> teams(bool quick, const Equipment& equipment) {
  std::vector<int> sizes{1, equipment.threads};
  if (!quick && equipment.threads != odd_team) sizes.push_back(odd_team);
  return sizes;
}

std::vector<Setting> settings(bool quick, bool captured, const Equipment& equipment) {
  const int team = equipment.threads;
  constexpr std::byte poison{0x55};
  const Setting plain, graph{.poison = poison, .captured = true};
  std::vector<Setting> each{plain};
  if (quick)
    each = {plain,
            {.in_shift = 1, .out_shift = 3, .threads = team, .poison = poison, .guarded = false}};
  else
    each = {plain,
            {.threads = odd_team, .poison = poison},
            {.in_shift = 1, .out_shift = 3, .threads = team},
            {.in_shift = 2, .out_shift = 1, .poison = poison}};
  if (captured) each.push_back(graph);
  std::vector<Setting> all;
  for (const std::string& simd : equipment.simd) {
    for (Setting& setting : each) {
      setting.simd = simd;
      all.push_back(setting);
    }
    if (!quick) each = {all[0], all[2]};  // alone and in the largest team: all but the first
  }
  return all;
}

Judged run_trial(Lab& lab, const Trial& trial, const std::vector<Setting>& all,
                 std::int64_t& runs) {
  Judged total;
  std::map<std::string, Prepared> prepared;  // by instruction set
  for (const Setting& setting : all) {
    std::optional<ForcedSimd> forced;
    if (!setting.simd.empty()) forced.emplace(setting.simd);
    auto& [launch, first] = prepared[setting.simd];
    if (!launch) launch = trial.kernel.prepare(trial.op, trial.signature);
    Run run = run_once(lab, trial, setting, launch);
    ++runs;
    const auto fail = [&](const std::string& why) { total.failure = why + in_words(setting); };
    if (run.failure) return fail(*run.failure), total;
    if (trial.exact == nullptr || run.output == first) continue;
    const View out = output_view(trial, run.output.data());
    const auto is_known = [&](const auto& known) { return known.second.output == run.output; };
    if (std::ranges::none_of(prepared, is_known)) {
      const Judged judged = judge(*trial.exact, out, setting.poison);
      total.error = std::max(total.error, judged.error);
      if (judged.failure) return fail(*judged.failure), total;
    }
    if (!first.empty()) return fail(difference(output_view(trial, first.data()), out)), total;
    first = std::move(run.output);
  }
  return total;
}

}  // namespace normbench::selftest

#include "measure/selftest/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>

#include "backend/cpu/simd_targets.h"

namespace normbench::selftest {
namespace {

constexpr int odd_team = 3;  // odd, so that it divides most work unevenly

/// The buffers of one run of a kernel.
struct Memories {
  std::vector<Buffer> in, out;  // `out` is empty if the output is the first input
  std::optional<Buffer> scratch;

  const Buffer& output(std::size_t i) const { return out.empty() ? in[i] : out[i]; }
};

Buffer make_buffer(const Lab& lab, Memory memory, std::int64_t bytes, std::int64_t shift_bytes,
                   const Setting& setting) {
  return {lab.owner(memory),
          memory,
          bytes,
          {.shift_bytes = shift_bytes, .poison = setting.poison, .guarded = setting.guarded}};
}

Memories make_memories(const Lab& lab, const Trial& trial, const Setting& setting) {
  // The op `unregister` unlocks pages. Its input is allocated as pageable memory, which run_once()
  // locks with `register` before.
  const bool undoes = roles_of(trial.op).locks == PageLocking::Unlocks;
  Memories made;
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const std::span<const std::byte> bytes = trial.inputs[i].bytes();
    const TensorDesc& desc = trial.signature.in[i];
    made.in.push_back(make_buffer(lab, undoes ? Memory::Pageable : desc.memory,
                                  static_cast<std::int64_t>(bytes.size()),
                                  setting.in_shift * size_of(desc.dtype), setting));
    made.in.back().write(0, bytes);
  }
  if (!passes_through(trial.op))
    for (const TensorDesc& desc : trial.signature.out)
      made.out.push_back(make_buffer(lab, desc.memory, desc.bytes(),
                                     setting.out_shift * size_of(desc.dtype), setting));
  if (const std::size_t bytes = trial.kernel.scratch(trial.op, trial.signature); bytes > 0)
    made.scratch.emplace(make_buffer(lab, trial.signature.out[0].memory,
                                     static_cast<std::int64_t>(bytes), 0, setting));
  return made;
}

View scratch_view(const Memories& memories, const Trial& trial) {
  if (!memories.scratch) return {};
  const auto bytes = static_cast<std::int64_t>(trial.kernel.scratch(trial.op, trial.signature));
  return {memories.scratch->data(),
          dense(DType::UInt8, Layout::Nchw, {1, 1, 1, bytes}, trial.signature.out[0].memory)};
}

/// Returns output `i` as a view of the memory at `data`.
View output_view(const Trial& trial, std::size_t i, std::byte* data) {
  const TensorDesc& out = trial.signature.out[i];
  return passes_through(trial.op) ? trial.inputs[0].view(data, out.memory) : View{data, out};
}

/// Runs the first kernel row of op T (`register` or `unregister`) in this place on the memory.
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
            std::vector<View> in, bool captured) {
  while (in.size() < trial.signature.in.size()) in.push_back(in[0]);
  std::vector<View> out;
  for (std::size_t i = 0; i < trial.signature.out.size(); ++i)
    out.push_back(output_view(trial, i, memories.output(i).data()));
  if (captured) queue.begin_capture();
  run(queue, in, out, scratch_view(memories, trial));
  if (!captured) return queue.drain();
  const auto graph = queue.end_capture();
  queue.launch(*graph);
  queue.drain();
}

/// Returns a space and the number of a tensor, like " 2"; "" if there is only one tensor.
std::string number_of(std::size_t i, std::size_t count) {
  return count > 1 ? fmt::format(" {}", i) : "";
}

/// Returns where the kernel wrote outside of its outputs and its scratch memory. Returns nothing if
/// it did not.
std::optional<std::string> trespass(const Memories& memories, const Trial& trial) {
  for (std::size_t i = 0; i < memories.in.size(); ++i) {
    const std::string name = "input" + number_of(i, memories.in.size());
    if (const auto stray = memories.in[i].stray_write("the " + name)) return stray;
    const std::vector<std::byte> now = memories.in[i].read();
    const std::span<const std::byte> before = trial.inputs[i].bytes();
    const auto [at, was] = std::ranges::mismatch(now, before);
    if (at != now.end()) return fmt::format("changed its {} (byte {})", name, at - now.begin());
  }
  for (std::size_t i = 0; i < memories.out.size(); ++i) {
    const std::string name = "the output" + number_of(i, memories.out.size());
    if (const auto stray = memories.out[i].stray_write(name)) return stray;
  }
  return memories.scratch ? memories.scratch->stray_write("the scratch memory") : std::nullopt;
}

using Outputs = std::vector<std::vector<std::byte>>;

/// The outputs of one run. `failure` describes a write outside of the outputs.
struct Run {
  Outputs outputs;
  std::optional<std::string> failure;
};

/// The data that all settings with the same instruction set share.
struct Prepared {
  Launch launch;
  Outputs outputs;  // the outputs of the first run
};

Run run_once(Lab& lab, const Trial& trial, const Setting& setting, const Launch& run) {
  const Memories memories = make_memories(lab, trial, setting);
  Queue& queue = lab.queue(setting.threads);
  std::vector<View> in;
  for (std::size_t i = 0; i < trial.inputs.size(); ++i)
    in.push_back(trial.inputs[i].view(memories.in[i].data(), trial.signature.in[i].memory));
  const Settled settled(queue);
  const PageLocking locks = roles_of(trial.op).locks;
  if (locks == PageLocking::Unlocks) call<Register>(lab, queue, in[0]);
  launch(queue, run, trial, memories, in, setting.captured);
  if (locks == PageLocking::Locks) call<Unregister>(lab, queue, in[0]);
  Run done{.outputs = {}, .failure = trespass(memories, trial)};
  for (std::size_t i = 0; i < trial.signature.out.size(); ++i)
    done.outputs.push_back(memories.output(i).read());
  return done;
}

/// Compares the outputs with the exact ones, up to the first that fails. If one fails, sets
/// `total.failure`. Replaces the error, bound and output index in `total` by those of an output
/// whose error, divided by its bound, is at least as large as the error in `total` divided by its
/// bound.
void judge_outputs(const Trial& trial, Outputs& outputs, std::byte poison, Judged& total) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Exact& exact = (*trial.exact)[i];
    const Judged judged = judge(exact, output_view(trial, i, outputs[i].data()), poison);
    if (share_of_bound(judged.error, judged.bound) >= share_of_bound(total.error, total.bound)) {
      total.error = judged.error;
      total.bound = judged.bound;
      total.output = i;
    }
    if (!judged.failure) continue;
    const std::string number = number_of(i, outputs.size());
    total.failure =
        number.empty() ? *judged.failure : fmt::format("output{}, {}", number, *judged.failure);
    return;
  }
}

/// Returns how a setting differs from the default one, like ", AVX2, 3 threads, buffers 1 and 3
/// elements past a cache line, as a graph".
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
  } catch (const std::exception&) {  // the kernel's own exception has the reason
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
    if (!quick) each = {all[0], all[2]};  // one thread, and the largest team
  }
  return all;
}

Judged run_trial(Lab& lab, const Trial& trial, const std::vector<Setting>& all,
                 std::int64_t& runs) {
  Judged total;
  std::map<std::string, Prepared> prepared;  // one for each instruction set
  for (const Setting& setting : all) {
    std::optional<ForcedSimd> forced;
    if (!setting.simd.empty()) forced.emplace(setting.simd);
    auto& [launch, first] = prepared[setting.simd];
    if (!launch) launch = trial.kernel.prepare(trial.op, trial.signature);
    Run run = run_once(lab, trial, setting, launch);
    ++runs;
    const auto fail = [&](const std::string& why) { total.failure = why + in_words(setting); };
    if (run.failure) return fail(*run.failure), total;
    if (trial.exact == nullptr || run.outputs == first) continue;
    const auto is_known = [&](const auto& known) { return known.second.outputs == run.outputs; };
    if (std::ranges::none_of(prepared, is_known)) {
      judge_outputs(trial, run.outputs, setting.poison, total);
      if (total.failure) return fail(std::string(*total.failure)), total;
    }
    for (std::size_t i = 0; i < first.size(); ++i)
      if (run.outputs[i] != first[i])
        return fail(difference(output_view(trial, i, first[i].data()),
                               output_view(trial, i, run.outputs[i].data()))),
               total;
    first = std::move(run.outputs);
  }
  return total;
}

}  // namespace normbench::selftest

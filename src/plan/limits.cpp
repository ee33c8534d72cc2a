#include "plan/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <set>

#include "core/units.h"
#include "plan/pipeline.h"
#include "plan/wiring.h"

namespace normbench {
namespace {

struct Mix {
  Place place = Place::Cpu;
  std::int64_t read = 0, written = 0;
  Memory from = Memory::Pageable, to = Memory::Pageable;
  int threads = 1;
  bool resident = false;

  auto operator<=>(const Mix&) const = default;
};

/// Returns true if all stages work in memory of this place, so that the bandwidth of this memory
/// limits the case. Returns false if a stage is a network, whose weights and operations are not
/// known here.
bool stays_at(const Case& planned, Place place) {
  if (planned.inputs.empty() || planned.stages.empty()) return false;
  if (std::ranges::any_of(planned.stages, [&](const Stage& stage) {
        return stage.place != place || is_peer_only(stage.op);
      }))
    return false;
  return place == Place::Cpu || std::ranges::all_of(planned.values, [](const Value& value) {
           return value.desc.memory == Memory::Device;
         });
}

/// Returns true for a stage that reads and writes memory of this place, and uses neither the link
/// between host and GPU nor files nor page-locking.
bool uses_memory_of(const Stage& stage, Place place) {
  if (stage.place != place || stage.signature.in.empty() || is_peer_only(stage.op)) return false;
  if (roles_of(stage.op).locks != PageLocking::None || stage.cost.link_bytes > 0) return false;
  if (stage.fewest.read_bytes == 0 || stage.fewest.written_bytes == 0) return false;
  return place == Place::Cpu || (stage.signature.in[0].memory == Memory::Device &&
                                 stage.signature.out[0].memory == Memory::Device);
}

/// Returns true for a stage whose GPU kernel accesses host memory over the link. Copies are not
/// kernels.
bool works_over_link(const Stage& stage) {
  return stage.place == Place::Cuda && stage.fewest.link_bytes == 0 && stage.cost.link_bytes > 0 &&
         stage.fewest.read_bytes > 0 && stage.fewest.written_bytes > 0 && !is_peer_only(stage.op);
}

/// Returns the memory kind that a limit over the link uses in place of `memory`. Host memory
/// becomes pinned memory, whose transfers are fastest. Device memory stays device memory.
Memory nearest(Memory memory) { return host_reaches(memory) ? Memory::Pinned : Memory::Device; }

/// Returns the end of the name of a `stream` limit. It tells the place, threads and memory.
std::string suffix(const Mix& mix) {
  std::string text = mix.place == Place::Cuda ? ", cuda"
                     : mix.threads == 1       ? ", 1 thread"
                                              : fmt::format(", {} threads", mix.threads);
  const Memory usual = mix.place == Place::Cuda ? Memory::Device : Memory::Pageable;
  if (mix.from != mix.to)
    text += fmt::format(", {} to {}", name_of(mix.from), name_of(mix.to));
  else if (mix.from != usual)
    text += fmt::format(", {}", name_of(mix.from));
  return text + (mix.resident ? ", in cache" : "");
}

/// Returns a source of random bytes. If `bytes` is above 1 MiB and a multiple of 64, it has several
/// images of at most 1 MiB, so that a check can take a few images at a time. Otherwise it has one
/// image.
Source plain_source(std::int64_t bytes, Memory memory) {
  constexpr std::int64_t least = 64, most = 1 << 20;
  // The largest power of two that divides `bytes`, at most 1 MiB.
  const std::int64_t power = std::min(most, bytes & -bytes);
  const std::int64_t width = bytes <= most || power < least ? bytes : power;
  return {.layout = Layout::Nchw,
          .memory = memory,
          .shape = {.n = bytes / width, .c = 1, .h = 1, .w = width},
          .path = {}};
}

StageSpec spec_of(Op op) {
  StageSpec spec;
  spec.op = std::move(op);
  return spec;
}

/// Returns a case that runs these stages on `source`; nothing if a stage has no kernel here.
std::optional<Case> plain_case(const std::vector<StageSpec>& stages, const Source& source,
                               const Backends& backends) {
  Wiring wiring(backends);
  try {
    wiring.add(spec_of(source));
    for (const StageSpec& stage : stages) wiring.add(stage);
  } catch (const Invalid&) {
    return std::nullopt;
  } catch (const StageMistake&) {
    return std::nullopt;
  }
  Case limit = wiring.take();
  return limit.skip ? std::nullopt : std::optional(std::move(limit));
}

class Limits {
 public:
  Limits(const Group& group, const Backends& backends)
      : cases_(group.runnable()), backends_(backends) {
    for (const Case* planned : cases_)
      if (planned->inputs.size() == 1) {
        const TensorDesc& desc = planned->values.front().desc;
        sources_.try_emplace({desc.bytes(), desc.memory}, &planned->inputs.front().source);
      }
  }

  void add_parts();
  void add_pipeline_streams(int threads);
  void add_streams(Place place);
  void add_streams_over_link();
  void add_first_touch();
  void add_transfers();
  void add_launches();
  std::vector<Case> take() { return std::move(limits_); }

 private:
  /// The names of a limit: `name` with a rounded size ("1.00 MB"), and `exact` with the exact size
  /// ("1,001,000 B"). The limit is called `exact` if another limit is called `name` already.
  struct Names {
    std::string name, exact;
  };
  static Names of_bytes(std::string_view op, std::int64_t bytes, Memory memory);

  void add_stream(Mix mix);
  void add_transfer(const Stage& stage, Memory host);
  void add_exchange(const Case& planned);
  /// Returns a source of `bytes` bytes in this memory. If a case of the group reads such a source,
  /// returns that source. This saves memory, and the limit then reads the same pages as the case.
  Source source_of(std::int64_t bytes, Memory memory) const;
  /// Adds a limit: a case that runs these stages on `source`. Adds nothing if a stage has no
  /// kernel, or if the same limit exists already.
  void add(const Names& names, const std::vector<StageSpec>& stages, const Source& source,
           int threads, bool resident = false);

  std::vector<const Case*> cases_;
  // The key is a number of bytes and a memory kind. The value is the source of the first case whose
  // only input has this size and kind.
  std::map<std::pair<std::int64_t, Memory>, const Source*> sources_;
  const Backends& backends_;
  std::set<Mix> mixes_;
  std::vector<Case> limits_;
  std::map<std::string, std::size_t> indices_;  // indices in `limits_`, by name
};

void Limits::add(const Names& names, const std::vector<StageSpec>& stages, const Source& source,
                 int threads, bool resident) {
  std::optional<Case> limit = plain_case(stages, source, backends_);
  if (!limit) return;
  const auto same = indices_.find(names.name);
  if (same != indices_.end() && limits_[same->second].values == limit->values) return;
  limit->written = same == indices_.end() ? names.name : names.exact;
  if (!indices_.emplace(limit->written, limits_.size()).second) return;
  limit->variant = limit->written;
  limit->threads = threads;
  limit->resident = resident;
  limits_.push_back(std::move(*limit));
}

Source Limits::source_of(std::int64_t bytes, Memory memory) const {
  const auto known = sources_.find({bytes, memory});
  return known == sources_.end() ? plain_source(bytes, memory) : *known->second;
}

void Limits::add_parts() {
  for (Case& part : parts_of(cases_)) {
    indices_.emplace(part.variant, limits_.size());
    limits_.push_back(std::move(part));
  }
}

/// For each pipeline, adds `stream` limits, which only read and write memory. They move as many
/// bytes as the stages of the pipeline on the CPU must read from and write to host memory. The
/// bytes of decoded files do not count, because their number is unknown.
void Limits::add_pipeline_streams(int threads) {
  for (const Case* planned : cases_) {
    Mix mix{.threads = threads};
    for (const Stage& stage : planned->stages) {
      if (!planned->pipeline || !uses_memory_of(stage, Place::Cpu)) continue;
      if (!stage.resident) mix.read += stage.fewest.read_bytes;  // a resident input is in a cache
      mix.written += stage.fewest.written_bytes;
    }
    if (mix.read > 0) add_stream(mix);
  }
}

void Limits::add_streams(Place place) {
  for (const Case* planned : cases_)
    if (stays_at(*planned, place))
      add_stream({.place = place,
                  .read = planned->fewest_read_bytes(),
                  .written = planned->output_bytes(),
                  .from = planned->values.front().desc.memory,
                  .to = planned->result().memory,
                  .threads = planned->threads});
  for (const Case* planned : cases_)
    for (std::size_t s = 0; s < planned->stages.size(); ++s) {
      const Stage& stage = planned->stages[s];
      if (uses_memory_of(stage, place))
        add_stream({.place = place,
                    .read = stage.fewest.read_bytes,
                    .written = stage.fewest.written_bytes,
                    .from = stage.signature.in[0].memory,
                    .to = stage.signature.out[0].memory,
                    .threads = planned->threads_of(s),
                    .resident = stage.resident});
    }
}

/// Adds `stream` limits for each GPU kernel that accesses host memory over the link.
void Limits::add_streams_over_link() {
  for (const Case* planned : cases_)
    for (const Stage& stage : planned->stages)
      if (works_over_link(stage))
        add_stream({.place = Place::Cuda,
                    .read = stage.fewest.read_bytes,
                    .written = stage.fewest.written_bytes,
                    .from = nearest(stage.signature.in[0].memory),
                    .to = nearest(stage.signature.out[0].memory),
                    .threads = planned->threads});
}

void Limits::add_stream(Mix mix) {
  const int threads = mix.threads;
  const StreamMix bytes = limit_mix({.read = mix.read, .written = mix.written});
  mix.read = bytes.read, mix.written = bytes.written;
  // On a device the number of host threads makes no difference, so the mix gets 1 thread there.
  // Cases with different numbers of threads then share a limit.
  if (mix.place == Place::Cuda) mix.threads = 1;
  if (!mixes_.insert(mix).second) return;
  const std::int64_t unit = std::gcd(mix.read, mix.written);
  StageSpec stage =
      spec_of(Stream{.read_parts = mix.read / unit, .write_parts = mix.written / unit});
  stage.place = mix.place;
  stage.memory = mix.to;
  bool is_reference = true;
  for (const Kernel& row : backends_.at(mix.place)->kernels()) {
    if (row.op != Stream::name || std::exchange(is_reference, false)) continue;
    stage.kernel = row.name;
    const std::string end = fmt::format(" {}{}", row.name, suffix(mix));
    add({fmt::format("stream {}:{}{}", format_bytes(mix.read), format_bytes(mix.written), end),
         fmt::format("stream {}:{} B{}", format_count(mix.read), format_count(mix.written), end)},
        {stage}, source_of(mix.read, mix.from), threads, mix.resident);
    if (mix.resident) break;  // the first kernel row, which has normal stores, is enough
  }
}

/// Adds a limit with the op `first_touch`, which stores to each page of fresh memory. The memory
/// has the size of the largest pageable output whose pages the operating system maps anew in each
/// iteration. Adds nothing if there is no such output.
void Limits::add_first_touch() {
  const Case* owner = nullptr;
  TensorDesc largest;
  for (const Case* planned : cases_)
    for (const Stage& stage : planned->stages)
      for (const TensorDesc& out : stage.signature.out)
        if (!stage.signature.pages_mapped && !cuda_owns(out.memory) &&
            out.bytes() > largest.bytes()) {
          owner = planned;
          largest = out;
        }
  if (owner == nullptr) return;
  StageSpec stage = spec_of(FirstTouch{});
  stage.output = OutputPolicy::Fresh;
  const std::string name = "first_touch " + format_bytes(largest.bytes());
  add({name, name}, {stage}, plain_source(largest.bytes(), largest.memory), owner->threads);
}

Limits::Names Limits::of_bytes(std::string_view op, std::int64_t bytes, Memory memory) {
  return {fmt::format("{} {} {}", op, format_bytes(bytes), name_of(memory)),
          fmt::format("{} {} B {}", op, format_count(bytes), name_of(memory))};
}

void Limits::add_transfer(const Stage& stage, Memory host) {
  const bool up = roles_of(stage.op).link == LinkUse::Up;
  const std::int64_t bytes = stage.signature.in[0].bytes();
  StageSpec copy = spec_of(stage.op);
  copy.memory = up ? Memory::Device : host;
  add(of_bytes(name_of(stage.op), bytes, host), {copy},
      source_of(bytes, up ? host : Memory::Device), 1);
}

/// If the case copies in both directions of the link, adds a limit with the op `exchange`, which
/// copies in both directions at once. It copies as many bytes in each direction as the case copies
/// to the device.
void Limits::add_exchange(const Case& planned) {
  const auto link_of = [](const Stage& stage) { return roles_of(stage.op).link; };
  const auto up = std::ranges::find(planned.stages, LinkUse::Up, link_of);
  const auto down = std::ranges::find(planned.stages, LinkUse::Down, link_of);
  if (up == planned.stages.end() || down == planned.stages.end()) return;
  const std::int64_t bytes = up->signature.in[0].bytes();
  add(of_bytes(Exchange::name, bytes, Memory::Pinned), {spec_of(Exchange{})},
      source_of(bytes, Memory::Pinned), 1);
}

void Limits::add_transfers() {
  for (const Case* planned : cases_) {
    for (const Stage& stage : planned->stages) {
      const bool up = roles_of(stage.op).link == LinkUse::Up;
      if (!up && roles_of(stage.op).link != LinkUse::Down) continue;
      const Memory host = (up ? stage.signature.in : stage.signature.out)[0].memory;
      add_transfer(stage, Memory::Pinned);
      if (!cuda_owns(host)) add_transfer(stage, host);
    }
    add_exchange(*planned);
  }
}

/// Adds the limits `launch` and `launch + sync`. Their source is as large as the smallest device
/// tensor of the group, and no kernel touches it. A smaller source would need more copies to exceed
/// the cache.
void Limits::add_launches() {
  const Case* first = nullptr;
  const TensorDesc* smallest = nullptr;
  for (const Case* planned : cases_) {
    if (first == nullptr && planned->uses_gpu()) first = planned;
    for (const Value& value : planned->values)
      if (value.desc.memory == Memory::Device &&
          (smallest == nullptr || value.desc.bytes() < smallest->bytes()))
        smallest = &value.desc;
  }
  if (first == nullptr || smallest == nullptr) return;
  const Source source{.dtype = smallest->dtype,
                      .layout = smallest->layout,
                      .memory = Memory::Device,
                      .shape = smallest->shape,
                      .path = {}};
  const StageSpec launch = spec_of(EmptyLaunch{}), sync = spec_of(Sync{});
  add({"launch", "launch"}, {launch}, source, first->threads);
  add({"launch + sync", "launch + sync"}, {launch, sync}, source, first->threads);
}

}  // namespace

std::vector<Case> limits_of(const Group& group, const Backends& backends, int all_threads) {
  Limits limits(group, backends);
  limits.add_parts();
  limits.add_pipeline_streams(all_threads);
  limits.add_streams(Place::Cpu);
  limits.add_first_touch();
  limits.add_streams(Place::Cuda);
  limits.add_streams_over_link();
  limits.add_transfers();
  limits.add_launches();
  return limits.take();
}

}  // namespace normbench

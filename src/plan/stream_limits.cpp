#include "plan/stream_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/units.h"
#include "plan/limit_case.h"

namespace normbench {
namespace {

/// What a stream imitates.
struct Mix {
  std::int64_t read = 0, written = 0;
  Memory from = Memory::Pageable, to = Memory::Pageable;
  int threads = 1;
  bool resident = false;
};

bool same(const Mix& a, const Mix& b, Place place) {
  return a.read == b.read && a.written == b.written && a.from == b.from && a.to == b.to &&
         a.resident == b.resident && (a.threads == b.threads || place == Place::Cuda);
}

/// True for a case that memory of this place alone could bound.
bool stays_at(const Case& work, Place place) {
  if (!work.source || work.stages.empty()) return false;
  if (std::ranges::any_of(work.stages, [&](const Stage& s) { return s.place != place; }))
    return false;
  return place == Place::Cpu || std::ranges::all_of(work.values, [](const Value& value) {
           return value.desc.memory == Memory::Device;
         });
}

/// True for stages that read and write memory of this place, and nothing over the link. Files and
/// page locking have costs of their own.
bool uses_memory_of(const Stage& stage, Place place) {
  if (stage.place != place || stage.signature.in.empty()) return false;
  if (std::holds_alternative<Pin>(stage.op) || stage.cost.link_bytes > 0) return false;
  if (stage.fewest.read_bytes == 0 || stage.fewest.written_bytes == 0) return false;
  return place == Place::Cpu || (stage.signature.in[0].memory == Memory::Device &&
                                 stage.signature.out[0].memory == Memory::Device);
}

Mix mix_of(const Case& work) {
  return {.read = fewest_read_bytes(work),
          .written = work.result().bytes(),
          .from = work.source->memory,
          .to = work.result().memory,
          .threads = work.threads};
}

Mix mix_of(const Stage& stage, int threads) {
  return {.read = stage.fewest.read_bytes,
          .written = stage.fewest.written_bytes,
          .from = stage.signature.in[0].memory,
          .to = stage.signature.out[0].memory,
          .threads = threads,
          .resident = stage.resident};
}

/// What tells streams of the same bytes apart, beside their rows.
std::string suffix(const Mix& mix, Place place) {
  std::string text = ", cuda";
  if (place == Place::Cpu) {
    text = fmt::format(", {} thread{}", mix.threads, mix.threads == 1 ? "" : "s");
    if (mix.from != mix.to)
      text += fmt::format(", {} to {}", name_of(mix.from), name_of(mix.to));
    else if (mix.from != Memory::Pageable)
      text += fmt::format(", {}", name_of(mix.from));
  }
  return text + (mix.resident ? ", in cache" : "");
}

/// One place's streams while they are collected.
class Streams {
 public:
  Streams(std::vector<Case>& limits, Place place, const Backends& backends)
      : limits_(limits), place_(place), backends_(backends) {}

  void add(const Mix& mix, const Source& source) {
    if (std::ranges::any_of(mixes_, [&](const Mix& other) { return same(mix, other, place_); }))
      return;
    mixes_.push_back(mix);
    bool is_reference = true;
    for (const Kernel& row : backends_.at(place_)->kernels()) {
      if (row.op != Stream::name || std::exchange(is_reference, false)) continue;
      add(mix, source, std::string(row.name));
      if (mix.resident) break;  // the first row stores normally
    }
  }

 private:
  void add(const Mix& mix, const Source& source, const std::string& row) {
    const std::int64_t unit = std::gcd(mix.read, mix.written);
    StageSpec stage =
        spec_of(Stream{.read_parts = mix.read / unit, .write_parts = mix.written / unit});
    stage.kernel = row;
    stage.memory = mix.to;
    auto limit = plain_case({stage}, source, mix.threads, backends_);
    if (limit) limit->resident = mix.resident;
    const std::string end = fmt::format(" {}{}", row, suffix(mix, place_));
    add_limit(
        limits_, std::move(limit),
        fmt::format("stream {}:{}{}", format_bytes(static_cast<double>(mix.read)),
                    format_bytes(static_cast<double>(mix.written)), end),
        fmt::format("stream {}:{} B{}", format_count(mix.read), format_count(mix.written), end));
  }

  std::vector<Case>& limits_;
  const Place place_;
  const Backends& backends_;
  std::vector<Mix> mixes_;
};

}  // namespace

void add_streams(std::vector<Case>& limits, const Group& group, Place place,
                 const Backends& backends) {
  Streams streams(limits, place, backends);
  const auto add = [&](const Mix& mix) {
    streams.add(mix, source_like(group, mix.read, mix.from));
  };
  for (const Case& work : group.cases)
    if (!work.skip && stays_at(work, place)) add(mix_of(work));
  for (const Case& work : group.cases) {
    if (work.skip) continue;
    for (const Stage& stage : work.stages)
      if (uses_memory_of(stage, place)) add(mix_of(stage, work.threads));
  }
}

}  // namespace normbench

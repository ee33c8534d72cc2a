#include "plan/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/units.h"
#include "plan/memory.h"

namespace normbench {
namespace {

/// The host or the device, with pointers to its members.
struct Side {
  std::string_view name;
  std::int64_t Sides::*bytes;
  std::string SideNotes::*note;
};
constexpr std::array sides{Side{"host", &Sides::host, &SideNotes::host},
                           Side{"device", &Sides::device, &SideNotes::device}};

/// Compares the memory that cases need with free memory.
class Room {
 public:
  Room(Cache cache, const PlanOptions& options) : cache_(cache), options_(options) {}

  Sides need(std::span<const Case* const> cases) const { return need(cases, cache_); }
  Sides need(const Case& planned) const { return need(std::array{&planned}); }

  /// Returns the first side on which `need` exceeds free memory; null if there is none. Unknown
  /// free memory is never exceeded.
  const Side* lacking(const Sides& need) const {
    const auto lacks = [&](const Side& side) {
      const std::int64_t free = options_.free_bytes.*side.bytes;
      return free > 0 && need.*side.bytes > free;
    };
    const auto found = std::ranges::find_if(sides, lacks);
    return found == sides.end() ? nullptr : &*found;
  }

  /// Returns how much memory the cases need on a side and how much is free, like "12.4 GB of host
  /// memory, 8.1 GB are free (…)". Also tells how much of it hot buffers would save, if that is a
  /// large part.
  std::string text(const Side& side, std::span<const Case* const> cases) const {
    const std::string& note = options_.free_notes.*side.note;
    const std::int64_t bytes = need(cases).*side.bytes;
    std::string text = fmt::format("{} of {} memory, {} are free{}", format_bytes(bytes), side.name,
                                   format_bytes(options_.free_bytes.*side.bytes),
                                   note.empty() ? "" : fmt::format(" ({})", note));
    const std::int64_t hot = need(cases, Cache::Hot).*side.bytes;
    if (bytes - hot > hot / 10)
      text += fmt::format("; {} of it are copies that exceed the cache (--set cache=hot needs {})",
                          format_bytes(bytes - hot), format_bytes(hot));
    return text;
  }

 private:
  Sides need(std::span<const Case* const> cases, Cache cache) const {
    return memory_need(cases, cache, options_.cache_bytes).total();
  }

  Cache cache_;
  const PlanOptions& options_;
};

/// Returns the case of `list` that needs the most memory on this side by itself; null if all are
/// skipped. Of equal cases it is the last, because the first is usually the baseline.
Case* largest(std::vector<Case>& list, const Room& room, const Side& side) {
  Case* found = nullptr;
  std::int64_t most = -1;
  for (Case& planned : list) {
    if (planned.skip) continue;
    const std::int64_t bytes = room.need(planned).*side.bytes;
    if (bytes < most) continue;
    found = &planned;
    most = bytes;
  }
  return found;
}

}  // namespace

bool fits(const Group& group, Cache cache, const PlanOptions& options) {
  const Room room(cache, options);
  return room.lacking(room.need(group.runnable())) == nullptr;
}

std::int64_t batch_to_fit(const Group& group, Cache cache, const PlanOptions& options) {
  const std::vector<const Case*> cases = group.runnable();
  if (fits(group, cache, options) || cache == Cache::Hot || cases.front()->inputs.empty()) return 0;
  const std::int64_t asked = cases.front()->images();
  std::int64_t fewest = 0;
  for (const Case* const planned : cases) {
    if (planned->inputs.size() != 1 || planned->images() != asked) return 0;
    const std::int64_t image_bytes = planned->values.front().desc.bytes() / asked;
    for (const Side& side : sides)
      fewest = std::max(fewest, 3 * options.cache_bytes.*side.bytes / image_bytes + 1);
  }
  return fewest < asked ? fewest : 0;
}

void skip_too_large(const Group& group, std::vector<Case>& list, Cache cache,
                    const PlanOptions& options) {
  const Room room(cache, options);
  for (Case& planned : list) {
    if (planned.skip) continue;
    if (const Side* side = room.lacking(room.need(planned))) {
      planned.skip_kind = Skip::NoMemory;
      planned.skip = "needs " + room.text(*side, std::array<const Case*, 1>{&planned});
    }
  }
  while (true) {
    const std::vector<const Case*> all = group.runnable();
    const Side* side = room.lacking(room.need(all));
    Case* planned = side == nullptr ? nullptr : largest(list, room, *side);
    if (planned == nullptr) return;
    planned->skip_kind = Skip::NoMemory;
    planned->skip =
        fmt::format("its group needs {}, and this case needs most of it", room.text(*side, all));
  }
}

}  // namespace normbench

#include "plan/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/units.h"
#include "plan/memory.h"

namespace normbench {
namespace {

/// The host or the device: its name, and the members of `Sides` and `SideNotes` that are about it.
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

  CaseMemory memory_of(const Case& planned) const {
    return normbench::memory_of(planned, options_.all_threads);
  }

  /// Returns the first side on which `need` exceeds free memory; null if there is none. A side with
  /// unknown free memory (0) is left out.
  const Side* lacking(const Sides& need) const {
    const auto lacks = [&](const Side& side) {
      const std::int64_t free = options_.free_bytes.*side.bytes;
      return free > 0 && need.*side.bytes > free;
    };
    const auto found = std::ranges::find_if(sides, lacks);
    return found == sides.end() ? nullptr : &*found;
  }

  /// The memory that cases of one group need together. `sum_` is the need with the group's cache
  /// setting (cold or hot buffers), and `hot_` is the need with hot buffers.
  class Together {
   public:
    explicit Together(const Room& room)
        : room_(room),
          sum_(room.cache_, room.options_.cache_bytes),
          hot_(Cache::Hot, room.options_.cache_bytes) {}

    void add(const CaseMemory& one) {
      sum_.add(one);
      hot_.add(one);
    }
    Sides need() const { return sum_.need().total(); }
    const Side* lacking() const { return room_.lacking(need()); }
    /// Returns how much memory the cases need on a side and how much is free, like "12.4 GB of host
    /// memory, 8.1 GB are free (...)". If the cases would need much less with hot buffers, the text
    /// also says how much.
    std::string text(const Side& side) const {
      const PlanOptions& options = room_.options_;
      const std::string& note = options.free_notes.*side.note;
      const std::int64_t bytes = need().*side.bytes, hot = hot_.need().total().*side.bytes;
      std::string text = fmt::format("{} of {} memory, {} are free{}", format_bytes(bytes),
                                     side.name, format_bytes(options.free_bytes.*side.bytes),
                                     note.empty() ? "" : fmt::format(" ({})", note));
      if (bytes - hot > hot / 10)
        text +=
            fmt::format("; {} of it are copies that exceed the cache (--set cache=hot needs {})",
                        format_bytes(bytes - hot), format_bytes(hot));
      return text;
    }

   private:
    const Room& room_;
    MemorySum sum_, hot_;
  };

  Together alone(const CaseMemory& one) const {
    Together together(*this);
    together.add(one);
    return together;
  }

 private:
  Cache cache_;
  const PlanOptions& options_;
};

/// A case that may be skipped, and the memory that it needs.
struct Weighed {
  Case* planned = nullptr;
  CaseMemory memory = {};
  Sides alone = {};  // the need of the case if it runs alone
};

void skip(Case& planned, std::string why) {
  planned.skip_kind = Skip::NoMemory;
  planned.skip = std::move(why);
}

/// Skips each case of `list` that needs more than the free memory even if it runs alone. Returns
/// the other cases of `list`, without those that were skipped before.
std::vector<Weighed> weighed(std::vector<Case>& list, const Room& room) {
  std::vector<Weighed> left;
  for (Case& planned : list) {
    if (planned.skip) continue;
    Weighed one{.planned = &planned, .memory = room.memory_of(planned)};
    const Room::Together alone = room.alone(one.memory);
    one.alone = alone.need();
    if (const Side* const side = alone.lacking())
      skip(planned, "needs " + alone.text(*side));
    else
      left.push_back(std::move(one));
  }
  return left;
}

/// Skips the cases that need the most memory on `side`, as many as necessary for the rest to fit
/// there beside the cases that `together` has already. If cases have equal needs, the last of them
/// is skipped first, because the first is usually the baseline. A case cannot be taken out of
/// `together`, so the loop adds the smallest case first, and skips those that no longer fit.
void skip_largest(std::vector<Weighed>& cases, const Side& side, Room::Together together) {
  std::ranges::stable_sort(cases, {}, [&](const Weighed& one) { return one.alone.*side.bytes; });
  std::size_t fit = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    together.add(cases[i].memory);
    if (together.lacking() != &side)
      fit = i + 1;
    else
      skip(*cases[i].planned,
           fmt::format("its group needs {}, and this case needs most of it", together.text(side)));
  }
  cases.resize(fit);
}

}  // namespace

bool fits(const Group& group, Cache cache, const PlanOptions& options) {
  const Room room(cache, options);
  Room::Together together(room);
  for (const Case* planned : group.runnable()) together.add(room.memory_of(*planned));
  return together.lacking() == nullptr;
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
  std::vector<Weighed> left = weighed(list, room);
  Room::Together others(room);
  for (const auto* other : {&group.cases, &group.limits})
    for (const Case& planned : *other)
      if (other != &list && !planned.skip) others.add(room.memory_of(planned));
  while (true) {
    Room::Together all = others;
    for (const Weighed& one : left) all.add(one.memory);
    const Side* const side = all.lacking();
    if (side == nullptr || left.empty()) return;
    skip_largest(left, *side, others);
    std::ranges::sort(left, {}, &Weighed::planned);
  }
}

}  // namespace normbench

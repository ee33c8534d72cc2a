#include "plan/memory.h"

#include <algorithm>

#include "machine/environment.h"
#include "plan/buffers.h"
#include "plan/pipeline.h"

namespace normbench {
namespace {

std::int64_t whole(double bytes) { return static_cast<std::int64_t>(std::min(bytes, 0x1p60)); }

/// Bytes of host and device memory, as doubles because products may overflow integers.
struct Amounts {
  double host = 0, device = 0;

  double& of(Memory memory) { return host_reaches(memory) ? host : device; }
  Amounts& operator+=(const Amounts& more) {
    host += more.host;
    device += more.device;
    return *this;
  }
  Sides rounded() const { return {.host = whole(host), .device = whole(device)}; }
};

std::int64_t of_side(const Sides& sides, Memory memory) {
  return host_reaches(memory) ? sides.host : sides.device;
}

struct Rotation {
  Cache cache;
  Sides cache_bytes;
  Sides sets;

  std::int64_t copies_of_source(const Case& planned) const {
    return source_copies(planned, cache, of_side(cache_bytes, planned.values.front().desc.memory));
  }
};

/// Returns the bytes that an iteration touches on this side, in whole cache lines; 0 if no buffers
/// rotate there, because no output of this process has its own buffer there.
std::int64_t rotating_bytes(const Case& planned, Memory side) {
  const bool rotates =
      planned.peer.empty() && std::ranges::any_of(planned.values, [&](const Value& value) {
        return value.producer >= 0 && value.in_place_of < 0 && same_side(value.desc.memory, side);
      });
  return rotates ? touched_bytes(planned, 0, static_cast<int>(planned.stages.size()), side, 64) : 0;
}

/// Returns true if two inputs hold the same values.
bool are_alike(const Input& one, const Input& other) {
  if (one.source != other.source || one.value != other.value ||
      (one.setup == nullptr) != (other.setup == nullptr))
    return false;
  if (one.setup == nullptr || one.setup == other.setup) return true;
  return std::ranges::equal(one.setup->inputs, other.setup->inputs, are_alike) &&
         std::ranges::equal(one.setup->stages, other.setup->stages,
                            [](const Stage& a, const Stage& b) {
                              return name_of(a.op) == name_of(b.op) &&
                                     a.parameters == b.parameters && a.in == b.in;
                            });
}

/// Returns the bytes of all copies of the inputs. Shared inputs count once.
Amounts source_bytes(std::span<const Case* const> cases, const Rotation& rotation) {
  Amounts bytes;
  for (auto one = cases.begin(); one != cases.end(); ++one) {
    if ((*one)->inputs.empty()) continue;
    const auto shares = [&](const Case* other) {
      return !other->inputs.empty() && share_inputs(*other, **one);
    };
    if (std::any_of(cases.begin(), one, shares)) continue;
    bytes.of((*one)->values.front().desc.memory) +=
        static_cast<double>(rotation.copies_of_source(**one)) *
        static_cast<double>(input_bytes(**one));
  }
  return bytes;
}

Amounts arena_bytes(std::span<const Case* const> cases, const Rotation& rotation) {
  Amounts bytes;
  for (const auto& [arena, most] : arenas_of(cases, rotation.sets))
    bytes.of(arena.first) += static_cast<double>(most);
  return bytes;
}

/// Returns the bytes that peers hold in their processes: copies of the source, and the outputs.
/// Outputs in device memory count once for each copy of the source.
Amounts peer_bytes(std::span<const Case* const> cases, const Rotation& rotation) {
  Amounts bytes;
  for (const Case* planned : cases) {
    if (planned->peer.empty()) continue;
    const std::int64_t rotating = planned->inputs.empty() ? 1 : rotation.copies_of_source(*planned);
    for (std::size_t i = 0; i < planned->values.size(); ++i) {
      const Value& value = planned->values[i];
      if (value.in_place_of >= 0) continue;
      const bool lives_on = value.desc.memory == Memory::Device &&
                            std::ranges::count(planned->outputs, static_cast<int>(i)) > 0;
      // A peer has at least two inputs, which differ.
      const std::int64_t copies = value.producer < 0 ? std::max<std::int64_t>(2, rotating)
                                  : lives_on         ? rotating
                                                     : 1;
      bytes.of(value.desc.memory) +=
          static_cast<double>(copies) * static_cast<double>(value.desc.bytes());
    }
  }
  return bytes;
}

double values_per_image(const Shape& shape) {
  return static_cast<double>(shape.c) * static_cast<double>(shape.h) * static_cast<double>(shape.w);
}

/// Returns the number of values per image between the two passes of the reference of `resize`: new
/// width, old height.
double between_passes(const Signature& s) {
  const Shape &in = s.in[0].shape, &out = s.out[0].shape;
  return values_per_image({.n = 1, .c = in.c, .h = in.h, .w = out.w});
}

/// Returns the bytes of the filter taps of `resize` in kernel and reference, for every output row
/// and column.
double filter_bytes(const Signature& s) {
  const Shape &in = s.in[0].shape, &out = s.out[0].shape;
  return 128 * static_cast<double>(out.h + out.w) +
         32 * static_cast<double>(std::max(in.h, out.h) + std::max(in.w, out.w));
}

/// Returns true if no reference exists, so that the output is compared with that of another case.
bool is_held_to_others(const Case& planned) {
  return std::ranges::any_of(planned.stages,
                             [](const Stage& stage) { return is_peer_only(stage.op); });
}

double bytes_in_double(const Case& planned) {
  return 8 * static_cast<double>(planned.result().elements());
}

/// Returns the bytes for computing the setup: its values in double, and a copy of the inputs of a
/// stage.
double setup_bytes(const Case& planned) {
  const auto made = std::ranges::find_if(planned.inputs,
                                         [](const Input& input) { return input.setup != nullptr; });
  double values = 0;
  if (made != planned.inputs.end())
    for (const Value& value : made->setup->values)
      values += 2 * static_cast<double>(value.desc.elements());
  return 8 * values;
}

/// Returns the bytes for a check of the case in double:
/// - the values of a slab, each with its error bound;
/// - four times the largest tensor of a slab, for intermediate values and copies;
/// - for `resize`, twice the image between its passes.
/// If a team checks a row-wise case, the slab is at least as large as the rows of all its threads.
/// An output that is compared with that of another case is held whole.
double check_bytes(const Case& planned) {
  if (is_held_to_others(planned)) return bytes_in_double(planned);
  double values = 0, largest = 0;
  for (const Value& value : planned.values) {
    values += values_per_image(value.desc.shape);
    largest = std::max(largest, values_per_image(value.desc.shape));
  }
  for (const Stage& stage : planned.stages) {
    if (!has_reference(stage.op)) return 0;
    if (std::holds_alternative<Resize>(stage.op)) values += 2 * between_passes(stage.signature);
  }
  const std::int64_t images = std::min(slab_images(planned), planned.images());
  auto at_once = static_cast<double>(images);
  if (planned.row_wise()) {
    const double of_team = static_cast<double>(part_rows(planned) * available_threads()) /
                           static_cast<double>(planned.values.front().desc.shape.h);
    at_once = std::max(at_once, std::min(of_team, static_cast<double>(planned.images())));
  }
  return 8 * (2 * values + 4 * largest) * at_once;
}

/// The bytes of a case besides sources and arenas.
struct Extra {
  Amounts held;     // until the group ends
  Amounts passing;  // while the case runs or is checked
};

Extra extra_of(const Case& planned, const Sides& all_sets) {
  Extra extra;
  const std::vector<Slot> slots = storage_of(planned);
  std::vector<int> results;
  for (const int output : planned.outputs) results.push_back(buffer_of(planned, output));
  double placed = 0;
  const double at_once = planned.pipeline ? planned.pipeline->in_flight : 1;
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    const auto bytes = static_cast<double>(slots[i].bytes);
    if (slots[i].kind == Slot::Kind::Placed) ++placed;
    if (slots[i].kind != Slot::Kind::Fresh) continue;
    if (host_reaches(slots[i].memory))
      extra.passing.host += at_once * bytes;
    else  // in device memory an output is kept for each set
      extra.held.device += planned.resident ? bytes : static_cast<double>(all_sets.device) * bytes;
    if (std::ranges::find(results, i) == results.end()) continue;
    // The check of the last call keeps the output; other checks keep one image.
    extra.held.of(slots[i].memory) += bytes;
    extra.held.host += bytes / static_cast<double>(planned.images());
  }
  // Every slot has an address (8 bytes) in each set. Placing the buffers takes an order and an
  // offset (16 bytes) for each.
  const auto sets = static_cast<double>(std::max(all_sets.host, all_sets.device));
  if (is_held_to_others(planned))
    extra.held.host += bytes_in_double(planned);  // to compare with outputs of other cases
  extra.held.host += 8 * sets * static_cast<double>(slots.size());
  extra.passing.host += 16 * sets * placed + check_bytes(planned);
  for (const Stage& stage : planned.stages) {
    if (std::holds_alternative<Resize>(stage.op))
      extra.held.host += at_once * filter_bytes(stage.signature);
    // The kernel row allocates host memory to copy back to.
    if (roles_of(stage.op).link == LinkUse::BothWays)
      extra.held.host += at_once * static_cast<double>(stage.signature.out[0].bytes());
  }
  if (planned.pipeline && planned.pipeline->part)
    for (const int value : values_fed(planned))
      extra.held.host +=
          static_cast<double>(items_fed(planned)) *
          static_cast<double>(planned.values[static_cast<std::size_t>(value)].desc.bytes());
  if (planned.pipeline)  // a check keeps two outputs, and one per item in flight
    extra.passing.host += (2 + at_once) * static_cast<double>(planned.output_bytes());
  if (!planned.peer.empty()) {
    // The source and the output pass through files, which may be in memory.
    extra.passing.host += static_cast<double>(input_bytes(planned) + planned.output_bytes());
    extra.held.host += static_cast<double>(input_bytes(planned));  // the other input
  }
  if (!planned.inputs.empty() && !host_caches(planned.values.front().desc.memory))
    extra.passing.host +=
        2 * static_cast<double>(input_bytes(planned));  // the generated input, and a copy of it
  extra.passing.host += setup_bytes(planned);
  return extra;
}

}  // namespace

std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes) {
  std::int64_t least = 0, in_flight = 1;
  for (const Case* planned : cases)
    if (planned->pipeline)
      in_flight = std::max<std::int64_t>(in_flight, planned->pipeline->in_flight);
  if (cache == Cache::Hot) return in_flight;
  for (const Case* planned : cases) {
    if (planned->resident) continue;
    const std::int64_t bytes = rotating_bytes(*planned, side);
    if (bytes > 0 && (least == 0 || bytes < least)) least = bytes;
  }
  return least == 0 ? in_flight : std::max(in_flight, 3 * cache_bytes / least + 1);
}

std::int64_t source_copies(const Case& planned, Cache cache, std::int64_t cache_bytes) {
  if (cache == Cache::Hot || planned.resident) return 1;
  return 3 * cache_bytes / input_bytes(planned) + 1;
}

std::int64_t input_bytes(const Case& planned) {
  std::size_t bytes = 0;
  for (const Input& input : planned.inputs)
    bytes += whole_lines(static_cast<std::size_t>(input.source.desc().bytes()),
                         alignment_of(input.source.memory));
  return static_cast<std::int64_t>(bytes);
}

bool share_inputs(const Case& one, const Case& other) {
  return one.resident == other.resident &&
         std::ranges::equal(one.inputs, other.inputs, are_alike) &&
         storage_of(one).front().near_link == storage_of(other).front().near_link;
}

std::map<std::pair<Memory, bool>, std::size_t> arenas_of(std::span<const Case* const> cases,
                                                         const Sides& sets) {
  std::map<std::pair<Memory, bool>, std::size_t> arenas;
  for (const Case* planned : cases) {
    const std::vector<Slot> slots = storage_of(*planned);
    for (const auto& kind : words(Memory{}))
      for (const bool near_link : {false, true}) {
        const auto sizes = placed_sizes(slots, kind.value, near_link);
        if (sizes.empty()) continue;
        const std::int64_t count = planned->resident ? 1 : of_side(sets, kind.value);
        std::size_t& bytes = arenas[{kind.value, near_link}];
        bytes = std::max(bytes, placement_bytes(sizes, static_cast<std::size_t>(count),
                                                alignment_of(kind.value)));
      }
  }
  return arenas;
}

std::int64_t slab_images(const Case& planned) {
  if (planned.whole_batch()) return planned.images();
  // This many values with their error bounds fit in the caches of most CPUs.
  constexpr std::int64_t slab_elements = 1'000'000;
  std::int64_t per_image = 0;
  for (const Value& value : planned.values)
    per_image += value.desc.elements() / std::max<std::int64_t>(1, value.desc.shape.n);
  return std::max<std::int64_t>(1, slab_elements / std::max<std::int64_t>(1, per_image));
}

std::int64_t part_rows(const Case& planned) {
  constexpr std::int64_t elements = 15'000;
  const Shape& shape = planned.values.front().desc.shape;
  return std::clamp<std::int64_t>(elements / std::max<std::int64_t>(1, shape.c * shape.w), 1,
                                  shape.h);
}

MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes) {
  const Rotation rotation{
      .cache = cache,
      .cache_bytes = cache_bytes,
      .sets = {.host = buffer_sets(cases, cache, Memory::Pageable, cache_bytes.host),
               .device = buffer_sets(cases, cache, Memory::Device, cache_bytes.device)}};
  Amounts kept = source_bytes(cases, rotation);
  kept += arena_bytes(cases, rotation);
  kept += peer_bytes(cases, rotation);
  Amounts held, passing;
  for (const Case* planned : cases) {
    const Extra extra = extra_of(*planned, rotation.sets);
    held += extra.held;
    passing.host = std::max(passing.host, extra.passing.host);
    passing.device = std::max(passing.device, extra.passing.device);
  }
  passing += held;
  return {.kept = kept.rounded(), .passing = passing.rounded()};
}

Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes) {
  return memory_need(group.runnable(), measure.cache, cache_bytes).total();
}

}  // namespace normbench

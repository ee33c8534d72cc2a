#include "plan/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "machine/environment.h"
#include "plan/buffers.h"
#include "plan/pipeline.h"

namespace normbench {
namespace {

std::int64_t whole(double bytes) { return static_cast<std::int64_t>(std::min(bytes, 0x1p60)); }

Sides rounded(const Amounts& bytes) {
  return {.host = whole(bytes.host), .device = whole(bytes.device)};
}

std::int64_t of_side(const Sides& sides, Memory memory) {
  return host_reaches(memory) ? sides.host : sides.device;
}

/// Returns the bytes that an iteration touches on this side (host or device), in whole cache lines.
/// Returns 0 if all iterations use the same buffers there, because a peer runs the case, or no
/// stage has an output with its own buffer on this side.
std::int64_t rotating_bytes(const Case& planned, Memory side) {
  const bool rotates =
      planned.peer.empty() && std::ranges::any_of(planned.values, [&](const Value& value) {
        return value.producer >= 0 && value.in_place_of < 0 && same_side(value.desc.memory, side);
      });
  return rotates ? touched_bytes(planned, 0, static_cast<int>(planned.stages.size()), side, 64) : 0;
}

/// Adds a word to a key. Different lists of words give different keys.
void add_word(std::string_view word, std::string& key) {
  key += fmt::format("{}:{}", word.size(), word);
}

void add_source(const Source& source, std::string& key) {
  const auto [n, c, h, w] = source.shape.extents();
  key += fmt::format("{} {} {} {} {} {} {} {} {} {} {} ", name_of(source.dtype),
                     arrangement_of(source.desc()), name_of(source.memory), n, c, h, w,
                     static_cast<int>(source.values.distribution), source.values.first,
                     source.values.second, source.seed);
  add_word(source.path, key);
}

/// Adds to the key everything that determines the values of a case's inputs.
void add_inputs(const Case& planned, std::string& key) {
  for (const Input& input : planned.inputs) {
    add_source(input.source, key);
    key += fmt::format(" {}{}", input.value, input.setup ? "[" : ";");
    if (input.setup == nullptr) continue;
    add_inputs(*input.setup, key);
    for (const Stage& stage : input.setup->stages) {
      add_word(name_of(stage.op), key);
      add_word(stage.parameters.dump(), key);
      for (const int value : stage.in) key += fmt::format("{} ", value);
    }
    key += ']';
  }
}

std::int64_t copies(Cache cache, bool resident, std::int64_t bytes, std::int64_t cache_bytes) {
  return cache == Cache::Hot || resident ? 1 : 3 * cache_bytes / bytes + 1;
}

/// Returns the arenas (memory that all cases of a group share) that the case uses, each with the
/// bytes of one buffer set of the case.
std::vector<CaseMemory::Arena> arenas_in(const std::vector<Slot>& slots) {
  std::vector<CaseMemory::Arena> arenas;
  for (const auto& kind : words(Memory{}))
    for (const bool near_link : {false, true})
      if (const auto sizes = placed_sizes(slots, kind.value, near_link); !sizes.empty())
        arenas.push_back({.memory = kind.value,
                          .near_link = near_link,
                          .bytes = placement_bytes(sizes, 1, alignment_of(kind.value))});
  return arenas;
}

/// Returns the size of an arena for `sets` buffer sets of `bytes` bytes each. If `sets` is 0, the
/// arena has room for one set.
std::size_t arena_bytes(std::size_t bytes, std::int64_t sets) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, sets));
  return bytes > SIZE_MAX / count ? SIZE_MAX : bytes * count;
}

/// Adds the bytes of the values that a peer (another program) holds in its process. The peer holds
/// several copies of the inputs, and with each copy the case's outputs in device memory. All other
/// values are needed once.
void add_peer(const Case& planned, CaseMemory& memory) {
  if (planned.peer.empty()) return;
  for (std::size_t i = 0; i < planned.values.size(); ++i) {
    const Value& value = planned.values[i];
    if (value.in_place_of >= 0) continue;
    const bool lives_on = value.desc.memory == Memory::Device &&
                          std::ranges::count(planned.outputs, static_cast<int>(i)) > 0;
    Amounts& bytes = value.producer < 0 ? memory.peer_inputs
                     : lives_on         ? memory.peer_results
                                        : memory.peer_once;
    bytes.of(value.desc.memory) += static_cast<double>(value.desc.bytes());
  }
}

/// Returns the number of buffer sets (see buffer_sets()) on a side, the host or the device, if each
/// iteration touches at least `least` bytes there. If `least` is 0, all iterations use the same
/// buffers there, and each item in flight has one set.
std::int64_t sets_for(std::int64_t in_flight, std::int64_t least, Cache cache,
                      std::int64_t cache_bytes) {
  if (cache == Cache::Hot || least == 0) return in_flight;
  return std::max(in_flight, 3 * cache_bytes / least + 1);
}

void lower(std::int64_t bytes, std::int64_t& least) {
  if (bytes > 0 && (least == 0 || bytes < least)) least = bytes;
}

/// Returns the number of values of an image in a check. YCbCr images count as RGB images, because
/// references convert them.
double values_per_image(const Shape& shape) {
  return static_cast<double>(shape.c) * static_cast<double>(shape.h) * static_cast<double>(shape.w);
}

/// The reference of `resize` first resizes each row to the new width, and then each column to the
/// new height. Returns the number of values per image between these two passes.
double between_passes(const Signature& s) {
  const Shape &in = s.in[0].shape, &out = s.out[0].shape;
  return values_per_image({.n = 1, .c = in.c, .h = in.h, .w = out.w});
}

/// Returns the bytes of the filter taps that the kernel and the reference of `resize` keep for
/// every output row and column.
double filter_bytes(const Signature& s) {
  const Shape &in = s.in[0].shape, &out = s.out[0].shape;
  return 128 * static_cast<double>(out.h + out.w) +
         32 * static_cast<double>(std::max(in.h, out.h) + std::max(in.w, out.w));
}

/// Returns true if the case has a stage without a reference, because only peers (other libraries)
/// run its op. The output is then compared with the output of another case.
bool is_held_to_others(const Case& planned) {
  return std::ranges::any_of(planned.stages,
                             [](const Stage& stage) { return is_network(stage.op); });
}

double bytes_in_double(const Case& planned) {
  return 8 * static_cast<double>(planned.result().elements());
}

/// Returns the bytes that are needed to compute the setup (stages that compute inputs once): its
/// values in double, and copies of them that are the inputs of a stage.
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
/// - the values of a slab (slab_images() images), each value with its error bound;
/// - four times the largest tensor of a slab, for intermediate values and copies;
/// - for `resize`, twice the image between its passes.
/// If Case::row_wise() is true, a team of threads may check the case. The slab is then at least as
/// large as the rows that all threads check at once. If the output is compared with the output of
/// another case, the check has no slabs, and the result is the size of the whole output.
double check_bytes(const Case& planned, int threads) {
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
    const double of_team = static_cast<double>(part_rows(planned) * threads) /
                           static_cast<double>(planned.values.front().desc.shape.h);
    at_once = std::max(at_once, std::min(of_team, static_cast<double>(planned.images())));
  }
  return 8 * (2 * values + 4 * largest) * at_once;
}

/// Adds the number of slots of a case, and the bytes of its fresh slots. A slot holds a value or
/// the scratch memory of a stage; a fresh slot is allocated in each iteration.
void add_slots(const Case& planned, const std::vector<Slot>& slots, CaseMemory& memory) {
  std::vector<int> results;
  for (const int output : planned.outputs) results.push_back(buffer_of(planned, output));
  memory.slots = static_cast<double>(slots.size());
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    const auto bytes = static_cast<double>(slots[i].bytes);
    if (slots[i].kind == Slot::Kind::Placed) ++memory.placed;
    if (slots[i].kind != Slot::Kind::Fresh) continue;
    if (host_reaches(slots[i].memory))
      memory.passing += static_cast<double>(memory.in_flight) * bytes;
    else  // freed device buffers are kept until the item has used all sets
      (planned.resident ? memory.held.device : memory.held_per_set) += bytes;
    if (std::ranges::find(results, i) == results.end()) continue;
    // The check of the last call keeps the whole output. Other checks keep one image.
    memory.held.of(slots[i].memory) += bytes;
    memory.held.host += bytes / static_cast<double>(planned.images());
  }
}

/// Adds the memory that a pipeline needs in addition to its slots.
void add_pipeline(const Case& planned, CaseMemory& memory) {
  if (!planned.pipeline) return;
  if (planned.pipeline->part)
    for (const int value : values_fed(planned))
      memory.held.host +=
          static_cast<double>(items_fed(planned)) *
          static_cast<double>(planned.values[static_cast<std::size_t>(value)].desc.bytes());
  // A check keeps the outputs of two items, and of each item in flight.
  memory.passing +=
      static_cast<double>(2 + memory.in_flight) * static_cast<double>(planned.output_bytes());
}

/// Adds the memory that the stages allocate themselves.
void add_stages(const Case& planned, CaseMemory& memory) {
  const auto at_once = static_cast<double>(memory.in_flight);
  for (const Stage& stage : planned.stages) {
    if (std::holds_alternative<Resize>(stage.op))
      memory.held.host += at_once * filter_bytes(stage.signature);
    // The kernel row of `exchange` allocates the host memory to which it copies back.
    if (roles_of(stage.op).link == LinkUse::BothWays)
      memory.held.host += at_once * static_cast<double>(stage.signature.out[0].bytes());
  }
}

}  // namespace

std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes) {
  std::int64_t least = 0, in_flight = 1;
  for (const Case* planned : cases) {
    if (planned->pipeline)
      in_flight = std::max<std::int64_t>(in_flight, planned->pipeline->in_flight);
    if (!planned->resident && cache != Cache::Hot) lower(rotating_bytes(*planned, side), least);
  }
  return sets_for(in_flight, least, cache, cache_bytes);
}

std::int64_t source_copies(const Case& planned, Cache cache, std::int64_t cache_bytes) {
  return copies(cache, planned.resident, input_bytes(planned), cache_bytes);
}

std::int64_t input_bytes(const Case& planned) {
  std::size_t bytes = 0;
  for (const Input& input : planned.inputs)
    bytes += whole_lines(static_cast<std::size_t>(input.source.desc().bytes()),
                         alignment_of(input.source.memory));
  return static_cast<std::int64_t>(bytes);
}

std::string inputs_key(const Case& planned) {
  std::string key = fmt::format("{} {} ", planned.resident, storage_of(planned).front().near_link);
  add_inputs(planned, key);
  return key;
}

std::map<std::pair<Memory, bool>, std::size_t> arenas_of(std::span<const Case* const> cases,
                                                         const Sides& sets) {
  std::map<std::pair<Memory, bool>, std::size_t> arenas;
  for (const Case* planned : cases)
    for (const CaseMemory::Arena& one : arenas_in(storage_of(*planned))) {
      std::size_t& bytes = arenas[{one.memory, one.near_link}];
      bytes = std::max(bytes,
                       arena_bytes(one.bytes, planned->resident ? 1 : of_side(sets, one.memory)));
    }
  return arenas;
}

std::int64_t slab_images(const Case& planned) {
  if (planned.whole_batch()) return planned.images();
  // This many values, with their error bounds, fit in the caches of most CPUs.
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

CaseMemory memory_of(const Case& planned, int threads) {
  const std::vector<Slot> slots = storage_of(planned);
  CaseMemory memory{.resident = planned.resident, .arenas = arenas_in(slots)};
  if (planned.pipeline) memory.in_flight = planned.pipeline->in_flight;
  if (!planned.resident)
    memory.rotating = {.host = rotating_bytes(planned, Memory::Pageable),
                       .device = rotating_bytes(planned, Memory::Device)};
  if (!planned.inputs.empty()) {
    memory.inputs = inputs_key(planned);
    memory.inputs_memory = planned.values.front().desc.memory;
    memory.input_bytes = input_bytes(planned);
  }
  add_peer(planned, memory);
  add_slots(planned, slots, memory);
  add_stages(planned, memory);
  add_pipeline(planned, memory);
  const auto of_inputs = static_cast<double>(memory.input_bytes);
  if (is_held_to_others(planned))
    memory.held.host += bytes_in_double(planned);  // to compare with outputs of other cases
  memory.passing += check_bytes(planned, threads) + setup_bytes(planned);
  if (!planned.peer.empty()) {
    // The inputs and the outputs go to and from a peer in files, which may be in memory.
    memory.passing += of_inputs + static_cast<double>(planned.output_bytes());
    memory.held.host += of_inputs;  // a peer gets two different inputs; this is the second
  }
  if (!planned.inputs.empty() && !host_caches(memory.inputs_memory))
    memory.passing += 2 * of_inputs;  // the generated input, and a copy of it
  return memory;
}

void MemorySum::add(const CaseMemory& one) {
  in_flight_ = std::max(in_flight_, one.in_flight);
  lower(one.rotating.host, least_rotating_.host);
  lower(one.rotating.device, least_rotating_.device);
  double rotating = 1;
  if (!one.inputs.empty()) {
    rotating = static_cast<double>(
        copies(cache_, one.resident, one.input_bytes, of_side(cache_bytes_, one.inputs_memory)));
    if (inputs_.insert(one.inputs).second)
      kept_.of(one.inputs_memory) += rotating * static_cast<double>(one.input_bytes);
  }
  for (const CaseMemory::Arena& arena : one.arenas) {
    auto& [of_sets, of_resident] = arenas_[{arena.memory, arena.near_link}];
    std::size_t& most = one.resident ? of_resident : of_sets;
    most = std::max(most, arena.bytes);
  }
  // A peer has at least two copies of its inputs, with different values.
  const double peer_inputs = std::max(2.0, rotating);
  kept_.host += peer_inputs * one.peer_inputs.host + rotating * one.peer_results.host;
  kept_.device += peer_inputs * one.peer_inputs.device + rotating * one.peer_results.device;
  kept_ += one.peer_once;
  held_ += one.held;
  held_per_set_ += one.held_per_set;
  slots_ += one.slots;
  double& passing = passing_[one.placed];
  passing = std::max(passing, one.passing);
}

Sides MemorySum::sets() const {
  return {.host = sets_for(in_flight_, least_rotating_.host, cache_, cache_bytes_.host),
          .device = sets_for(in_flight_, least_rotating_.device, cache_, cache_bytes_.device)};
}

MemoryNeed MemorySum::need() const {
  const Sides each = sets();
  Amounts kept = kept_, passing = held_;
  for (const auto& [arena, most] : arenas_)
    kept.of(arena.first) += static_cast<double>(
        std::max(arena_bytes(most.first, of_side(each, arena.first)), most.second));
  // Every slot has an address (8 bytes) in each set. To place the buffers of a case at random
  // addresses, an index and an offset (16 bytes together) are needed for each buffer in each set.
  const auto most_sets = static_cast<double>(std::max(each.host, each.device));
  double largest = 0;
  for (const auto& [placed, bytes] : passing_)
    largest = std::max(largest, 16 * most_sets * placed + bytes);
  passing.host += 8 * most_sets * slots_ + largest;
  passing.device += static_cast<double>(each.device) * held_per_set_;
  return {.kept = rounded(kept), .passing = rounded(passing)};
}

MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes) {
  const int threads = available_threads();
  MemorySum sum(cache, cache_bytes);
  for (const Case* planned : cases) sum.add(memory_of(*planned, threads));
  return sum.need();
}

Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes) {
  return memory_need(group.runnable(), measure.cache, cache_bytes).total();
}

}  // namespace normbench

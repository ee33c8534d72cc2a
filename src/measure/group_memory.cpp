#include "measure/group_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "core/units.h"
#include "machine/affinity.h"
#include "machine/topology.h"
#include "measure/references.h"

namespace normbench {
namespace {

/// Draws a random multiple of `line` that is below `limit`. Both are in bytes.
std::size_t random_lines(std::size_t limit, std::size_t line, std::mt19937_64& random) {
  return line * std::uniform_int_distribution<std::size_t>(0, limit / line - 1)(random);
}

std::int64_t side_of(const Sides& sides, Memory memory) {
  return host_reaches(memory) ? sides.host : sides.device;
}

/// Returns the number of threads in the largest team that runs CPU stages of these cases; at least
/// 1.
int largest_team(std::span<const Case* const> cases) {
  int largest = 1;
  for (const Case* planned : cases)
    if (std::ranges::any_of(planned->stages,
                            [](const Stage& stage) { return stage.place == Place::Cpu; }))
      largest = std::max(largest, planned->threads);
  return largest;
}

}  // namespace

Arena::Arena(Backend& owner, Memory memory, std::size_t bytes, const TouchPlan& plan,
             const Touch& touch)
    : bytes_(bytes) {
  try {
    allocation_ = owner.allocate(memory, bytes);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("needs {} of {} memory: {}",
                                         format_bytes(static_cast<double>(bytes)), name_of(memory),
                                         error.what()));
  }
  if (!host_caches(memory))
    owner.fill(data(), std::byte{1}, bytes);
  else
    touch(data(), bytes, plan);
}

std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line) {
  std::vector<std::size_t> order(sizes.size() * sets);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);

  const std::size_t slack = capacity - placement_bytes(sizes, sets, line);
  std::size_t at = random_lines(slack + line, line, random);
  std::vector<std::size_t> offsets(order.size());
  for (const std::size_t buffer : order) {
    const std::size_t size = sizes[buffer % sizes.size()];
    at += random_lines(gap_limit(size, line), line, random);
    offsets[buffer] = at;
    at += whole_lines(size, line);
  }
  return offsets;
}

void moved_on(const View& from, std::byte* to, std::size_t pixels) {
  const Shape& shape = from.desc.shape;
  if (shape.is_ycbcr()) {
    for (std::int64_t n = 0; n < shape.n; ++n)
      for (std::int64_t c = 0; c < shape.c; ++c) {
        View plane = plane_view(from, c);
        plane.data += n * plane.desc.strides.n;
        plane.desc.shape.n = 1;
        moved_on(plane, to + (plane.data - from.data), pixels);
      }
    return;
  }
  const bool together = from.desc.layout == Layout::Nhwc;  // the channels of a pixel are adjacent
  const auto all = static_cast<std::size_t>(shape.h * shape.w),
             bytes = static_cast<std::size_t>(size_of(from.desc.dtype) * (together ? shape.c : 1)),
             runs = static_cast<std::size_t>(shape.n * (together ? 1 : shape.c)),
             on = all == 0 ? 0 : pixels % all;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::byte* const first = from.data + run * all * bytes;
    std::byte* const out = to + run * all * bytes;
    std::memcpy(out + on * bytes, first, (all - on) * bytes);
    std::memcpy(out, first + (all - on) * bytes, on * bytes);
  }
}

Sides cold_caches(const Backends& backends, std::int64_t last_level_cache_bytes) {
  const Backend* cuda = backends.at(Place::Cuda);
  const std::int64_t own = cuda == nullptr || cuda->unavailable() ? 0 : cuda->cache_bytes();
  return {.host = last_level_cache_bytes, .device = own > 0 ? own : last_level_cache_bytes};
}

HostNodes host_nodes(const Backends& backends) {
  const Backend* const cuda = backends.at(Place::Cuda);
  return {.link = cuda != nullptr ? cuda->link_node() : std::nullopt,
          .of_team = nodes_of(team_cpus(), topology().threads)};
}

GroupMemory::GroupMemory(std::span<const Case* const> cases, const Measure& measure,
                         const Backends& backends, std::int64_t cache_bytes, Copies copies)
    : GroupMemory(cases, measure, backends, cache_bytes, host_nodes(backends), copies) {}

GroupMemory::GroupMemory(std::span<const Case* const> cases, const Measure& measure,
                         const Backends& backends, std::int64_t cache_bytes, HostNodes nodes,
                         Copies copies)
    : backends_(backends),
      nodes_(std::move(nodes)),
      copies_(copies),
      caches_(cold_caches(backends, cache_bytes)),
      sets_{.host = buffer_sets(cases, measure.cache, Memory::Pageable, caches_.host),
            .device = buffer_sets(cases, measure.cache, Memory::Device, caches_.device)} {
  const int threads = largest_team(cases);
  for (const Case* planned : cases)
    if (!planned->inputs.empty() && !sources_.contains(inputs_key(*planned)))
      add_source(*planned, measure, threads);
  add_arenas(cases);
}

GroupMemory::Block GroupMemory::make_block(Memory memory, std::size_t bytes, bool near_link,
                                           const TouchPlan& plan) const {
  const bool for_link = near_link || cuda_owns(memory);
  try {
    const Bound bound = for_link && host_reaches(memory) ? bind_near_link() : nullptr;
    return {.arena = std::make_unique<Arena>(backends_.owner(memory), memory, bytes,
                                             for_link ? TouchPlan{} : plan, nodes_.touch),
            .error = ""};
  } catch (const std::exception& error) {
    return {.arena = nullptr, .error = error.what()};
  }
}

std::vector<int> GroupMemory::team_nodes(int threads) const {
  const auto size = static_cast<std::size_t>(threads);
  if (size > nodes_.of_team.size()) return {};  // a team with more threads than CPUs is not bound
  const std::vector<int> nodes(nodes_.of_team.begin(),
                               nodes_.of_team.begin() + static_cast<std::ptrdiff_t>(size));
  const bool several = std::ranges::any_of(nodes, [&](int node) { return node != nodes.front(); });
  return several ? nodes : std::vector<int>();
}

void GroupMemory::add_source(const Case& planned, const Measure& measure, int threads) {
  const Memory memory = planned.values.front().desc.memory;
  std::size_t stride = 0;
  std::vector<std::size_t> offsets;
  for (const Input& input : planned.inputs) {
    offsets.push_back(stride);
    stride +=
        whole_lines(static_cast<std::size_t>(input.source.desc().bytes()), alignment_of(memory));
  }
  const auto count =
      static_cast<std::size_t>(source_copies(planned, measure.cache, side_of(caches_, memory)));
  SharedSource shared{
      .first = &planned, .stride = stride, .count = count, .offsets = offsets, .block = {}};
  shared.block = make_block(
      memory, stride * count, storage_of(planned).front().near_link,
      team_nodes(threads).empty()
          ? TouchPlan{}
          : touched_by_readers(
                threads, static_cast<std::size_t>(planned.values.front().desc.bytes()), stride));
  if (shared.block.arena) try {
      fill(shared, static_cast<std::uint64_t>(measure.seed));
    } catch (const std::exception& error) {
      shared.block = {.arena = nullptr, .error = error.what()};
    }
  sources_.emplace(inputs_key(planned), std::move(shared));
}

void GroupMemory::fill_inputs(const SharedSource& shared, std::byte* copy, std::uint64_t seed) {
  const Case& planned = *shared.first;
  const auto view_of = [&](std::size_t input) {
    TensorDesc desc = planned.inputs[input].source.desc();
    desc.memory = Memory::Pageable;
    return View{.data = copy + shared.offsets[input], .desc = desc};
  };
  // The inputs that the setup makes are after all inputs from sources. A case has at most one
  // setup.
  const auto made = std::ranges::find_if(planned.inputs,
                                         [](const Input& input) { return input.setup != nullptr; });
  const auto sources = static_cast<std::size_t>(made - planned.inputs.begin());
  for (std::size_t i = 0; i < sources; ++i) planned.inputs[i].source.fill(view_of(i), seed);
  if (made == planned.inputs.end()) return;
  std::vector<Exact> given;
  for (std::size_t i = 0; i < sources; ++i) {
    const View view = view_of(i);
    given.push_back({.values = to_double(view, 0, view.desc.shape.n)});
  }
  std::vector<int> wanted;
  for (auto input = made; input != planned.inputs.end(); ++input) wanted.push_back(input->value);
  const auto values = exact_values(*made->setup, std::move(given), wanted);
  for (std::size_t i = 0; i < values.size(); ++i)
    from_double(values[i].values, view_of(sources + i), 0);
}

void GroupMemory::fill_copy(const SharedSource& shared, std::byte* first, std::byte* to,
                            std::size_t copy) const {
  for (std::size_t i = 0; i < shared.offsets.size(); ++i) {
    TensorDesc desc = shared.first->inputs[i].source.desc();
    desc.memory = Memory::Pageable;
    moved_on({.data = first + shared.offsets[i], .desc = desc}, to + shared.offsets[i],
             copies_ == Copies::Unlike ? copy : 0);
  }
}

void GroupMemory::fill(const SharedSource& shared, std::uint64_t seed) const {
  const Memory memory = shared.first->values.front().desc.memory;
  std::byte* const first = shared.block.arena->data();
  if (host_caches(memory)) {
    fill_inputs(shared, first, seed);
    for (std::size_t copy = 1; copy < shared.count; ++copy)
      fill_copy(shared, first, first + shared.stride * copy, copy);
    return;
  }
  Backend& owner = backends_.owner(memory);
  const auto bytes_of = [&](std::size_t input) {
    return static_cast<std::size_t>(shared.first->inputs[input].source.desc().bytes());
  };
  const std::size_t last = shared.offsets.size() - 1;
  const std::size_t bytes = shared.offsets[last] + bytes_of(last);
  Backend& host = backends_.owner(Memory::Pageable);
  const auto staging = host.allocate(Memory::Pageable, bytes),
             staged_copy = host.allocate(Memory::Pageable, bytes);
  fill_inputs(shared, staging->data(), seed);
  for (std::size_t copy = 0; copy < shared.count; ++copy) {
    fill_copy(shared, staging->data(), staged_copy->data(), copy);
    for (std::size_t i = 0; i <= last; ++i)
      owner.copy(first + shared.stride * copy + shared.offsets[i],
                 staged_copy->data() + shared.offsets[i], bytes_of(i));
  }
}

void GroupMemory::add_arenas(std::span<const Case* const> cases) {
  const std::vector<int> nodes = team_nodes(largest_team(cases));
  const TouchPlan plan = nodes.empty() ? TouchPlan{} : touched_in_turn(nodes);
  for (const auto& [kind, bytes] : arenas_of(cases, sets_))
    arenas_.emplace(kind, make_block(kind.first, bytes, kind.second, plan));
}

SourceCopies GroupMemory::inputs(const Case& planned) {
  if (planned.inputs.empty()) return {};  // the case loads files
  SharedSource& shared = sources_.at(inputs_key(planned));
  if (!shared.block.arena) throw std::runtime_error(shared.block.error);
  return {.first = shared.block.arena->data(),
          .stride = shared.stride,
          .count = shared.count,
          .offsets = shared.offsets};
}

Arena& GroupMemory::arena(Memory memory, bool near_link) {
  Block& block = arenas_.at({memory, near_link});
  if (!block.arena) throw std::runtime_error(block.error);
  return *block.arena;
}

}  // namespace normbench

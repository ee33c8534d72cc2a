#include "trace/read/packed_slices.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace normbench {
namespace {

/// Mixes the address of a text into a hash. This works because equal texts of one SliceTable have
/// the same address.
std::uint64_t mixed_text(std::uint64_t seed, std::string_view text) {
  return mixed(seed, reinterpret_cast<std::uintptr_t>(text.data()));
}

}  // namespace

SliceTable::SliceTable()
    : index_of_more_(0, Hash<More>{&more_}, Equal<More>{&more_}),
      index_of_facts_(0, Hash<Facts>{&facts_}, Equal<Facts>{&facts_}) {}

std::size_t SliceTable::hash_of(const More& more) {
  std::uint64_t hash = mixed_text(mixed_text(hash_seed(), more.shapes), more.label);
  for (const std::int64_t value :
       {more.bytes, more.long_ns, more.correlation, static_cast<std::int64_t>(more.external_id)})
    hash = mixed(hash, static_cast<std::uint64_t>(value));
  hash = mixed(hash, static_cast<std::uint64_t>(more.details) << 33 | more.depth);
  return mixed(hash, more.repeats) + (more.async ? 1 : 0);
}

std::size_t SliceTable::hash_of(const Facts& facts) {
  return mixed(mixed_text(hash_seed(), facts.name),
               std::uint64_t{facts.more} << 16 | facts.category);
}

template <class T>
std::uint32_t SliceTable::number_in(std::deque<T>& items, Index<T>& index, const T& item) {
  const auto next = static_cast<std::uint32_t>(items.size());
  items.push_back(item);
  const auto [found, is_new] = index.insert(next);
  if (!is_new) items.pop_back();
  return *found;
}

std::uint32_t SliceTable::number_of(const TraceSlice& slice, std::uint16_t category) {
  const More more{.shapes = slice.shapes,
                  .label = slice.label,
                  .bytes = slice.bytes,
                  .long_ns = slice.end_ns - slice.start_ns,
                  .external_id = slice.external_id,
                  .correlation = slice.correlation,
                  .details = slice.details,
                  .depth = slice.depth,
                  .async = slice.async};
  return number_in(facts_, index_of_facts_,
                   Facts{.name = slice.name,
                         .more = number_in(more_, index_of_more_, more),
                         .category = category});
}

std::uint32_t SliceTable::repeated(std::uint32_t number, std::uint64_t repeats) {
  Facts facts = facts_[number];
  More more = more_[facts.more];
  more.repeats = repeats;
  facts.more = number_in(more_, index_of_more_, more);
  return number_in(facts_, index_of_facts_, facts);
}

void SliceTable::fill(std::uint32_t number, TraceSlice& slice) const {
  const Facts& facts = facts_[number];
  const More& more = more_[facts.more];
  slice.name = facts.name;
  slice.kind = kinds_[facts.category];
  slice.async = more.async;
  slice.depth = more.depth;
  slice.bytes = more.bytes;
  slice.external_id = more.external_id;
  slice.correlation = more.correlation;
  slice.details = is_on_gpu(slice.kind) ? more.details : -1;
  slice.shapes = more.shapes;
  slice.label = more.label;
  slice.end_ns = slice.start_ns + more.long_ns;
}

void SliceTable::set_kind(std::uint16_t category, TraceKind kind) {
  if (kinds_.size() <= category) kinds_.resize(category + std::size_t{1}, TraceKind::Other);
  kinds_[category] = kind;
}

void PackedSlices::push_back(const TraceSlice& slice, std::uint16_t category) {
  Packed packed;
  packed.start_ns = slice.start_ns;
  // `rest` is what the table stores: the slice without the values that are stored in `packed`.
  TraceSlice rest = slice;
  rest.start_ns = rest.end_ns = 0;
  const std::int64_t duration_ns = slice.end_ns - slice.start_ns;
  packed.duration_ns = most;
  if (duration_ns < most)
    packed.duration_ns = static_cast<std::uint32_t>(duration_ns);
  else
    rest.end_ns = duration_ns;
  if (slice.external_id <= most) {
    packed.external_id = static_cast<std::uint32_t>(slice.external_id);
    rest.external_id = 0;
  }
  if (slice.correlation >= 0 && slice.correlation < most) {
    packed.correlation = static_cast<std::uint32_t>(slice.correlation) + 1;
    rest.correlation = -1;
  }
  packed.facts = table_->number_of(rest, category);
  if (!chunks_.empty() && chunks_.back().back() == packed) {
    ++repeats_;
    return;
  }
  finish();
  if (chunks_.empty() || chunks_.back().size() == chunk_size) {
    chunks_.emplace_back();
    if (chunks_.size() > 1) chunks_.back().reserve(chunk_size);
  }
  chunks_.back().push_back(packed);
}

void PackedSlices::finish() {
  if (repeats_ == 0) return;
  Packed& last = chunks_.back().back();
  last.facts = table_->repeated(last.facts, std::exchange(repeats_, 0));
}

TraceSlice PackedSlices::unpack(const Packed& packed) const {
  TraceSlice slice;
  slice.start_ns = packed.start_ns;
  table_->fill(packed.facts, slice);
  if (packed.duration_ns != most) slice.end_ns = packed.start_ns + packed.duration_ns;
  if (packed.external_id != 0) slice.external_id = packed.external_id;
  if (packed.correlation != 0) slice.correlation = std::int64_t{packed.correlation} - 1;
  return slice;
}

std::int64_t PackedSlices::end_ns(const Packed& packed) const {
  return packed.duration_ns != most ? packed.start_ns + packed.duration_ns : unpack(packed).end_ns;
}

std::strong_ordering PackedSlices::compare(const Packed& a, const Packed& b) const {
  if (a.start_ns != b.start_ns) return a.start_ns <=> b.start_ns;
  if (const auto ends = end_ns(b) <=> end_ns(a); ends != 0) return ends;
  return table_->depth_of(a.facts) <=> table_->depth_of(b.facts);
}

bool PackedSlices::stand_as_they_end() const {
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  for (const std::vector<Packed>& chunk : chunks_)
    for (const Packed& packed : chunk) {
      if (table_->is_async(packed.facts)) continue;
      const std::int64_t end = end_ns(packed);
      if (end < last_ns) return false;
      last_ns = end;
    }
  return true;
}

void PackedSlices::put_in_order() {
  const auto count = static_cast<std::uint32_t>(packed());
  std::uint32_t sorted = 1;
  while (sorted < count && compare(at(sorted - 1), at(sorted)) <= 0) ++sorted;
  if (sorted >= count) return;
  const bool last_first = stand_as_they_end();
  std::vector<std::uint32_t> from(count);  // by new position: the present index of the slice
  std::iota(from.begin(), from.end(), 0);
  std::ranges::sort(from, [&](std::uint32_t a, std::uint32_t b) {
    if (const auto order = compare(at(a), at(b)); order != 0) return order < 0;
    return last_first ? a > b : a < b;
  });
  // Moves the slices along each cycle of the permutation `from`, so that no copy of the list is
  // needed.
  for (std::uint32_t first = 0; first < count; ++first) {
    const Packed saved = at(first);
    std::uint32_t to = first;
    while (from[to] != first) {
      at(to) = at(from[to]);
      to = std::exchange(from[to], to);
    }
    at(to) = saved;
    from[to] = to;
  }
}

}  // namespace normbench

#include "ptx/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace normbench::ptx {
namespace {

// Each byte has a mark of its readers and a mark of its writer. A mark packs a phase, the number of
// synchronisations of a warp in this phase, and two threads. In the mark of the readers, the two
// threads are the first reader and a later reader, which is of another warp if there is one. In the
// mark of the writer, both are the writer.
constexpr int phase_shift = 32, sync_shift = 20, thread_bits = 10;
constexpr unsigned most_threads = 1 << thread_bits, most_syncs = 1 << (phase_shift - sync_shift);

unsigned first_of(u64 mark) { return mark % most_threads; }
unsigned second_of(u64 mark) { return mark >> thread_bits & (most_threads - 1); }
unsigned syncs_of(u64 mark) { return mark >> sync_shift & (most_syncs - 1); }
unsigned warp_of(unsigned thread) { return thread / warp_lanes; }

u64 make_mark(const Moment& now, unsigned first, unsigned second) {
  return now.phase << phase_shift | u64{now.warp_syncs} << sync_shift | second << thread_bits |
         first;
}

/// Returns true if the access of `mark` is ordered before an access at `now`, so that they cannot
/// race.
bool is_before(u64 mark, const Moment& now) {
  const u64 phase = mark >> phase_shift;
  if (phase < now.since) return true;
  if (phase != now.phase) return phase >= now.block();
  const unsigned first = first_of(mark), second = second_of(mark);
  if (first == now.thread && second == now.thread) return true;
  const unsigned warp = warp_of(now.thread);
  return warp_of(first) == warp && warp_of(second) == warp && syncs_of(mark) < now.warp_syncs;
}

/// Returns the mark of a byte's readers after one more read at `now`. `mark` is the mark before
/// this read.
u64 read_again(u64 mark, const Moment& now) {
  if (is_before(mark, now)) return make_mark(now, now.thread, now.thread);
  const unsigned first = first_of(mark), second = second_of(mark);
  if (mark >> phase_shift != now.phase || warp_of(second) != warp_of(first)) return mark;
  return make_mark(now, first, first == now.thread ? second : now.thread);
}

void check_aligned(u64 address, std::size_t bytes) {
  if (address % bytes != 0)
    throw Fault(fmt::format("misaligned: {} past a multiple of {}", address % bytes, bytes));
}

}  // namespace

dim3 position_of(u64 i, const dim3& extent) {
  return {static_cast<unsigned>(i % extent.x), static_cast<unsigned>(i / extent.x % extent.y),
          static_cast<unsigned>(i / extent.x / extent.y)};
}

std::string Phases::name(u64 phase, unsigned thread) const {
  const auto after = std::ranges::upper_bound(first_of_blocks, phase);
  const dim3 b = position_of(static_cast<u64>(after - first_of_blocks.begin()) - 1, grid);
  const dim3 t = position_of(thread, block);
  return fmt::format("block ({}, {}, {}), thread ({}, {}, {})", b.x, b.y, b.z, t.x, t.y, t.z);
}

void Marks::check(u64 mark, const char* what, const Moment& now) const {
  if (is_before(mark, now)) return;
  const unsigned first = first_of(mark), second = second_of(mark), warp = warp_of(now.thread);
  const bool is_second =
      warp_of(first) == warp_of(second) ? second != now.thread : warp_of(second) != warp;
  throw Fault(fmt::format("race with {}, which {} the same byte",
                          now.phases.name(mark >> phase_shift, is_second ? second : first), what));
}

void Marks::note(std::size_t at, std::size_t bytes, bool writes, const Moment& now) {
  if (now.warp_syncs >= most_syncs || now.phase >= u64{1} << phase_shift)
    throw Fault("too many synchronisations to count");
  const u64 own = make_mark(now, now.thread, now.thread);
  u64 writer = 0, reader = 0;  // the last marks that passed the check
  for (std::size_t i = at; i < at + bytes; ++i) {
    if (writers_[i] != writer) check(writer = writers_[i], "writes", now);
    if (writes) {
      if (readers_[i] != reader) check(reader = readers_[i], "reads", now);
      writers_[i] = own;
    } else {
      readers_[i] = read_again(readers_[i], now);
    }
  }
}

bool Marks::written_in_block(std::size_t at, std::size_t bytes, const Moment& now) const {
  return std::all_of(writers_.begin() + static_cast<std::ptrdiff_t>(at),
                     writers_.begin() + static_cast<std::ptrdiff_t>(at + bytes),
                     [&](u64 mark) { return mark >> phase_shift >= now.block(); });
}

SharedMemory::SharedMemory(std::vector<SharedArray> arrays, std::size_t grows_by)
    : arrays_(std::move(arrays)), marks_(0) {
  std::size_t end = 0;
  for (SharedArray& array : arrays_) {
    if (array.grows) array.bytes = grows_by;
    end = array.begin + array.bytes;
  }
  bytes_.resize(end);
  marks_ = Marks(end);
}

std::byte* SharedMemory::access(u64 address, std::size_t bytes, bool writes, const Moment& now) {
  check_aligned(address, bytes);
  const auto after = std::ranges::upper_bound(arrays_, address, {}, &SharedArray::begin);
  if (after == arrays_.begin()) throw Fault("no shared memory");
  const SharedArray& array = *std::prev(after);
  const auto where = [&](std::string_view what) {
    return fmt::format("{}: byte {} of shared {}", what, address - array.begin, array.bytes);
  };
  if (address + bytes > array.begin + array.bytes) throw Fault(where("past the end"));
  if (!writes && !marks_.written_in_block(address, bytes, now))
    throw Fault(where("read before it is written"));
  Moment own = now;
  own.since = now.block();  // other blocks have shared memory of their own
  try {
    marks_.note(address, bytes, writes, own);
  } catch (const Fault& fault) {
    throw Fault(where(fault.what()));
  }
  return bytes_.data() + address;
}

void GlobalMemory::start_launch() {
  last_ = nullptr;
  std::erase_if(regions_, [&](const auto& entry) { return !memory_.find(entry.first); });
}

GlobalMemory::Region& GlobalMemory::region_of(const std::byte* data, std::size_t bytes) {
  if (last_ && data >= last_->block->data &&
      data + bytes <= last_->block->data + last_->block->bytes)
    return *last_;
  const FakeBlock* block = memory_.find(data, bytes);
  if (!block) {
    const FakeBlock* first = memory_.find(data);
    throw Fault(first ? fmt::format("past the end: byte {} of {} {}", data - first->data,
                                    name_of(first->kind), first->bytes)
                      : "outside every allocation");
  }
  if (!block->usable) throw Fault("memory is used before the stream has allocated it");
  auto found = regions_.find(block->data);
  if (found == regions_.end() || found->second.marks.bytes() != block->bytes)
    found = regions_.insert_or_assign(block->data, Region{block, Marks(block->bytes)}).first;
  last_ = &found->second;
  last_->block = block;
  return *last_;
}

std::byte* GlobalMemory::access(u64 address, std::size_t bytes, bool writes, const Moment& now) {
  check_aligned(address, bytes);
  Region& region = region_of(reinterpret_cast<const std::byte*>(address), bytes);
  const FakeBlock& block = *region.block;
  const auto at = static_cast<std::size_t>(address - reinterpret_cast<std::uintptr_t>(block.data));
  const auto where = [&](std::string_view what) {
    return fmt::format("{}: byte {} of {} {}", what, at, name_of(block.kind), block.bytes);
  };
  if (is_device(block.kind)) {
    if (writes)
      std::memset(block.written + at, 1, bytes);
    else if (std::memchr(block.written + at, 0, bytes))
      throw Fault(where("read before it is written"));
  }
  try {
    region.marks.note(at, bytes, writes, now);
  } catch (const Fault& fault) {
    throw Fault(where(fault.what()));
  }
  return block.data + at;
}

}  // namespace normbench::ptx

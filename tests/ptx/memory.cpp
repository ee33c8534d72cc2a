#include "ptx/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace normbench::ptx {
namespace {

// A mark: phase, synchronisations of the warp, thread. Threads from 1024 on stand for several ones.
constexpr int phase_shift = 24, sync_shift = 11;
constexpr unsigned several_of_warp = 1024, several = 2047;

unsigned thread_of(u64 mark) { return mark & several; }
unsigned syncs_of(u64 mark) { return mark >> sync_shift & 0x1FFF; }

u64 make_mark(u64 phase, unsigned syncs, unsigned thread) {
  return phase << phase_shift | u64{syncs & 0x1FFF} << sync_shift | thread;
}

unsigned warp_of(unsigned thread) {
  return thread >= several_of_warp ? thread - several_of_warp : thread / warp_lanes;
}

/// True if what left the mark surely happened before.
bool is_before(u64 mark, const Moment& now) {
  const u64 phase = mark >> phase_shift;
  if (phase < now.launch) return true;
  if (phase < now.block) return false;
  if (phase < now.phase || thread_of(mark) == now.thread) return true;
  return warp_of(thread_of(mark)) == now.thread / warp_lanes && syncs_of(mark) < now.warp_syncs;
}

/// The mark of a byte that is read once more.
u64 read_again(u64 mark, const Moment& now) {
  const u64 phase = mark >> phase_shift;
  unsigned thread = now.thread;
  if (phase >= now.launch && phase < now.block) return mark;  // it stays unordered
  if (phase == now.phase && thread_of(mark) != thread) {
    const unsigned warp = thread / warp_lanes;
    thread = warp_of(thread_of(mark)) == warp ? several_of_warp + warp : several;
  }
  return make_mark(now.phase, now.warp_syncs, thread);
}

void check_aligned(u64 address, std::size_t bytes) {
  if (address % bytes != 0)
    throw Fault(fmt::format("misaligned: {} past a multiple of {}", address % bytes, bytes));
}

}  // namespace

void Marks::note(std::size_t at, std::size_t bytes, bool writes, const Moment& now) {
  for (std::size_t i = at; i < at + bytes; ++i) {
    if (!is_before(writers_[i], now))
      throw Fault(writes ? "a second thread writes the same byte"
                         : "race: another thread writes what is read, with no barrier between");
    if (writes && !is_before(readers_[i], now))
      throw Fault("race: another thread reads what is written, with no barrier between");
    if (writes)
      writers_[i] = make_mark(now.phase, now.warp_syncs, now.thread);
    else
      readers_[i] = read_again(readers_[i], now);
  }
}

bool Marks::written_in_block(std::size_t at, std::size_t bytes, const Moment& now) const {
  return std::all_of(writers_.begin() + static_cast<std::ptrdiff_t>(at),
                     writers_.begin() + static_cast<std::ptrdiff_t>(at + bytes),
                     [&](u64 mark) { return mark >> phase_shift >= now.block; });
}

std::byte* SharedMemory::access(u64 at, std::size_t bytes, bool writes, const Moment& now) {
  if (at > bytes_.size() || bytes > bytes_.size() - at)
    throw Fault(fmt::format("outside of memory: byte {} of {}", at, bytes_.size()));
  check_aligned(at, bytes);
  if (!writes && !marks_.written_in_block(at, bytes, now))
    throw Fault(fmt::format("read before it is written: byte {}", at));
  Moment own = now;
  own.launch = now.block;  // other blocks have memory of their own
  marks_.note(at, bytes, writes, own);
  return bytes_.data() + at;
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
  last_ = &regions_.try_emplace(block->data, Region{block, Marks(block->bytes)}).first->second;
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

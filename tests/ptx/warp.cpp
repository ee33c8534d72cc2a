#include "ptx/warp.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench::ptx {
namespace {

unsigned at_axis(const dim3& d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

dim3 position_of(unsigned i, const dim3& extent) {
  return {i % extent.x, i / extent.x % extent.y, i / extent.x / extent.y};
}

/// The processor's rounding mode for one instruction.
class Rounding {
 public:
  explicit Rounding(int mode) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

}  // namespace

Warp::Warp(Block& block)
    : block_(block),
      registers_(static_cast<std::size_t>(block.kernel.registers) * warp_lanes),
      predicates_(static_cast<std::size_t>(block.kernel.predicates)) {}

const std::uint64_t* Warp::column(int at) const {
  return at < 0 ? block_.kernel.constants.data() + std::ptrdiff_t{~at} * warp_lanes
                : registers_.data() + std::ptrdiff_t{at} * warp_lanes;
}

Lanes Warp::predicate(int at) const {
  if (at < 0) return *column(at) != 0 ? ~Lanes{0} : 0;
  return predicates_[static_cast<std::size_t>(at)];
}

void Warp::set_predicate(int at, Lanes value, Lanes lanes) {
  if (at < 0) return;
  Lanes& predicate = predicates_[static_cast<std::size_t>(at)];
  predicate = (predicate & ~lanes) | (value & lanes);
}

std::byte* Warp::access(const Op& op, int lane, std::uint64_t address, std::size_t bytes) {
  const bool writes = op.stores;
  address += static_cast<std::uint64_t>(op.number);
  Space space = op.space;
  if (space == Space::Generic) {
    space = static_cast<Space>(std::min<std::uint64_t>(address >> 60, 4));
    address -= window_of(space);
  }
  const Moment now{.launch = block_.first_of_launch,
                   .block = block_.first_of_block,
                   .phase = block_.phase,
                   .thread = first_thread_ + static_cast<unsigned>(lane),
                   .warp_syncs = syncs_};
  try {
    if (space == Space::Global) return block_.global.access(address, bytes, writes, now);
    if (space == Space::Shared) return block_.shared.access(address, bytes, writes, now);
    const std::size_t local_bytes = block_.kernel.local_bytes;
    if (space == Space::Local && address + bytes <= local_bytes)
      return block_.local.access(now.thread * local_bytes + address, bytes, writes, now);
    const auto params = block_.launch.params;
    if (space == Space::Param && !writes && address + bytes <= params.size() &&
        address % bytes == 0)
      return const_cast<std::byte*>(params.data()) + address;
  } catch (const Fault& fault) {
    fail(op, lane, fault.what());
  }
  fail(op, lane, fmt::format("outside of the memory of its kind: byte {}", address));
}

void Warp::synchronise(const Op& op, Lanes lanes, Lanes members) {
  if ((members & live_ & ~lanes) != 0)
    fail(op, std::countr_zero(lanes), "not all lanes that it names come to it");
  ++syncs_;
}

void Warp::fail(const Op& op, int lane, std::string_view what) const {
  const dim3 thread = position_of(first_thread_ + static_cast<unsigned>(lane), block_.launch.block);
  throw Fault(fmt::format("{}, block ({}, {}, {}), thread ({}, {}, {}): {}: {}", block_.kernel.name,
                          block_.index.x, block_.index.y, block_.index.z, thread.x, thread.y,
                          thread.z, op.text, what));
}

void Warp::start(unsigned first_thread) {
  first_thread_ = first_thread;
  syncs_ = 0;
  const unsigned threads = std::min(block_.threads() - first_thread, unsigned{warp_lanes});
  live_ = threads == warp_lanes ? ~Lanes{0} : (Lanes{1} << threads) - 1;
  parts_ = {{0, live_}};
  for (const SpecialRegister& special : block_.kernel.specials)
    for (unsigned lane = 0; lane < threads; ++lane) set_special(special, lane);
}

void Warp::set_special(const SpecialRegister& special, unsigned lane) {
  const dim3 thread = position_of(first_thread_ + lane, block_.launch.block);
  const auto value = [&] {
    switch (special.what) {
      case Special::Tid:
        return at_axis(thread, special.axis);
      case Special::Ntid:
        return at_axis(block_.launch.block, special.axis);
      case Special::Ctaid:
        return at_axis(block_.index, special.axis);
      case Special::Nctaid:
        return at_axis(block_.launch.grid, special.axis);
      case Special::Lane:
        return lane;
    }
    return lane;
  };
  column_to(special.column)[lane] = value();
}

void Warp::add(Part part) {
  const auto at = std::ranges::find_if(parts_, [&](const Part& p) { return p.at <= part.at; });
  if (at != parts_.end() && at->at == part.at)
    at->lanes |= part.lanes;
  else
    parts_.insert(at, part);
}

void Warp::run() {
  waits_ = false;
  while (!parts_.empty() && !waits_) {
    const Part part = parts_.back();
    parts_.pop_back();
    run_part(part);
  }
}

void Warp::run_part(Part part) {
  auto& [at, lanes] = part;
  const std::size_t next = parts_.empty() ? block_.kernel.ops.size() : parts_.back().at;
  while (at < next) {
    const Op& op = block_.kernel.ops[at];
    const Lanes guard = op.guard < 0 ? ~Lanes{0} : predicate(op.guard);
    const Lanes on = lanes & (op.unless ? ~guard : guard);
    const auto target = static_cast<std::size_t>(op.number);
    ++at;
    if (on == 0) continue;
    switch (op.flow) {
      case Flow::Next:
        if (op.rounding == FE_TONEAREST) {
          op.execute(op, *this, on);
        } else {
          const Rounding rounding(op.rounding);
          op.execute(op, *this, on);
        }
        break;
      case Flow::Branch:
        if (on == lanes) {
          at = target;
          break;
        }
        add({target, on});
        return add({at, lanes & ~on});
      case Flow::Exit:
        live_ &= ~on;
        lanes &= ~on;
        if (lanes == 0) return;
        break;
      case Flow::Barrier:
        if (on != live_) fail(op, std::countr_zero(on), "not all threads of the warp come to it");
        waits_ = true;
        return add({at, on});
    }
  }
  if (at >= block_.kernel.ops.size())
    throw Fault(block_.kernel.name + " runs past its last instruction");
  add(part);
}

}  // namespace normbench::ptx

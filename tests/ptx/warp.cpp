#include "ptx/warp.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench::ptx {
namespace {

unsigned at_axis(const dim3& d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

dim3 position_of(unsigned i, const dim3& extent) {
  return {i % extent.x, i / extent.x % extent.y, i / extent.x / extent.y};
}

}  // namespace

Warp::Warp(Block& block)
    : block_(block),
      registers_(static_cast<std::size_t>(block.kernel.registers) * warp_lanes),
      predicates_(static_cast<std::size_t>(block.kernel.predicates)) {}

const u64* Warp::column(int at) const {
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

std::byte* Warp::access(const Op& op, int lane, u64 address, std::size_t bytes) {
  address += static_cast<u64>(op.number);
  const Moment now{.launch = block_.first_of_launch,
                   .block = block_.first_of_block,
                   .phase = block_.phase,
                   .thread = first_thread_ + static_cast<unsigned>(lane),
                   .warp_syncs = syncs_};
  try {
    if (op.space == Space::Global) return block_.global.access(address, bytes, op.stores, now);
    if (op.space == Space::Shared) return block_.shared.access(address, bytes, op.stores, now);
  } catch (const Fault& fault) {
    fail(op, lane, fault.what());
  }
  const auto params = block_.launch.params;
  if (op.stores || address + bytes > params.size() || address % bytes != 0)
    fail(op, lane, fmt::format("no parameter at byte {}", address));
  return const_cast<std::byte*>(params.data()) + address;
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
  const Launch& launch = block_.launch;
  const std::array sources{position_of(first_thread_ + lane, launch.block), launch.block,
                           block_.index, launch.grid, dim3(lane)};
  column_to(special.column)[lane] =
      at_axis(sources.at(static_cast<std::size_t>(special.what)), special.axis);
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
        if (op.rounding != FE_TONEAREST) std::fesetround(op.rounding);
        op.execute(op, *this, on);
        if (op.rounding != FE_TONEAREST) std::fesetround(FE_TONEAREST);
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

#include "ptx/warp.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench::ptx {
namespace {

unsigned at_axis(const dim3& d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

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
  const Moment now{.phases = block_.phases,
                   .since = block_.phases.first_of_blocks.front(),
                   .phase = block_.phase,
                   .thread = first_thread_ + static_cast<unsigned>(lane),
                   .warp_syncs = syncs_};
  try {
    if (op.space == Space::Shared)  // shared addresses have 32 bits
      return block_.shared.access(static_cast<u32>(address), bytes, op.stores, now);
    if (op.space == Space::Generic && address >= shared_window)
      return block_.shared.access(address - shared_window, bytes, op.stores, now);
    if (op.space != Space::Param) return block_.global.access(address, bytes, op.stores, now);
  } catch (const Fault& fault) {
    fail(op, lane, fault.what());
  }
  const auto params = block_.launch.params;
  if (op.stores || address + bytes > params.size() || address % bytes != 0)
    fail(op, lane, fmt::format("no parameter at byte {}", address));
  return const_cast<std::byte*>(params.data()) + address;
}

void Warp::synchronise(const Op& op, Lanes lanes, Lanes members) {
  if ((members & live_) != live_ || lanes != live_)
    fail(op, std::countr_zero(lanes), "not all lanes of the warp come to it");
  ++syncs_;
}

void Warp::fail(const Op& op, int lane, std::string_view what) const {
  throw Fault(
      fmt::format("{}, {}: {}: {}", block_.kernel.name,
                  block_.phases.name(block_.phase, first_thread_ + static_cast<unsigned>(lane)),
                  op.text, what));
}

void Warp::start(unsigned first_thread) {
  first_thread_ = first_thread;
  const unsigned threads = std::min(block_.threads() - first_thread, unsigned{warp_lanes});
  all_ = live_ = threads == warp_lanes ? ~Lanes{0} : (Lanes{1} << threads) - 1;
  parts_ = {{0, live_}};
  for (const SpecialRegister& special : block_.kernel.specials)
    for (unsigned lane = 0; lane < threads; ++lane) set_special(special, lane);
}

void Warp::set_special(const SpecialRegister& special, unsigned lane) {
  const auto& [grid, block, blocks] = block_.phases;
  const std::array sources{position_of(first_thread_ + lane, block),
                           block,
                           position_of(blocks.size() - 1, grid),
                           grid,
                           dim3(lane),
                           dim3(static_cast<unsigned>(blocks.size() - 1)),
                           dim3(static_cast<unsigned>(1'980 * blocks.back())),
                           dim3(static_cast<unsigned>(1'000 * blocks.back()))};
  column_to(special.column)[lane] =
      at_axis(sources.at(static_cast<std::size_t>(special.what)), special.axis);
}

void Warp::add(std::vector<Part>& parts, Part part) {
  const auto at = std::ranges::find_if(parts, [&](const Part& p) { return p.at <= part.at; });
  if (at != parts.end() && at->at == part.at)
    at->lanes |= part.lanes;
  else
    parts.insert(at, part);
}

void Warp::run() {
  syncs_ = 0;
  for (const Part& part : std::exchange(waiting_, {})) add(parts_, {part.at + 1, part.lanes});
  do {
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      run_part(part);
    }
  } while (run_meeting());
}

/// Executes one instruction at which lanes of the warp wait for each other, such as a shuffle. Does
/// not execute barriers of the block. Returns false if no lanes wait at such an instruction.
bool Warp::run_meeting() {
  const auto found = std::ranges::find_if(
      waiting_, [&](const Part& part) { return block_.kernel.ops[part.at].flow != Flow::Barrier; });
  if (found == waiting_.end()) return false;
  const Part part = *found;
  waiting_.erase(found);
  const Op& op = block_.kernel.ops[part.at];
  op.execute(op, *this, part.lanes);
  add(parts_, {part.at + 1, part.lanes});
  return true;
}

const Op* Warp::barrier() const {
  if (waiting_.empty()) return nullptr;
  const auto& [at, lanes] = waiting_.back();
  const Op& op = block_.kernel.ops[at];
  if (lanes != all_)
    fail(op, std::countr_zero(all_ & ~lanes), "the thread does not come to it, others wait");
  return &op;
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
    switch (op.meets && on != live_ ? Flow::Barrier : op.flow) {
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
        add(parts_, {target, on});
        return add(parts_, {at, lanes & ~on});
      case Flow::Exit:
        live_ &= ~on;
        lanes &= ~on;
        if (lanes == 0) return;
        break;
      case Flow::Barrier:
        add(waiting_, {at - 1, on});
        lanes &= ~on;
        if (lanes == 0) return;
        break;
    }
  }
  if (at >= block_.kernel.ops.size())
    throw Fault(block_.kernel.name + " runs past its last instruction");
  add(parts_, part);
}

}  // namespace normbench::ptx

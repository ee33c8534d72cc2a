#include "measure/peer/work.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "machine/environment.h"
#include "machine/process_limits.h"
#include "machine/topology.h"
#include "measure/case_turns.h"
#include "measure/peer/plan.h"
#include "ops/array_file.h"

namespace normbench {
namespace {

PlanOptions options_here(const Backends& backends) {
  const FreeMemory free = free_memory(free_device_bytes(backends), "/");
  PlanOptions options;
  options.base_dir = std::filesystem::current_path().string();
  options.all_threads = available_threads();
  options.data_caches = data_caches();
  options.cache_bytes = cold_caches(backends, last_level_cache_bytes());
  options.free_bytes = free.bytes;
  options.free_notes = free.notes;
  return options;
}

}  // namespace

PeerWork::PeerWork(const PeerPrepare& said, Backends backends, Clock& clock)
    : clock_(clock),
      backends_(std::move(backends)),
      plan_(plan_peer_case(said, backends_, options_here(backends_))),
      recorder_(clock),
      memory_(take_memory(said)),
      contender_(work(), memory_, backends_, recorder_) {
  contender_.place(random_);
}

GroupMemory PeerWork::take_memory(const PeerPrepare& said) const {
  const Case* const alone[] = {&work()};
  return GroupMemory(alone, plan_.measure, backends_, cache_bytes_of(said));
}

std::int64_t PeerWork::call() {
  contender_.place(random_);
  const std::int64_t ns = poisoned_iteration(contender_, std::byte{0xFF}, false, clock_);
  result_ = Result::Kept;
  return ns;
}

Turn PeerWork::turn(std::int64_t iterations, std::int64_t warmup_ns) {
  if (!marks_) marks_ = shape_of_turns(contender_, clock_, clock_cost_ns(clock_)).marks;
  const TurnShape shape{.iterations = iterations, .marks = *marks_, .warmup_ns = warmup_ns};
  Turn turn = take_turn(contender_, shape, clock_, random_);
  result_ = Result::Past;
  return turn;
}

void PeerWork::write(const std::string& path) {
  if (result_ == Result::None) throw Invalid("nothing was run (send run first)");
  if (result_ == Result::Past) poisoned_iteration(contender_, std::byte{0x55}, true, clock_);
  result_ = Result::Kept;
  const View result = contender_.result();
  if (host_reaches(result.desc.memory)) return write_npy(path, result);
  std::vector<std::byte> host(static_cast<std::size_t>(result.desc.bytes()));
  backends_.owner(result.desc.memory).copy(host.data(), result.data, host.size());
  write_npy(path, {.data = host.data(), .desc = result.desc});
}

}  // namespace normbench

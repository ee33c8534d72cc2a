#include <algorithm>

#include "analysis/pairs.h"
#include "analysis/why/causes.h"

namespace normbench {
namespace {

// Words in the commands of peers. Environment variables that begin with kMalloc or kTunables set
// options of glibc's malloc.
constexpr std::string_view kEnv = "env", kAllocator = "--allocator", kMalloc = "MALLOC_",
                           kTunables = "GLIBC_TUNABLES=";

bool all_reused(const CaseResult& result) {
  return std::ranges::all_of(
      result.stages, [](const StageResult& stage) { return stage.output == OutputPolicy::Reuse; });
}

/// Returns true for an argument of `env` that sets an option of glibc's malloc, such as
/// `MALLOC_TRIM_THRESHOLD_=1`.
bool sets_malloc(const std::string& word) {
  return word.starts_with(kMalloc) || word.starts_with(kTunables);
}

/// Returns a peer's command without the words that choose how it allocates. These words are the
/// option `--allocator`, which every Python peer takes, and malloc variables set by `env`. Returns
/// an empty list if the command is not a list of words.
std::vector<std::string> without_allocator(const Json& command) {
  const auto is_word = [](const Json& word) { return word.is_string(); };
  if (!command.is_array() || !std::ranges::all_of(command, is_word)) return {};
  auto words = command.get<std::vector<std::string>>();
  const bool sets_up = words.size() > 1 && words[0] == kEnv && sets_malloc(words[1]);
  std::erase_if(words, sets_malloc);
  if (sets_up) words.erase(words.begin());
  if (const auto option = std::ranges::find(words, kAllocator); words.end() - option > 1)
    words.erase(option, option + 2);
  std::erase_if(words, [](const std::string& word) { return word.starts_with(kAllocator); });
  return words;
}

/// Returns true for two peers of the config whose commands differ only in how they allocate.
bool differ_in_allocator(const Results& results, const std::string& a, const std::string& b) {
  const Json& peers = value_at(results.config, "/peers");
  if (a == b || !peers.is_object() || !peers.contains(a) || !peers.contains(b)) return false;
  const std::vector<std::string> words = without_allocator(peers[a]);
  return !words.empty() && peers[a] != peers[b] && words == without_allocator(peers[b]);
}

/// Returns true if `other` differs from `result` only in the allocation of outputs. If normbench
/// itself runs `result`, this means that `other` reuses all outputs. If a peer runs `result`, it
/// means that the commands of the two peers differ only in the allocator.
bool allocates_otherwise(const CaseResult& result, const CaseResult& other,
                         const Results& results) {
  const std::vector<Factor> changed = factors(result, other);
  if (result.peer.empty()) return all_reused(other) && only_outputs(changed);
  return differ_in_allocator(results, result.peer, other.peer) &&
         std::ranges::all_of(changed, [](const Factor& factor) {
           return factor.kind == Factor::Kind::Peer || only_outputs({&factor, 1});
         });
}

/// Returns the fastest measured case that differs from `result` only in the allocation of outputs
/// and has less than a tenth of the page faults of `result`. Returns nothing if there is none.
std::optional<Twin> reused_twin(const GroupResult& group, const CaseResult& result,
                                const Results& results) {
  std::optional<Twin> best;
  for (const CaseResult& other : group.cases) {
    if (&other == &result || !measured(other) || !allocates_otherwise(result, other, results) ||
        faults_per_iteration(other) >= 0.1 * faults_per_iteration(result))
      continue;
    const Twin found = compared(group, result, other, results);
    if (!best || found.time_ns < best->time_ns) best = found;
  }
  return best;
}

/// Returns the median CPU time per iteration of all threads, in ns; 0 if it was not read.
double cpu_ns(const CaseResult& result) {
  std::vector<std::int64_t> turns;
  for (const Round& round : result.rounds) turns.push_back(round.cpu_ns);
  return per_iteration_ns(result, turns);
}

/// Returns true if the case allocates fresh memory of this kind. Peers allocate pageable memory.
bool allocates(const CaseResult& result, Memory memory) {
  if (!result.peer.empty()) return faults_on_result(result) && memory == Memory::Pageable;
  return std::ranges::any_of(result.stages, [&](const StageResult& stage) {
    return stage.output == OutputPolicy::Fresh && stage.out.memory == memory;
  });
}

/// Returns the cost of touching one page in ns, from the page-fault limit for the kind of memory
/// that the case allocates. Returns nothing if there is no such limit. If the limit's CPU time is
/// less than its wall time, uses the CPU time, because other programs took the rest of the wall
/// time.
std::optional<double> touch_ns(const GroupResult& group, const CaseResult& result,
                               const Results& results) {
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || !has_limit_of(limit, LimitKind::PageFaults) ||
        faults_per_iteration(limit) < 1 || !allocates(result, limit.stages[0].out.memory))
      continue;
    const double cpu = cpu_ns(limit), time = median_ns(limit, results);
    return (cpu > 0 ? std::min(cpu, time) : time) / faults_per_iteration(limit);
  }
  return std::nullopt;
}

/// Returns the time in ns that the twin saves per fault: the saved wall time or CPU time, whichever
/// is less.
double saved_ns(const CaseResult& result, const Twin& twin, const Results& results) {
  const double time = median_ns(result, results) - twin.time_ns;
  const double own_cpu = cpu_ns(result), its_cpu = cpu_ns(*twin.result);
  const double saved = own_cpu > 0 && its_cpu > 0 ? std::min(time, own_cpu - its_cpu) : time;
  return saved / (faults_per_iteration(result) - faults_per_iteration(*twin.result));
}

}  // namespace

std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results) {
  const CaseResult& result = group.cases[index];
  const double faults = measured(result) ? faults_per_iteration(result) : 0;
  if (faults < 1) return std::nullopt;
  const auto touch = touch_ns(group, result, results);
  FaultCost cost{.faults = faults};
  if (const auto twin = reused_twin(group, result, results)) {
    // A peer and its twin are two processes. Their times may differ by kProcessEffect without a
    // cause.
    const bool is_peer = !result.peer.empty();
    if (twin->saved.low <= (is_peer ? kProcessEffect : 0)) return std::nullopt;
    cost.share = twin->saved;
    cost.twin = {twin->result->variant, is_peer, twin->time_ns};
    if (is_peer) return cost;
    const double saved = saved_ns(result, *twin, results);
    if (saved <= 0) return cost;
    cost.at_most = !touch;
    cost.cost_ns = touch ? std::min(saved, *touch) : saved;
    return cost;
  }
  if (!touch) return std::nullopt;
  const double time = median_ns(result, results);
  cost.at_most = true;
  // The cost is limited so that all faults together take at most the case's time.
  cost.cost_ns = std::min(*touch, time / faults);
  const double most = *cost.cost_ns * faults / time;
  cost.share = {.value = most, .low = 0, .high = most};
  return cost;
}

}  // namespace normbench

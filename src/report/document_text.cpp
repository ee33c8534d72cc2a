#include "report/document_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/saturated.h"
#include "core/text.h"
#include "core/units.h"
#include "machine/link_reading.h"
#include "report/link_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// A throttle reason causes a warning only if it held the GPU's clocks back for at least this share
/// of the rounds' time.
constexpr double kHeldBackShare = 0.01;

/// Returns the GPU's name and memory, and the generation and width of its PCIe link if they were
/// read under load. Other readings of the link are not shown, because an idle GPU may slow its link
/// down.
std::string gpu_name(const Json& gpu) {
  std::string text = text_at(gpu, "/name", "GPU");
  if (const auto bytes = integer_at(gpu, "/memory_bytes", 0); bytes > 0)
    text += fmt::format(", {} GiB", bytes >> 30);
  const Json pcie = value_at(gpu, "/pcie");
  const std::string link = negotiated_text(pcie);
  const auto reading = parse_word<LinkReading>(text_at(pcie, "/measured", ""));
  return link.empty() || reading != LinkReading::UnderLoad ? text : text + ", " + link;
}

std::string cache_text(const Json& caches) {
  if (!caches.is_array() || caches.empty()) return "";
  const auto count = integer_at(caches.back(), "/count", 1);
  return fmt::format(", L{} {}{} MiB", integer_at(caches.back(), "/level", 0),
                     count > 1 ? fmt::format("{}x", count) : "",
                     integer_at(caches.back(), "/bytes", 0) >> 20);
}

/// Returns the number at `pointer`, like "1,755", or "" if it is missing, negative or above 1e15.
std::string number_at(const Json& condition, const std::string& pointer) {
  constexpr double most = 1e15;
  const Json& value = value_at(condition, pointer);
  const double number = value.is_number() ? value.get<double>() : -1;
  return number < 0 || number > most ? "" : format_count(static_cast<std::int64_t>(number));
}

std::string power(const Json& condition) {
  const std::string now = number_at(condition, "/power_w");
  const std::string limit = number_at(condition, "/power_limit_w");
  return now.empty() || limit.empty() ? now : now + " of " + limit;
}

std::vector<std::string> throttle_reasons(const Json& condition) {
  std::vector<std::string> words;
  for (const Json& word : value_at(condition, "/throttle_reasons"))
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

std::string throttle_text(const Json& condition) {
  if (!value_at(condition, "/throttle_reasons").is_array()) return "cannot be read here";
  const auto words = throttle_reasons(condition);
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

void add_condition(const std::string& when, const Json& condition, Rows& rows) {
  if (!condition.is_object()) return;
  rows.add({when, number_at(condition, "/sm_clock_mhz"), number_at(condition, "/memory_clock_mhz"),
            number_at(condition, "/temperature_c"), power(condition),
            link_text(condition.value("pcie", Json())), throttle_text(condition)});
}

/// Returns a text like "sw_power_cap for 1.2 of 5.0 s, hw_thermal_slowdown for 0.3 of 5.0 s".
std::string held_back_text(const std::map<std::string, std::int64_t>& held_back_ns,
                           std::int64_t of_ns) {
  std::vector<std::string> texts;
  for (const auto& [reason, ns] : held_back_ns)
    texts.push_back(fmt::format("{} for {:.1f} of {:.1f} s", reason, static_cast<double>(ns) * 1e-9,
                                static_cast<double>(of_ns) * 1e-9));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns a range like "1,305-1,980", or "1,980" if both ends are equal.
std::string span_text(std::int64_t low, std::int64_t high) {
  return low == high ? format_count(low)
                     : fmt::format("{}-{}", format_count(low), format_count(high));
}

std::string reasons_text(std::int64_t bits) {
  return fmt::format("{}", fmt::join(throttle_words(static_cast<std::uint64_t>(bits)), ", "));
}

void add_facts(const std::string& path, const Json& value, std::vector<Fact>& facts) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      add_facts(path.empty() ? key : path + "." + key, member, facts);
    return;
  }
  facts.push_back({path, value.is_string() ? value.get<std::string>()
                         : value.is_null() ? path == "gpu" ? "none" : "cannot be read here"
                                           : value.dump()});
}

}  // namespace

std::vector<Fact> facts_of(const Json& object) {
  std::vector<Fact> facts;
  add_facts("", object, facts);
  return facts;
}

std::string text_at(const Json& json, const std::string& pointer, const std::string& fallback) {
  const Json value = value_at(json, pointer);
  return value.is_string() ? value.get<std::string>() : fallback;
}

std::int64_t integer_at(const Json& json, const std::string& pointer, std::int64_t fallback) {
  const Json value = value_at(json, pointer);
  return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

std::string machine_text(const Json& environment) {
  std::string text = text_at(environment, "/cpu/model", "unknown CPU");
  if (const auto cores = integer_at(environment, "/cpu/cores", 0); cores > 0)
    text += ", " + counted(cores, "core");
  text += cache_text(value_at(environment, "/cpu/caches"));
  const std::string simd = text_at(environment, "/simd", "");
  return simd == text_at(environment, "/simd_targets/0", simd) ? text : text + ", only " + simd;
}

bool needs_gpu(const Results& results) {
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases)
      for (const StageResult& stage : result.stages)
        if (stage.place == Place::Cuda || stage.out.memory == Memory::Device) return true;
  return false;
}

std::string gpu_text(const Results& results) {
  const std::string cuda = text_at(results.environment, "/places/cuda", "not looked for");
  const bool here = cuda == "available";
  if (!needs_gpu(results) && !results.interrupted)
    return here ? "GPU not used" : "no GPU (no case here needs one)";
  return here ? gpu_name(value_at(results.environment, "/gpu")) : "no GPU: " + cuda;
}

std::string reason_text(const CaseResult& result) {
  return result.skip == Skip::NoGpu ? "no GPU" : result.reason;
}

std::string failures_text(std::span<const GroupResult> groups) {
  std::size_t failed = 0;
  std::vector<std::string> reasons;
  for (const GroupResult& group : groups)
    for (const CaseResult& result : group.cases) {
      if (result.status != Status::Failed) continue;
      ++failed;
      if (std::ranges::find(reasons, result.reason) == reasons.end())
        reasons.push_back(result.reason);
    }
  return failed == 0 ? "" : fmt::format("{} failed ({})", failed, fmt::join(reasons, "; "));
}

std::string likeness_text(const CheckResult& check) {
  constexpr double equal_db = 100;  // the check gives 200 dB to equal images
  if (check.psnr_db > equal_db)
    return fmt::format("equal, {:.0f} dB or more expected", check.psnr_bound_db);
  return fmt::format("{:.1f} dB, {:.0f} or more expected", check.psnr_db, check.psnr_bound_db);
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json finite(const std::optional<double>& value) { return value ? finite(*value) : Json(); }

std::string time_title(const Results& results) {
  return results.clock == DecidingClock::Device ? "GPU ms/batch" : "ms/batch";
}

std::string other_time_title(const Results& results) {
  return results.clock == DecidingClock::Device ? "wall ms" : "device ms";
}

std::string other_time(const CaseResult& result, const Results& results) {
  const auto device = device_ns(result);
  if (!device) return "";
  return format_ms(results.clock == DecidingClock::Device ? wall_ns(result) : *device);
}

std::string peer_text(const CaseResult& result) {
  return result.peer_version.empty() ? result.peer : result.peer_version;
}

std::string peers_line(const Experiment& experiment) {
  std::vector<std::string> peers;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases)
      if (!result.peer_version.empty() &&
          std::ranges::find(peers, result.peer_version) == peers.end())
        peers.push_back(result.peer_version);
  if (peers.empty()) return "";
  return fmt::format("Peers: {} (a process of its own may make a difference of {})",
                     fmt::join(peers, " · "), format_percent(kProcessEffect));
}

std::string condition_table(const GroupResult& group, const DeviceStates& states) {
  Rows rows({"when", "SM MHz", "memory MHz", "C", "W", "link", "clocks held back by"});
  add_condition("before", group.condition_before, rows);
  if (!states.held_back_ns.empty())
    rows.add(
        {"between", "", "", "", "", "", held_back_text(states.held_back_ns, states.rounds_ns)});
  add_condition("after", group.condition_after, rows);
  return rows.text({0, 5, 6});
}

std::string device_states_text(const DeviceStates& states) {
  if (states.read == 0 && !states.over_turns) return "";
  std::string text = fmt::format("SM {} MHz{}", span_text(states.low_mhz, states.high_mhz),
                                 states.over_turns ? " over the turns" : "");
  if (states.read == 0) return text;
  text += fmt::format(", {} C{}", span_text(states.low_c, states.high_c),
                      states.over_turns ? " at their ends" : "");
  if (states.always_bits != 0) text += ", held back by " + reasons_text(states.always_bits);
  if (states.sometimes_bits != 0)
    text += ", at times held back by " + reasons_text(states.sometimes_bits);
  if (states.read < states.turns)
    text += fmt::format("; read after {} of {} turns, as a reading takes up to {} ms",
                        format_count(states.read), format_count(states.turns),
                        format_ms(static_cast<double>(states.slowest_ns)));
  return text;
}

std::string host_states_text(const HostStates& states) {
  if (states.rounds == 0) return "";
  if (const auto& change = states.change)
    return fmt::format(
        "two states of its memory: {} {} took {} of the time of {}, {} {}",
        change->round ? fmt::format("from round {} on", *change->round + 1)
                      : fmt::format("in {} of {} rounds", change->rounds, states.rounds),
        spoken(change->limit), format_significant(change->after, 3), spoken(change->other),
        change->round ? "before" : "else", format_significant(change->before, 3));
  if (!states.are_enough)
    return fmt::format("{} are too few to tell one state of its memory from two",
                       counted(states.rounds, "round"));
  return fmt::format(
      "one state of its memory: over {} the same form of each stream was the fastest (to within "
      "{})",
      counted(states.rounds, "round"), format_percent(other_state - 1));
}

std::string states_warning(const Experiment& experiment) {
  std::vector<std::string> cases;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (std::size_t i = 0; i < experiment.analyses[g].cases.size(); ++i) {
      const auto& states = experiment.analyses[g].cases[i].states;
      if (!states) continue;
      cases.push_back(fmt::format("{} was {} the baseline in {} and {} in {}",
                                  spoken(experiment.groups[g]->cases[i].variant),
                                  factor(std::exp(-states->low)),
                                  counted(static_cast<std::int64_t>(states->low_count), "round"),
                                  factor(std::exp(-states->high)), states->high_count));
    }
  if (cases.empty()) return "";
  return fmt::format("Two states: {}; the intervals hold both.", enumerate(cases));
}

std::string host_change_warning(const Experiment& experiment) {
  for (const GroupAnalysis& analysis : experiment.analyses)
    if (analysis.host.change)
      return fmt::format("Warning: the host had {}: limits and shares of them are of both.",
                         host_states_text(analysis.host));
  return "";
}

std::string device_change_warning(const Experiment& experiment) {
  std::vector<std::string> changes;
  const auto add = [&](const std::string& change) {
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(change);
  };
  for (const GroupAnalysis& analysis : experiment.analyses) {
    const DeviceStates& states = analysis.device;
    if (states.clock_changed())
      add(fmt::format("SM clock {} MHz", span_text(states.low_mhz, states.high_mhz)));
    if (states.sometimes_bits != 0)
      add("held back at times by " + reasons_text(states.sometimes_bits));
    if (states.warmed()) add(fmt::format("{} C", span_text(states.low_c, states.high_c)));
  }
  if (changes.empty()) return "";
  return fmt::format("Warning: the GPU changed while it was measured ({}): the rounds are flagged.",
                     fmt::join(changes, "; "));
}

std::string throttle_warning(const Experiment& experiment) {
  std::map<std::string, std::int64_t> held_back_ns;
  std::int64_t rounds_ns = 0;
  for (const GroupAnalysis& analysis : experiment.analyses) {
    if (analysis.device.turns == 0) continue;
    rounds_ns = saturated_sum(rounds_ns, analysis.device.rounds_ns);
    for (const auto& [reason, ns] : analysis.device.held_back_ns)
      held_back_ns[reason] = saturated_sum(held_back_ns[reason], ns);
  }
  std::vector<std::string> seen;
  std::map<std::string, std::int64_t> long_enough;
  for (const auto& [reason, ns] : held_back_ns)
    if (static_cast<double>(ns) >= kHeldBackShare * static_cast<double>(rounds_ns))
      long_enough.emplace(reason, ns);
  if (!long_enough.empty()) seen.push_back(held_back_text(long_enough, rounds_ns));
  for (const GroupResult* group : experiment.groups)
    for (const Json* condition : {&group->condition_before, &group->condition_after})
      for (const std::string& word : throttle_reasons(*condition))
        if (word != "gpu_idle" && !held_back_ns.contains(word) &&
            std::ranges::find(seen, word) == seen.end())
          seen.push_back(word);
  if (seen.empty()) return "";
  return fmt::format("Warning: the GPU held its clocks back ({}): its times may differ elsewhere.",
                     fmt::join(seen, ", "));
}

}  // namespace normbench

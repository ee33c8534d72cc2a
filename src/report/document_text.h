/// Members of a document in words that several reports share: machine, GPU, why a case did not run,
/// times, peers, condition of the GPU.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

/// The string at a JSON pointer, or `fallback`.
std::string text_at(const Json& json, const std::string& pointer, const std::string& fallback);
/// The integer at a JSON pointer, or `fallback`.
std::int64_t integer_at(const Json& json, const std::string& pointer, std::int64_t fallback);

/// A value of a document, with its path: "cpu.model", "AMD EPYC".
struct Fact {
  std::string path, value;
};
/// The facts of an object's members and of members in them, in order. "gpu" is "none" for null;
/// other null values are shown as not readable.
std::vector<Fact> facts_of(const Json& object);

/// "AMD EPYC, 2 cores, L3 32 MiB", and ", only AVX2" where a better instruction set was left out.
std::string machine_text(const Json& environment);
/// True if a case has a stage on the GPU, even where no GPU is here.
bool needs_gpu(const Results& results);
/// "NVIDIA H100, 78 GiB, PCIe 5.0 x16", "no GPU (no case here needs one)", "no GPU: no NVIDIA
/// driver", …
std::string gpu_text(const Results& results);
/// Why a case was skipped or failed; just "no GPU" where `gpu_text` says why.
std::string reason_text(const CaseResult& result);

/// "41.3 dB, 30 or more expected", for an output that is compared as whole images.
std::string likeness_text(const CheckResult& check);

/// A number of a document: null when it is not finite.
Json finite(double value);
Json finite(const std::optional<double>& value);

/// The titles of the two clocks' columns: the deciding one, and the other beside it. Their times
/// overlap and are never added. The deciding column is "ms/batch" or "GPU ms/batch".
std::string time_title(const Results& results);

/// The title of the other times: "device ms" or "wall ms".
std::string other_time_title(const Results& results);

/// A measured case's time on the other clock; "" where no device was used.
std::string other_time(const CaseResult& result, const Results& results);

/// The peer of a case: what it calls itself ("torch 2.9.0"), else its name in the config; "": none.
std::string peer_text(const CaseResult& result);

/// "Peers: torch 2.9.0 · numpy 2.1.0": the peers that answered; "" without any.
std::string peers_line(const Experiment& experiment);

/// "SM 1,305-1,980 MHz, 41-63 C, held back by sw_power_cap, at times held back by hw_slowdown; read
/// after 12 of 240 turns, as a reading takes up to 5.0 ms": the state that a group's turns left the
/// GPU in.
/// "" where it was not read.
std::string device_states_text(const DeviceStates& states);
/// What changed of it within a group of the experiment, as a warning; "" for nothing.
/// "one state of its memory: over 22 rounds the same form of each stream was the fastest (to within
/// 3 %)"; "" where no stream has two forms.
std::string host_states_text(const HostStates& states);
/// "Two states: fused was 1.6x the baseline in 80 rounds and 2.4x in 40; …" of each case whose
/// ratio has two levels; "" without any.
std::string states_warning(const Experiment& experiment);
/// A warning that the host's memory changed while a group was measured; "" where it did not.
std::string host_change_warning(const Experiment& experiment);
std::string device_change_warning(const Experiment& experiment);
/// A row before and a row after the rounds: clocks, temperature, power, link, throttle reasons; and
/// one between them where something held the clocks back; "" without a GPU.
std::string condition_table(const GroupResult& group, const DeviceStates& states);

/// "The GPU held its clocks back (sw_power_cap for 1.2 of 5.0 s): …" for any reason but idling;
/// without a time where that was not counted; "" without a reason.
std::string throttle_warning(const Experiment& experiment);

}  // namespace normbench

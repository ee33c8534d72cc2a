/// Parts of a document in words, for several reports: machine, GPU, why a case did not run, times,
/// peers, condition of the GPU.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

/// Returns the string at a JSON pointer, or `fallback`.
std::string text_at(const Json& json, const std::string& pointer, const std::string& fallback);
/// Returns the integer at a JSON pointer, or `fallback`.
std::int64_t integer_at(const Json& json, const std::string& pointer, std::int64_t fallback);

/// A value of a document and its path, like "AMD EPYC" and "cpu.model".
struct Fact {
  std::string path, value;
};
/// Returns all values in an object and in its nested objects as text, in order. The value null
/// becomes "none" at the path "gpu", and "cannot be read here" at others.
std::vector<Fact> facts_of(const Json& object);

/// Returns a text like "AMD EPYC, 2 cores, L3 32 MiB". Adds ", only AVX2" if kernels were
/// restricted to AVX2 on a CPU with a better instruction set.
std::string machine_text(const Json& environment);
/// Returns true if any case, even one that was skipped, has a stage on the GPU or an output in GPU
/// memory.
bool needs_gpu(const Results& results);
/// Returns the GPU, like "NVIDIA H100, 78 GiB, PCIe 5.0 x16", or why there is none, like "no GPU:
/// no NVIDIA driver". If no case needs a GPU, returns "GPU not used" if the machine has one,
/// else "no GPU (no case here needs one)".
std::string gpu_text(const Results& results);
/// Returns why a case was skipped or failed. If it was skipped for lack of a GPU, returns "no GPU";
/// gpu_text() has the reason for that.
std::string reason_text(const CaseResult& result);

/// Returns how many cases of the groups failed and why, like "2 failed (peer torch ended with exit
/// code 3)"; "" if none did. Each reason is there once.
std::string failures_text(std::span<const GroupResult> groups);

/// Returns the peak signal-to-noise ratio of an output and the bound for it, like "41.3 dB, 30 or
/// more expected". For equal images, returns "equal, 30 dB or more expected".
std::string likeness_text(const CheckResult& check);

/// Both return the value as a JSON number; null if it is not finite or absent.
Json finite(double value);
Json finite(const std::optional<double>& value);

/// Returns the title of the column for the clock that decides: "ms/batch" or "GPU ms/batch".
std::string time_title(const Results& results);

/// Returns the title of the column for the clock that does not decide: "device ms" or "wall ms".
std::string other_time_title(const Results& results);

/// Returns a measured case's time in ms on the clock that does not decide; "" if no device was
/// used.
std::string other_time(const CaseResult& result, const Results& results);

/// Returns the peer of a case: the name that it reports ("torch 2.9.0"), or else its name in
/// the config. Returns "" without a peer.
std::string peer_text(const CaseResult& result);

/// Returns the versions of all peers that reported one, like "Peers: torch 2.9.0 · numpy 2.1.0 (a
/// process of its own …)"; "" without any.
std::string peers_line(const Experiment& experiment);

/// Returns the range of clocks and temperatures that the GPU had in a group's turns, and what held
/// its clocks back, like "SM 1,305-1,980 MHz, 41-63 C, held back by sw_power_cap". Returns "" if
/// neither its clocks nor its states were read.
std::string device_states_text(const DeviceStates& states);
/// Returns whether the host's memory had one state or two while a group was measured, like "one
/// state of its memory: over 22 rounds the same form of each stream was the fastest (to within
/// 3 %)". Returns "" if no stream was measured in two forms.
std::string host_states_text(const HostStates& states);
/// Returns a text that names the cases whose ratio to the baseline has two levels, like "Two
/// states: fused was 1.6x the baseline in 80 rounds and 2.4x in 40; …". Returns "" if no case has
/// two.
std::string states_warning(const Experiment& experiment);
/// Returns a warning if the host's memory changed while a group was measured, else "".
std::string host_change_warning(const Experiment& experiment);
/// Returns a warning about what changed in the GPU's states while a group was measured, or "".
std::string device_change_warning(const Experiment& experiment);
/// Returns a table of the GPU's clocks, temperature, power, link and throttle reasons before and
/// after the rounds. A row between the two tells what held the clocks back during the rounds, if
/// anything did. Returns "" without a GPU.
std::string condition_table(const GroupResult& group, const DeviceStates& states);

/// Returns a warning like "Warning: the GPU held its clocks back (sw_power_cap for 1.2 of 5.0 s):
/// …"; "" without a reason. The reasons are:
/// - those that held the clocks back for at least 1 % of the time of the rounds
/// - those that were not timed, but read before or after the rounds, except idling
std::string throttle_warning(const Experiment& experiment);

}  // namespace normbench

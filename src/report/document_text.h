/// Texts about parts of a results document, which several reports share: the machine, the GPU, why
/// a case did not run, times, peers, and the condition of the GPU.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

/// Returns the string at a JSON pointer, or `fallback` if there is no string.
std::string text_at(const Json& json, const std::string& pointer, const std::string& fallback);
/// Returns the integer at a JSON pointer, or `fallback` if there is no integer.
std::int64_t integer_at(const Json& json, const std::string& pointer, std::int64_t fallback);

/// A value of a document and its path, like "AMD EPYC" and "cpu.model".
struct Fact {
  std::string path, value;
};
/// Returns all values in an object and in its nested objects as text, in order. Null at the path
/// "gpu" becomes "none". Null at any other path becomes "cannot be read here".
std::vector<Fact> facts_of(const Json& object);

/// Returns a text like "AMD EPYC, 2 cores, L3 32 MiB". Adds ", only AVX2" if kernels were
/// restricted to AVX2 on a CPU with a better instruction set.
std::string machine_text(const Json& environment);
/// Returns true if any case, even one that was skipped, has a stage on the GPU or an output in GPU
/// memory.
bool needs_gpu(const Results& results);
/// Returns the GPU, like "NVIDIA H100, 78 GiB, PCIe 5.0 x16", or why there is none, like "no GPU:
/// no NVIDIA driver". If the run was not interrupted and no case needs a GPU, returns "GPU not
/// used" or, on a machine without a GPU, "no GPU (no case here needs one)".
std::string gpu_text(const Results& results);
/// Returns why a case was skipped or failed. If it was skipped because there is no GPU, returns "no
/// GPU". gpu_text() tells why there is none.
std::string reason_text(const CaseResult& result);

/// Returns how many cases of the groups failed and why, like "2 failed (peer torch ended with exit
/// code 3)". A reason that several cases share appears once. Returns "" if no case failed.
std::string failures_text(std::span<const GroupResult> groups);

/// Returns the peak signal-to-noise ratio of an output and the bound for it, like "41.3 dB, 30 or
/// more expected". For equal images, returns "equal, 30 dB or more expected".
std::string likeness_text(const CheckResult& check);

/// The two functions below return the value as a JSON number, or null if it is missing or not
/// finite.
Json finite(double value);
Json finite(const std::optional<double>& value);

/// Returns the title of the column with the times by which cases are ranked: "ms/batch" or, if the
/// GPU's clock decides, "GPU ms/batch".
std::string time_title(const Results& results);

/// Returns the title of the column with the times of the clock that does not rank the cases:
/// "device ms" or, if the GPU's clock ranks them, "wall ms".
std::string other_time_title(const Results& results);

/// Returns the time of a measured case in ms for the column with the title other_time_title().
/// Returns "" if the case has no device time.
std::string other_time(const CaseResult& result, const Results& results);

/// Returns the peer (external program) that ran a case: the name that it reports ("torch 2.9.0"),
/// or else its name in the config. Returns "" if the case has no peer.
std::string peer_text(const CaseResult& result);

/// Returns the versions of all peers (external programs) that reported one, like "Peers: torch
/// 2.9.0 (a process of its own may make a difference of 5.0 %)". Returns "" if no peer reported a
/// version.
std::string peers_line(const Experiment& experiment);

/// Returns the range of clocks and temperatures that the GPU had while a group was measured, and
/// what held its clocks back, like "SM 1,305-1,980 MHz, 41-63 C, held back by sw_power_cap".
/// Returns "" if neither its clocks nor its states were read.
std::string device_states_text(const DeviceStates& states);
/// Returns whether the speed of the host's memory changed while a group was measured, like "one
/// state of its memory: over 22 rounds the same form of each stream was the fastest (to within
/// 3 %)". A stream is a loop that moves bytes in memory. Returns "" if no streams were compared.
std::string host_states_text(const HostStates& states);
/// Returns a text about the cases whose ratio to the baseline has two levels, like "Two states:
/// fused was 1.6x the baseline in 80 rounds and 2.4x in 40; ...". Returns "" if there is no such
/// case.
std::string states_warning(const Experiment& experiment);
/// Returns a warning if the speed of the host's memory changed while a group was measured, else "".
std::string host_change_warning(const Experiment& experiment);
/// Returns a warning if the GPU's clock, throttle reasons or temperature changed while a group was
/// measured, else "".
std::string device_change_warning(const Experiment& experiment);
/// Returns a table of the GPU's clocks, temperature, power, link and throttle reasons. One row has
/// the state before the rounds, and one the state after them. If a throttle reason held the clocks
/// back during the rounds, a row between these two tells for how long. Returns "" if there is no
/// GPU.
std::string condition_table(const GroupResult& group, const DeviceStates& states);

/// Returns a warning like "Warning: the GPU held its clocks back (sw_power_cap for 1.2 of 5.0 s):
/// ...". Returns "" if there is no throttle reason to report. Reported are:
/// - reasons that held the clocks back for at least 1 % of the time of the rounds
/// - reasons that were seen before or after the rounds but have no time, except idling
std::string throttle_warning(const Experiment& experiment);

}  // namespace normbench

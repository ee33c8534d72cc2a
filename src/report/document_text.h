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
/// Returns a fact for each value in an object and in the objects nested in it, in order. The value
/// null becomes "none" for "gpu", and "cannot be read here" for all others.
std::vector<Fact> facts_of(const Json& object);

/// Returns a text like "AMD EPYC, 2 cores, L3 32 MiB". Adds ", only AVX2" if the CPU has a better
/// instruction set.
std::string machine_text(const Json& environment);
/// Returns true if a case has a stage on the GPU, even on a machine without a GPU.
bool needs_gpu(const Results& results);
/// Returns the GPU, or why there is none: "NVIDIA H100, 78 GiB, PCIe 5.0 x16", "no GPU (no case
/// here needs one)", "no GPU: no NVIDIA driver", …
std::string gpu_text(const Results& results);
/// Returns why a case was skipped or failed. Without a GPU it is just "no GPU", because gpu_text()
/// says why.
std::string reason_text(const CaseResult& result);

/// Returns a text like "41.3 dB, 30 or more expected", for an output that is compared as whole
/// images.
std::string likeness_text(const CheckResult& check);

/// Both return the value as a JSON number; null if it is not finite or absent.
Json finite(double value);
Json finite(const std::optional<double>& value);

/// Returns the title of the deciding clock's column: "ms/batch" or "GPU ms/batch".
std::string time_title(const Results& results);

/// Returns the title of the column for the clock that does not decide: "device ms" or "wall ms".
std::string other_time_title(const Results& results);

/// Returns a measured case's time on the clock that does not decide; "" if no device was used.
std::string other_time(const CaseResult& result, const Results& results);

/// Returns the peer of a case: the name that it reports ("torch 2.9.0"), or else its name in
/// the config. Returns "" without a peer.
std::string peer_text(const CaseResult& result);

/// Returns the peers that answered, "Peers: torch 2.9.0 · numpy 2.1.0"; "" without any.
std::string peers_line(const Experiment& experiment);

/// Returns the states that the GPU was in after the turns of a group: "SM 1,305-1,980 MHz, 41-63 C,
/// held back by sw_power_cap, at times held back by hw_slowdown; read after 12 of 240 turns, as a
/// reading takes up to 5.0 ms". Returns "" if they were not read.
std::string device_states_text(const DeviceStates& states);
/// Returns a text about the states of the host's memory, like "one state of its memory: over 22
/// rounds the same form of each stream was the fastest (to within 3 %)". Returns "" if no stream
/// was measured in two forms.
std::string host_states_text(const HostStates& states);
/// Returns a text that names the cases whose ratio has two levels, like "Two states: fused was 1.6x
/// the baseline in 80 rounds and 2.4x in 40; …". Returns "" if no case has two.
std::string states_warning(const Experiment& experiment);
/// Returns a warning if the host's memory changed while a group was measured, else "".
std::string host_change_warning(const Experiment& experiment);
/// Returns a warning about what changed in the GPU's states while a group was measured, or "".
std::string device_change_warning(const Experiment& experiment);
/// Returns a table of the GPU's clocks, temperature, power, link and throttle reasons, with a row
/// for before the rounds and a row for after them. If something held the clocks back, a row between
/// the two tells what. Returns "" without a GPU.
std::string condition_table(const GroupResult& group, const DeviceStates& states);

/// Returns a warning like "the GPU held its clocks back (sw_power_cap for 1.2 of 5.0 s): …", for
/// all reasons except idling. A reason whose time was not counted is shown without a time. Returns
/// "" without a reason.
std::string throttle_warning(const Experiment& experiment);

}  // namespace normbench

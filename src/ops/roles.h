/// The roles of an op: what the code that plans, runs and judges pipelines has to know about it.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// What runs a stage. Kernel: a kernel row of the place where the input is. HostKernel: a kernel
/// row of the CPU. Call: a call of the CUDA runtime. Launch: a call of the CUDA runtime, or on the
/// CPU a team of threads.
enum class Runs { Kernel, HostKernel, Call, Launch };

/// What a stage does with files.
enum class FileUse { None, Reads, Writes };

/// The direction in which a stage copies over the link between host and device.
enum class LinkUse { None, Up, Down, BothWays };

/// What a stage does with page-locked memory: copies its input into page-locked memory, locks the
/// memory of its input, or unlocks this memory.
enum class PageLocking { None, Copies, Locks, Unlocks };

/// The kind of limit that a stage shows. Launch: the cost of launching work on a GPU.
enum class LimitKind { Link, Launch, PageFaults, Memory };

/// The roles of an op. By default an op runs as a kernel that computes new values from its inputs.
struct Roles {
  bool starts = false;  // takes no input and is the first stage; no samples
  bool given = false;   // its tensor is made before the timed stages
  Runs runs = Runs::Kernel;
  bool peer_only = false;  // only peers run it: no kernel and no samples

  // How the output depends on the values of the input. An op with `moves_only`, `copies`,
  // `passes_through` or `undefined` has no `accuracy`. With one of the last three it has no
  // `reference` either.
  bool moves_only = false;      // moves values and does not change them
  bool copies = false;          // copies each value to the same element
  bool passes_through = false;  // the output is the first input itself; needs no `infer`
  bool undefined = false;       // output values are undefined and not checked
  bool needs_input = false;     // passes through, but starts only after its input was made

  FileUse files = FileUse::None;
  LinkUse link = LinkUse::None;
  PageLocking locks = PageLocking::None;
  bool waits = false;                   // the host waits until the device has finished all work
  bool stands_for_work = false;         // takes a given time, however many bytes its input has
  std::optional<LimitKind> limit = {};  // the limit that a case with only this op shows

  bool operator==(const Roles&) const = default;
};

/// Returns the roles of the op called `op`. Returns the default roles for an unknown name, because
/// a document may contain one.
const Roles& roles_named(std::string_view op);

}  // namespace normbench

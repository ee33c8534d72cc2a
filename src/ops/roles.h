/// The roles of an op: what the code that plans, runs and judges pipelines must know about the op.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// What runs a stage. A kernel row is one implementation of an op. Kernel: a kernel row of the
/// place (CPU or GPU) where the input is. HostKernel: a kernel row of the CPU. Call: a call of the
/// CUDA runtime. Launch: on a GPU a call of the CUDA runtime, and on the CPU a team of threads.
enum class Runs { Kernel, HostKernel, Call, Launch };

/// What a stage does with files.
enum class FileUse { None, Reads, Writes };

/// The direction in which a stage copies over the link between host and device. Up: to the device.
/// Down: to the host.
enum class LinkUse { None, Up, Down, BothWays };

/// What a stage does with page-locked memory. Copies: it copies its input into such memory. Locks:
/// it page-locks the memory of its input. Unlocks: it undoes a Locks stage.
enum class PageLocking { None, Copies, Locks, Unlocks };

/// A kind of limit that the machine sets on speed. Memory, for example, is the memory bandwidth,
/// and Launch is the cost of launching work. `Roles::limit` says which one an op measures.
enum class LimitKind { Link, Launch, PageFaults, Memory };

/// The roles of an op. By default an op runs as a kernel that computes new values from its inputs.
struct Roles {
  bool starts = false;  // takes no input and is the first stage; self-tests skip it
  bool given = false;   // the tensor is made before the timed stages
  Runs runs = Runs::Kernel;
  bool peer_only = false;  // only peers (other libraries) run it, and no kernel
  bool own_code = false;   // the user's own code: a peer runs it, and its output is not compared

  // How the output depends on the values of the input. An op with `moves_only`, `copies`,
  // `passes_through` or `undefined` needs no `accuracy`. With `copies`, `passes_through` or
  // `undefined` it needs no `reference` either.
  bool moves_only = false;      // moves values and does not change them
  bool copies = false;          // copies each value to the same element
  bool passes_through = false;  // the output is the first input itself; needs no `infer`
  bool undefined = false;       // output values are undefined and not checked
  bool needs_input = false;     // passes through, but must wait until its input is made
  bool takes_ycbcr = false;     // takes images in a YCbCr format; implied by `passes_through`

  FileUse files = FileUse::None;
  LinkUse link = LinkUse::None;
  PageLocking locks = PageLocking::None;
  bool waits = false;                   // the host waits until the device has finished all work
  bool stands_for_work = false;         // imitates work that takes the time that the config gives
  std::optional<LimitKind> limit = {};  // the limit that a pipeline of only this op shows

  bool operator==(const Roles&) const = default;
};

/// Returns the roles of the op called `op`. Returns the default roles for an unknown name, because
/// a results document of another version may contain one.
const Roles& roles_named(std::string_view op);

}  // namespace normbench

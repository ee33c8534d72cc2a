/// The roles of an op: what its stages are to those who plan, run and judge a pipeline, whatever
/// they compute. Nobody else asks which op a stage has.
#pragma once

#include <optional>
#include <string_view>

namespace normbench {

/// What runs a stage. Kernel: a row of the place where its input lies. HostKernel: a row of the CPU
/// only. Call: a call of the CUDA runtime. Launch: likewise, and on the CPU a team of threads.
enum class Runs { Kernel, HostKernel, Call, Launch };

/// What a stage does with files.
enum class FileUse { None, Reads, Writes };

/// Which way a stage copies over the link between host and device.
enum class LinkUse { None, Up, Down, BothWays };

/// What a stage does about page-locked memory: copies its input into some, locks the input where it
/// lies, or undoes that.
enum class PageLocking { None, Copies, Locks, Unlocks };

/// What a limit is a limit of. Launch: of launching work on a GPU.
enum class LimitKind { Link, Launch, PageFaults, Memory };

/// The row of an op. An op without one runs as kernels, reads its inputs and makes values of them.
struct Roles {
  bool starts = false;  // takes no input and starts a variant; needs no samples
  bool given = false;   // starts, and is there before the first stage: not timed, and no stage
  Runs runs = Runs::Kernel;
  bool peer_only = false;  // only peers run it: it has no kernel and no samples

  // What becomes of its input's values. With one of the first four it has no `accuracy`, and but
  // for the first no `reference`.
  bool moves_only = false;      // moves values without changing them
  bool copies = false;          // copies each value to the same element
  bool passes_through = false;  // gives on the first input's own bytes; needs no `infer`
  bool undefined = false;       // output values are undefined: any byte is right
  bool needs_input = false;     // passes through, and begins when its input is there

  FileUse files = FileUse::None;
  LinkUse link = LinkUse::None;
  PageLocking locks = PageLocking::None;
  bool waits = false;                   // the host waits until the device has done all work
  bool stands_for_work = false;         // takes a time that was asked for, whatever bytes it has
  std::optional<LimitKind> limit = {};  // what a stage of it alone measures, beside the link

  bool operator==(const Roles&) const = default;
};

/// The roles of the op of that name, as documents have it; those of an op without any for others.
const Roles& roles_named(std::string_view op);

}  // namespace normbench

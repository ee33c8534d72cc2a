/// The messages between this process and a peer (another program that runs cases). Each message is
/// one line. A reply with a mistake is rejected as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/results.h"
#include "plan/case.h"

namespace normbench {

inline constexpr int peer_protocol = 1;
/// The length of the longest allowed line in bytes, without its newline.
inline constexpr std::size_t peer_line_bytes = 1 << 20;

std::string hello_request();
/// Returns the request to prepare a case:
/// - `copies`: the number of copies of the inputs that the peer makes.
/// - `unlike`: true if the copies must differ from each other (docs/peers.md).
/// - `paths`: the .npy files of the inputs.
/// - `files`: the path of a list of the files that the case loads; "" if it loads none.
/// - `device`: the index of the GPU; ignored if the case uses no GPU.
/// In a plain chain, each stage reads only the output of the stage before it. If the case is no
/// plain chain, the request also tells which values each stage reads and writes, and which values
/// are the outputs of the case. It gives the indices of these values in `planned.values`.
std::string prepare_request(const Case& planned, std::size_t copies, bool unlike,
                            std::span<const std::string> paths, const std::string& files,
                            int device);
/// Returns the request to run a turn. `first` is the number of the first item (batch of files). It
/// may be above 0 only if the peer has reported PeerReady::takes_first.
std::string run_request(std::int64_t iterations, std::int64_t warmup_ns, std::int64_t first = 0);
/// Returns the request to run one iteration on copy number `copy` of the inputs.
std::string run_on_request(std::size_t copy);
std::string output_request(std::span<const std::string> paths);
/// Returns the request to describe the user's own code. To answer it, the peer runs the code once.
std::string describe_request();
std::string close_request();

/// What a peer reports for a turn. A member is 0 or empty if the peer does not report it.
struct PeerTurn {
  std::int64_t wall_ns = 0, device_ns = 0, cpu_ns = 0, minor_faults = 0, major_faults = 0;
  std::int64_t after_cpu_ns = 0;  // CPU time from the end of the turn to the reply
  // By stage: the host's time in ns, summed over all iterations.
  std::vector<std::optional<std::int64_t>> stage_ns = {};
};

/// Each read_ function below parses the reply to one request. It throws CannotRunHere with the
/// reason of the peer if the reply is "unavailable" or "unsupported". It throws Invalid for any
/// other wrong reply. The message of Invalid continues a text that ends with the name of the peer,
/// like " answered `run` with no JSON: \"Traceback\"". If the reply is an "error", the message is
/// like ": CUDA out of memory".

/// Returns the peer's name and version, like "torch 2.9.0".
std::string read_hello(const std::string& line);
/// What a peer reports about the prepared case. Some members tell why the peer's results may differ
/// from the exact results by more than the error bounds of the ops.
struct PeerReady {
  // The least peak signal-to-noise ratio in dB that the peer promises for decoded images. 0: the
  // values are within the bounds of the ops.
  double psnr_db = 0;
  ResizeFilter filter = ResizeFilter::Triangle;  // the filter with which the peer resizes images
  Rounds rounds = {};        // values that the peer rounds to the output's dtype
  std::int64_t unlike = 1;   // number of different copies of the inputs; 1: all are equal
  bool takes_first = false;  // true: a turn may start at any item (batch of files)
  std::int64_t epoch = 0;    // batches in an epoch of the user's own loader; 0: not known
  bool operator==(const PeerReady&) const = default;
};
PeerReady read_ready(const std::string& line);
PeerTurn read_ran(const std::string& line, std::size_t stages);
/// Returns the number of the copy of the inputs from which the peer computed its outputs; 0 if the
/// peer does not report it.
std::int64_t read_written(const std::string& line);
/// Reads the reply to the request `output`, for a peer that runs the user's own code. Such a peer
/// writes no file. It reports the dtype, shape and size of the last batch that the code gave.
GivenResult read_given(const std::string& line);

/// What a peer reports about the user's own code before a case is prepared. `has_step`: the code
/// also has a function that is called with each batch, such as a training step.
struct OwnCode {
  OwnCodeKind kind = OwnCodeKind::Loader;
  bool has_step = false;
  GivenResult given = {};
};
OwnCode read_described(const std::string& line);

}  // namespace normbench

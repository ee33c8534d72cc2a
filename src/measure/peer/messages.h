/// The messages between this process and a peer. Each message is one line. A reply with a mistake
/// is rejected as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
/// - `device`: the number of the GPU, for a case that uses it.
/// In a plain chain, each stage reads only the output of the stage before it. If the case is no
/// plain chain, all values are numbered, beginning with the inputs. The request then also contains
/// the numbers of the values that each stage reads and writes, and of the outputs.
std::string prepare_request(const Case& planned, std::size_t copies, bool unlike,
                            std::span<const std::string> paths, const std::string& files,
                            int device);
/// Returns the request to run a turn. `first` is the number of the first item (batch of files). It
/// may be above 0 only if the peer has reported PeerReady::takes_first.
std::string run_request(std::int64_t iterations, std::int64_t warmup_ns, std::int64_t first = 0);
/// Returns the request to run one iteration on copy number `copy` of the inputs.
std::string run_on_request(std::size_t copy);
std::string output_request(std::span<const std::string> paths);
std::string close_request();

/// What a peer reports for a turn. A member is 0 or empty if the peer does not report it.
struct PeerTurn {
  std::int64_t wall_ns = 0, device_ns = 0, cpu_ns = 0, minor_faults = 0, major_faults = 0;
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
/// What a peer reports about the prepared case. Some members tell in which ways its results may
/// differ from the exact ones by more than the bounds of the ops.
struct PeerReady {
  // The least peak signal-to-noise ratio in dB that the peer promises for decoded images. 0: the
  // values are within the bounds of the ops.
  double psnr_db = 0;
  ResizeFilter filter = ResizeFilter::Triangle;  // the filter with which the peer resizes images
  Rounds rounds = {};                            // values that it rounds to the dtype of the output
  std::int64_t unlike = 1;   // number of different copies of the inputs; 1: all are equal
  bool takes_first = false;  // a run may start at any item of the files
  bool operator==(const PeerReady&) const = default;
};
PeerReady read_ready(const std::string& line);
PeerTurn read_ran(const std::string& line, std::size_t stages);
/// Returns the number of the copy of the inputs from which the peer computed its outputs; 0 if the
/// peer does not report it.
std::int64_t read_written(const std::string& line);

}  // namespace normbench

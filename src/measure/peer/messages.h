/// The messages to and from a peer: requests as lines, replies read strictly.
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
/// The longest line, its end not counted.
inline constexpr std::size_t peer_line_bytes = 1 << 20;

std::string hello_request();
/// `paths` are .npy files of the case's inputs; `files` one that lists what it loads, or "";
/// `device` the number of the GPU, for a case that
/// uses it. For a case that is no plain chain, each stage has the numbers of the values that it
/// reads and writes, inputs first, and the request those of the outputs.
/// `unlike`: copies of the inputs are to differ (docs/peers.md).
std::string prepare_request(const Case& planned, std::size_t copies, bool unlike,
                            std::span<const std::string> paths, const std::string& files,
                            int device);
std::string run_request(std::int64_t iterations, std::int64_t warmup_ns);
/// The request to run one iteration on this copy of the inputs.
std::string run_on_request(std::size_t copy);
std::string output_request(std::span<const std::string> paths);
std::string close_request();

/// What a peer says of a turn; 0 and empty for what it does not say.
struct PeerTurn {
  std::int64_t wall_ns = 0, device_ns = 0, cpu_ns = 0, minor_faults = 0, major_faults = 0;
  std::vector<std::optional<std::int64_t>> stage_ns = {};  // the host's, over all iterations
};

/// Each reads the reply to its request. Throws CannotRunHere with the peer's reason when it is
/// "unavailable" or "unsupported", else Invalid to be read after the peer's name: " answered `run`
/// with no JSON: \"Traceback …\"", ": CUDA out of memory" for its own "error".

/// "torch 2.9.0".
std::string read_hello(const std::string& line);
/// What a peer says of what it prepared, and of how its results differ from the op's where they are
/// not within its bound.
struct PeerReady {
  double psnr_db = 0;  // that each image it loads keeps; 0: they are the op's
  ResizeFilter filter = ResizeFilter::Triangle;  // by which they are resized
  Rounds rounds = {};                            // what it holds in the dtype of the output
  std::int64_t unlike = 1;                       // how many copies of the inputs differ; 1: none do
  bool operator==(const PeerReady&) const = default;
};
PeerReady read_ready(const std::string& line);
PeerTurn read_ran(const std::string& line, std::size_t stages);
/// The number of the copy of the inputs that gave the result; 0 where the peer does not say.
std::int64_t read_written(const std::string& line);

}  // namespace normbench

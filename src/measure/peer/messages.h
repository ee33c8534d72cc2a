/// The messages between this process and a peer. Each is one line. A reply with any mistake is
/// rejected.
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
/// The longest line in bytes, without its newline.
inline constexpr std::size_t peer_line_bytes = 1 << 20;

std::string hello_request();
/// Returns the request to prepare a case. `paths` are .npy files of the case's inputs. `files` is
/// the path of a list of the files that the case loads; "" if it loads none. `device` is the number
/// of the GPU, for a case that uses it. `unlike`: the copies of the inputs must differ
/// (docs/peers.md). If the case is no plain chain, the request also says, for each stage, the
/// numbers of the values that the stage reads and writes, and the numbers of the outputs. The
/// case's inputs have the first numbers.
std::string prepare_request(const Case& planned, std::size_t copies, bool unlike,
                            std::span<const std::string> paths, const std::string& files,
                            int device);
/// `first`: the number of the first item; above 0 only for a peer with PeerReady::takes_first.
std::string run_request(std::int64_t iterations, std::int64_t warmup_ns, std::int64_t first = 0);
/// Returns the request to run one iteration on this copy of the inputs.
std::string run_on_request(std::size_t copy);
std::string output_request(std::span<const std::string> paths);
std::string close_request();

/// What a peer reports for a turn; 0 or empty for what it does not report.
struct PeerTurn {
  std::int64_t wall_ns = 0, device_ns = 0, cpu_ns = 0, minor_faults = 0, major_faults = 0;
  // The host's time by stage, over all iterations.
  std::vector<std::optional<std::int64_t>> stage_ns = {};
};

/// Each read_ function below parses the reply to one request. It throws CannotRunHere with the
/// peer's reason if the reply is "unavailable" or "unsupported". For any other wrong reply it
/// throws Invalid. The message is meant to follow the peer's name: " answered `run` with no JSON:
/// \"Traceback …\"", or ": CUDA out of memory" for the peer's own "error".

/// Returns the peer's name and version, like "torch 2.9.0".
std::string read_hello(const std::string& line);
/// What a peer reports about the prepared case: the ways in which its results may differ from exact
/// ones beyond the ops' bounds, and the number of unlike copies.
struct PeerReady {
  double psnr_db = 0;  // least peak signal-to-noise ratio of loaded images, in dB; 0: exact
  ResizeFilter filter = ResizeFilter::Triangle;  // the filter that resizes images
  Rounds rounds = {};       // intermediate values that the peer rounds to the output's dtype
  std::int64_t unlike = 1;  // how many copies of the inputs differ; 1: none do
  bool takes_first = false;  // a run of a case that loads files can start at any item
  bool operator==(const PeerReady&) const = default;
};
PeerReady read_ready(const std::string& line);
PeerTurn read_ran(const std::string& line, std::size_t stages);
/// Returns the number of the copy of the inputs that gave the result; 0 if the peer does not report
/// it.
std::int64_t read_written(const std::string& line);

}  // namespace normbench

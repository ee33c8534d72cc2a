#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/options.h"
#include "backend/cpu/simd_targets.h"
#include "measure/peer/messages.h"
#include "measure/peer/server.h"

namespace normbench {
namespace {

/// Reads stdin line by line. A line that is too long for a request is cut to the limit plus one
/// byte, so that PeerServer still sees that it is too long.
class Lines {
 public:
  std::optional<std::string> next() {
    std::string line;
    while (true) {
      if (from_ == to_ && !fill()) return line.empty() ? std::nullopt : std::optional(line);
      const char c = buffer_[from_++];
      if (c == '\n') return line;
      if (line.size() <= peer_line_bytes) line += c;
    }
  }

 private:
  bool fill() {
    ssize_t count = 0;
    do count = read(STDIN_FILENO, buffer_.data(), buffer_.size());
    while (count < 0 && errno == EINTR);
    from_ = 0;
    to_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    return to_ > 0;
  }

  std::array<char, 1 << 16> buffer_ = {};
  std::size_t from_ = 0, to_ = 0;
};

Exit serve(BackendOptions backend) {
  if (isatty(STDIN_FILENO))
    throw Invalid(
        "peer is started by another normbench, whose config names it: \"peers\": {\"old\": "
        "[\"/path/to/this/normbench\", \"peer\"]}");
  if (!backend.simd.empty()) use_simd(backend.simd);  // throws for an unknown name
  SystemClock clock;
  PeerServer server(clock, [&](int device) {
    backend.device = device;
    return make_backends(backend);
  });
  Lines lines;
  while (const auto line = lines.next()) {
    const std::optional<Json> reply = server.reply(*line);
    if (!reply) break;
    write_result(reply->dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return Exit::Fine;
}

}  // namespace

Subcommand make_peer() {
  const auto backend = std::make_shared<BackendOptions>();
  return {.options = {simd_option(*backend)}, .run = [backend] { return serve(*backend); }};
}

}  // namespace normbench

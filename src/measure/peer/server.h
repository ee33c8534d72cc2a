/// The answering side of the peer protocol, with which normbench takes turns in another's rounds.
#pragma once

#include "backend/backend.h"

namespace normbench {

/// Holds one prepared case. Requests that are wrong, or come in the wrong order, are answered so
/// and change nothing.
class PeerServer {
 public:
  using MakeBackends = std::function<Backends(int device)>;

  PeerServer(Clock& clock, MakeBackends make_backends);
  ~PeerServer();

  /// The reply to a line; nothing after `close`, which has none.
  std::optional<Json> reply(std::string_view line);

 private:
  struct Request;
  class Work;
  static const Request* find(std::string_view type);

  Json hello(const Json& message);
  Json prepare(const Json& message);
  Json run(const Json& message);
  Json output(const Json& message);
  Work& prepared() const;

  Clock& clock_;
  MakeBackends make_backends_;
  std::unique_ptr<Work> work_;
};

}  // namespace normbench

/// The answering side of the peer protocol. This process is a peer in a run of another normbench
/// process.
#pragma once

#include "backend/backend.h"

namespace normbench {

/// Answers requests, and holds one prepared case. A request that is wrong, or comes in the wrong
/// order, gets an error as its reply and changes nothing.
class PeerServer {
 public:
  using MakeBackends = std::function<Backends(int device)>;

  PeerServer(Clock& clock, MakeBackends make_backends);
  ~PeerServer();

  /// Returns the reply to a line; nothing for `close`, which has no reply.
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

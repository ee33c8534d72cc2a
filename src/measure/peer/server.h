/// The side of the peer protocol that answers requests. With it, this process is a peer of another
/// normbench process.
#pragma once

#include "backend/backend.h"

namespace normbench {

/// Answers requests, and holds the case that was prepared. If a request has a mistake or comes in
/// the wrong order, the reply is an error, and the state does not change.
class PeerServer {
 public:
  using MakeBackends = std::function<Backends(int device)>;

  PeerServer(Clock& clock, MakeBackends make_backends);
  ~PeerServer();

  /// Returns the reply to a line. Returns nothing for `close`, which has no reply.
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

/// A variant that a peer runs: what the config says of it, and what cannot be asked of a peer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/reader.h"
#include "plan/plan.h"
#include "plan/variant.h"

namespace normbench {

/// The variant's "peer", or "" for none and for one that the config's `peers` lack, a mistake.
std::string read_peer(Reader& reader, const std::map<std::string, PeerCommand>& peers);

/// Why the peer's command may not be run, or nothing; also for "", no peer.
std::optional<std::string> why_not_run(const std::string& peer,
                                       const std::map<std::string, PeerCommand>& peers,
                                       bool allowed);

/// Adds an issue for each thing that is not the peer's to do as it is asked: loading files, graphs,
/// waiting within a turn, stages that read other values than the one before them gave.
void check_peer_case(const VariantText& text, const Case& decided, std::vector<Issue>& issues);

}  // namespace normbench

#include "report/peer_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "analysis/pairs.h"
#include "core/units.h"

namespace normbench {

std::string peer_text(const CaseResult& result) {
  return result.peer_version.empty() ? result.peer : result.peer_version;
}

std::string peers_line(const Experiment& experiment) {
  std::vector<std::string> peers;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases)
      if (!result.peer_version.empty() &&
          std::ranges::find(peers, result.peer_version) == peers.end())
        peers.push_back(result.peer_version);
  if (peers.empty()) return "";
  return fmt::format("Peers: {} (a process of its own may make a difference of {})",
                     fmt::join(peers, " · "), format_percent(kProcessEffect));
}

}  // namespace normbench

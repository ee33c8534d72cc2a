#include "plan/peer_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/composed.h"

namespace normbench {

std::string read_peer(Reader& reader, const std::map<std::string, PeerCommand>& peers) {
  std::string said = reader.text("peer", "");
  if (said.empty() || peers.contains(said)) return said;
  std::vector<std::string> known;
  for (const auto& [name, command] : peers) known.push_back(name);
  reader.complain_at("peer", unknown("peer", said, known));
  return "";
}

std::optional<std::string> why_not_run(const std::string& peer,
                                       const std::map<std::string, PeerCommand>& peers,
                                       bool allowed) {
  if (peer.empty() || allowed) return std::nullopt;
  return fmt::format("peer commands run only with --allow-peers (this one: {})",
                     fmt::join(peers.at(peer).argv, " "));
}

void check_peer_case(const VariantText& text, const Case& decided, std::vector<Issue>& issues) {
  const auto complain = [&](std::string_view option, const char* why) {
    issues.push_back({text.options.where(option), why});
  };
  if (decided.graph)
    complain("graph",
             "a peer submits its work as it likes: no graph can be asked of it (remove this)");
  if (decided.wait != Wait::Turn)
    complain("wait", "a peer waits at the end of its turn only (remove this)");
  if (!decided.source) {
    issues.push_back({text.stages.front().members.pointer,
                      "a peer starts from a source (it is given arrays, not files to load)"});
    return;
  }
  for (std::size_t s = 0; s < decided.stages.size(); ++s) {
    const int before = s == 0 ? 0 : decided.stages[s - 1].out[0];
    if (decided.stages[s].in != std::vector{before})
      issues.push_back({text.stages[s + 1].members.where("in"),
                        "a stage of a peer reads what the one before it gave, and nothing else"});
  }
}

}  // namespace normbench

#include "analysis/link_speed.h"

#include <algorithm>
#include <array>

#include "analysis/case_analysis.h"
#include "machine/link_reading.h"

namespace normbench {
namespace {

constexpr std::int64_t kLeastBytes = 16 << 20;
constexpr double kAnother = 1.05;  // copies above this multiple of PCIe's rate use another link

/// The data rate of one PCIe lane in each direction, after the overhead of the line code.
struct LinkLane {
  int generation;
  double bytes_per_second;
};
constexpr auto kLanes = std::to_array<LinkLane>({{1, 2.5e9 / 8 * 8 / 10},
                                                 {2, 5e9 / 8 * 8 / 10},
                                                 {3, 8e9 / 8 * 128 / 130},
                                                 {4, 16e9 / 8 * 128 / 130},
                                                 {5, 32e9 / 8 * 128 / 130},
                                                 {6, 64e9 / 8 * 242 / 256}});

bool was_under_load(const Json& reading) {
  return reading.is_string() &&
         parse_word<LinkReading>(reading.get_ref<const std::string&>()) == LinkReading::UnderLoad;
}

/// Returns the PCIe link of the GPU in `environment`. Returns nothing if the state of the link was
/// not read while copies ran.
std::optional<LinkSpeed> negotiated(const Json& environment) {
  const Json& pcie = value_at(environment, "/gpu/pcie");
  const Json &generation = value_at(pcie, "/generation"), &width = value_at(pcie, "/width");
  if (!was_under_load(value_at(pcie, "/measured")) || !generation.is_number_integer() ||
      !width.is_number_integer())
    return std::nullopt;
  const auto lane = std::ranges::find(kLanes, generation.get<int>(), &LinkLane::generation);
  if (lane == kLanes.end() || width.get<int>() <= 0) return std::nullopt;
  return LinkSpeed{.generation = lane->generation,
                   .width = width.get<int>(),
                   .bytes_per_second = lane->bytes_per_second * width.get<int>()};
}

void add_copy(std::string_view op, std::int64_t bytes, double ns, LinkSpeed& speed) {
  if (bytes < kLeastBytes || ns <= 0) return;
  const double rate = static_cast<double>(bytes) * 1e9 / ns;
  const LinkUse link = roles_named(op).link;
  if (link == LinkUse::Up) speed.up = std::max(speed.up, rate);
  if (link == LinkUse::Down) speed.down = std::max(speed.down, rate);
}

std::optional<LinkSpeed> if_measured(const LinkSpeed& speed) {
  return speed.up + speed.down > 0 ? std::optional(speed) : std::nullopt;
}

}  // namespace

double LinkSpeed::share() const {
  const double slower = up > 0 && down > 0 ? std::min(up, down) : std::max(up, down);
  return slower / bytes_per_second;
}

bool LinkSpeed::is_another() const { return share() > kAnother; }

std::optional<LinkSpeed> link_speed(const Json& environment,
                                    const std::vector<MachineLimit>& limits) {
  std::optional<LinkSpeed> speed = negotiated(environment);
  if (!speed) return std::nullopt;
  for (const MachineLimit& limit : limits)
    if (limit.ns) add_copy(limit.op, limit.bytes, limit.ns->value, *speed);
  return if_measured(*speed);
}

std::optional<LinkSpeed> link_speed(const Results& results,
                                    std::span<const GroupResult* const> groups) {
  std::optional<LinkSpeed> speed = negotiated(results.environment);
  if (!speed) return std::nullopt;
  for (const GroupResult* const group : groups)
    for (const CaseResult& limit : group->limits)
      if (measured(limit) && !limit.pipeline && limit.stages.size() == 1)
        add_copy(limit.stages[0].op, limit.stages[0].link_bytes, median_ns(limit, results), *speed);
  return if_measured(*speed);
}

}  // namespace normbench

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.h"
#include "report/table_formats.h"
#include "report/words.h"

namespace normbench {
namespace {

/// Returns where the device times of a profile come from. Documents of older versions have no
/// `device_times`. If such a document has a clock error, its device times come from CUDA events.
std::optional<DeviceTimes> source_of(const CaseProfile& profile) {
  if (!profile.device_times && profile.clock_error_ns > 0) return DeviceTimes::CudaEvents;
  return profile.device_times;
}

std::string clock_error(const CaseProfile& profile) {
  return format_significant(static_cast<double>(profile.clock_error_ns) / 1000, 2) + " us";
}

void add_device_lines(const ProfileTimes& times, std::vector<std::string>& lines) {
  if (times.overlap_ns > 0)
    lines.push_back(fmt::format("Overlap: {} with two pieces of device work or more at once",
                                time_text(times.overlap_ns)));
  if (times.copy_ns > 0)
    lines.push_back(fmt::format("Exposed transfers: {} of {}, with no kernel beside them",
                                time_text(times.exposed_copy_ns), time_text(times.copy_ns)));
  if (times.gaps > 0)
    lines.push_back(fmt::format("Gaps: {} between pieces of device work, together {}",
                                format_count(times.gaps), time_text(times.gap_ns)));
}

std::string source_line(const CaseProfile& profile) {
  std::string line = device_times_text(profile);
  if (!line.empty()) line[0] -= 'a' - 'A';
  if (profile.device_times == DeviceTimes::Cupti && profile.clock_error_ns > 0)
    line += ", on the host's clock to within " + clock_error(profile);
  return line;
}

}  // namespace

std::string busy_text(const CaseProfile& profile) {
  const ProfileTimes& times = profile.times;
  if (times.busy_ns <= 0 || times.wall_ns <= 0) return "";
  return "GPU busy " +
         format_percent(static_cast<double>(times.busy_ns) / static_cast<double>(times.wall_ns));
}

std::string device_times_text(const CaseProfile& profile) {
  const auto source = source_of(profile);
  if (!source) return "";
  if (source == DeviceTimes::Cupti) return "kernel times: CUPTI";
  const bool placed = profile.clock_error_ns > 0;
  return fmt::format("device times: {}{}", name_of(*source),
                     placed ? ", to within " + clock_error(profile) : "");
}

std::string losses_text(const ProfileLosses& losses) {
  std::vector<std::string> parts;
  if (losses.dropped > 0) parts.push_back(counted(losses.dropped, "record") + " had no room");
  if (losses.lost_buffers > 0)
    parts.push_back(counted(losses.lost_buffers, "buffer") + " of records had no room");
  if (losses.without_times > 0)
    parts.push_back(counted(losses.without_times, "record") + " had no times");
  if (losses.launches > losses.launched)
    parts.push_back(fmt::format("{} of {} launches have no work in the profile",
                                format_count(losses.launches - losses.launched),
                                format_count(losses.launches)));
  if (losses.without_launch > 0)
    parts.push_back(fmt::format("{} of device work {} no launch in the profile",
                                counted(losses.without_launch, "piece"),
                                losses.without_launch == 1 ? "has" : "have"));
  if (losses.before_launch > 0)
    parts.push_back(
        fmt::format("{} of device work seemed to begin before the launch, by {} at most, "
                    "and {} moved to it",
                    counted(losses.before_launch, "piece"), time_text(losses.most_skew_ns),
                    losses.before_launch == 1 ? "was" : "were"));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> profile_footers(const CaseProfile& profile) {
  const ProfileTimes& times = profile.times;
  std::vector<std::string> lines;
  if (times.wall_ns > 0) {
    const std::string steps = profile.steps > 0 ? " of " + counted(profile.steps, "step") : "";
    lines.push_back(fmt::format("Wall time{}: {}", steps, time_text(times.wall_ns)));
  }
  if (const std::string busy = busy_text(profile); !busy.empty())
    lines.push_back(fmt::format("{}: {}, over all streams", busy, time_text(times.busy_ns)));
  add_device_lines(times, lines);
  if (profile.discarded > 0)
    lines.push_back(counted(profile.discarded, "step") + " discarded for warm-up");
  if (profile.overhead > 0)
    lines.push_back(
        fmt::format("Profiled steps took {} the measured time", factor(profile.overhead)));
  if (const std::string source = source_line(profile); !source.empty()) lines.push_back(source);
  if (const std::string lost = losses_text(profile.losses); !lost.empty())
    lines.push_back("Lost: " + lost);
  return lines;
}

}  // namespace normbench

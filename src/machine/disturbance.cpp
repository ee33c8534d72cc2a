#include "machine/disturbance.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "machine/process_limits.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

constexpr int most_processors = 64;
constexpr std::size_t most_bytes = 64 << 10;

/// A file of /proc or /sys that stays open and can be read repeatedly.
class LiveFile {
 public:
  explicit LiveFile(const fs::path& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  /// Returns at most `most` bytes of the present content; empty if the file cannot be read.
  std::string read(std::size_t most = most_bytes) const {
    std::string text(most, '\0');
    std::size_t size = 0;
    while (file_.is_open() && size < most) {
      const ssize_t got =
          pread(file_.number(), text.data() + size, most - size, static_cast<off_t>(size));
      if (got <= 0) break;
      size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
  }

 private:
  Descriptor file_;
};

std::optional<double> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// Finds lines that begin with `key`, then blanks or a colon, then a number. Returns these numbers.
std::vector<double> numbers_of(std::string_view text, std::string_view key) {
  std::vector<double> numbers;
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    std::string_view rest = text.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t:"), rest.size()));
    if (const auto number = leading_number(rest)) numbers.push_back(*number);
  }
  return numbers;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

class Files {
 public:
  explicit Files(const fs::path& root)
      : stat_(root / "proc/stat"), cpuinfo_(root / "proc/cpuinfo") {
    for (const CgroupFolder& folder : cgroup_folders(root)) {
      LiveFile file(folder.path / "cpu.stat");
      if (file.read().find("throttled_") != std::string::npos) groups_.push_back(std::move(file));
    }
    for (int cpu = 0; cpu < most_processors; ++cpu) {
      LiveFile file(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                    "cpufreq/scaling_cur_freq");
      if (!file.read().empty()) frequencies_.push_back(std::move(file));
    }
  }

  Disturbance read() const {
    return {.steal_ns = steal_ns(), .throttled_ns = throttled_ns(), .frequency_khz = khz()};
  }

 private:
  /// Returns the steal time of all processors since boot. It is the eighth number, in ticks, in the
  /// line "cpu  user nice system idle iowait irq softirq steal …".
  std::int64_t steal_ns() const {
    const std::string text = stat_.read(512);
    std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    if (!line.starts_with("cpu ")) return 0;
    constexpr int steal = 8;
    for (int field = 0; field < steal; ++field) {
      line.remove_prefix(std::min(line.find(' '), line.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    const double ticks = leading_number(line).value_or(0);
    return std::llround(ticks * 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK)));
  }

  std::int64_t throttled_ns() const {
    double total = 0;
    for (const LiveFile& file : groups_) {
      const std::string text = file.read();
      for (const double us : numbers_of(text, "throttled_usec")) total += us * 1e3;
      for (const double ns : numbers_of(text, "throttled_time")) total += ns;
    }
    return std::llround(total);
  }

  std::int64_t khz() const {
    std::vector<double> khz;
    for (const LiveFile& file : frequencies_)
      if (const auto number = leading_number(file.read(32))) khz.push_back(*number);
    if (!khz.empty()) return std::llround(mean(khz));
    return std::llround(mean(numbers_of(cpuinfo_.read(), "cpu MHz")) * 1e3);
  }

  LiveFile stat_, cpuinfo_;
  std::vector<LiveFile> groups_, frequencies_;
};

}  // namespace

std::function<Disturbance()> disturbance_reader(const fs::path& root) {
  return [files = std::make_shared<const Files>(root)] { return files->read(); };
}

Disturbance disturbance_between(const Disturbance& before, const Disturbance& after) {
  return {.steal_ns = after.steal_ns - before.steal_ns,
          .throttled_ns = after.throttled_ns - before.throttled_ns,
          .frequency_khz = after.frequency_khz};
}

}  // namespace normbench

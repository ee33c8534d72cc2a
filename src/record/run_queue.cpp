#include "record/run_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/descriptor.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

/// Removes the number at the start of `text` and the character after it, and returns the number. If
/// `text` does not start with a number, removes nothing and returns -1.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return -1;
  text.remove_prefix(std::min(static_cast<std::size_t>(end - text.data()) + 1, text.size()));
  return number;
}

/// Reads the run and wait times of a thread from its schedstat file. Returns nothing if the thread
/// has ended or if the kernel does not count these times.
std::optional<QueueDelay> delay_in(const fs::path& schedstat) {
  const Descriptor file(open(schedstat.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::array<char, 96> bytes{};
  const ssize_t size = read(file.number(), bytes.data(), bytes.size());
  std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::int64_t run_ns = take_number(text), waited_ns = take_number(text);
  if (run_ns < 0 || waited_ns < 0) return std::nullopt;
  return QueueDelay{.run_ns = run_ns, .waited_ns = waited_ns};
}

std::int64_t tick_ns() { return 1'000'000'000 / sysconf(_SC_CLK_TCK); }

}  // namespace

std::vector<QueueDelay> queue_delays(const fs::path& tasks) {
  std::vector<QueueDelay> delays;
  std::error_code unreadable;
  for (fs::directory_iterator task(tasks, unreadable), end; !unreadable && task != end;
       task.increment(unreadable)) {
    const std::string name = task->path().filename();
    std::string_view digits = name;
    const std::int64_t thread = take_number(digits);
    auto delay = delay_in(task->path() / "schedstat");
    if (thread < 0 || !delay) continue;
    delay->thread = static_cast<int>(thread);
    delays.push_back(*delay);
  }
  std::ranges::sort(delays, {}, &QueueDelay::thread);
  return delays;
}

std::int64_t busy_processors_ns(const fs::path& stat) {
  const Descriptor file(open(stat.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> bytes{};
  const ssize_t size = file.is_open() ? read(file.number(), bytes.data(), bytes.size()) : 0;
  std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  constexpr std::string_view all = "cpu  ";
  if (!text.starts_with(all)) return 0;
  text.remove_prefix(all.size());
  // The columns of the line are times since boot: user, nice, system, idle, iowait, irq, softirq,
  // steal. All of them except idle and iowait count as busy.
  constexpr std::array counted{true, true, true, false, false, true, true, true};
  std::int64_t ticks = 0;
  for (const bool counts : counted) {
    const std::int64_t number = take_number(text);
    if (counts && number > 0) ticks += number;
  }
  return ticks * tick_ns();
}

std::int64_t time_of_others(std::int64_t busy_ns, std::int64_t own_ns) {
  return std::max<std::int64_t>(0, busy_ns - own_ns - 2 * tick_ns());
}

std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after, std::int64_t between_ns) {
  std::int64_t longest = 0;
  for (const QueueDelay& now : after) {
    const auto found = std::ranges::lower_bound(before, now.thread, {}, &QueueDelay::thread);
    const bool was_there = found != before.end() && found->thread == now.thread;
    const QueueDelay then = was_there ? *found : QueueDelay{};
    if (now.run_ns - then.run_ns >= between_ns / 100)
      longest = std::max(longest, now.waited_ns - then.waited_ns);
  }
  return std::min(longest, between_ns);
}

}  // namespace normbench

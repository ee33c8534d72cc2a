#include "record/run_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace normbench {
namespace {

namespace fs = std::filesystem;

/// The number at the start of `text`, which is taken from it with the blank behind it; -1 for none.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return -1;
  text.remove_prefix(std::min(static_cast<std::size_t>(end - text.data()) + 1, text.size()));
  return number;
}

/// -1 where it cannot be read: the thread has ended, or the kernel does not count.
std::int64_t delay_in(const fs::path& schedstat) {
  const int file = open(schedstat.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 96> bytes{};
  const ssize_t size = read(file, bytes.data(), bytes.size());
  close(file);
  std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return take_number(text) < 0 ? -1 : take_number(text);
}

}  // namespace

std::vector<QueueDelay> queue_delays(const fs::path& tasks) {
  std::vector<QueueDelay> delays;
  std::error_code unreadable;
  for (fs::directory_iterator task(tasks, unreadable), end; !unreadable && task != end;
       task.increment(unreadable)) {
    const std::string name = task->path().filename();
    std::string_view digits = name;
    const std::int64_t thread = take_number(digits), ns = delay_in(task->path() / "schedstat");
    if (thread >= 0 && ns >= 0) delays.push_back({static_cast<int>(thread), ns});
  }
  std::ranges::sort(delays, {}, &QueueDelay::thread);
  return delays;
}

std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after) {
  std::int64_t longest = 0;
  for (const QueueDelay& delay : after) {
    const auto known = std::ranges::lower_bound(before, delay.thread, {}, &QueueDelay::thread);
    const bool was_there = known != before.end() && known->thread == delay.thread;
    longest = std::max(longest, delay.ns - (was_there ? known->ns : 0));
  }
  return longest;
}

}  // namespace normbench

#include "app/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/terminal.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/json.h"
#include "core/system_error.h"

namespace normbench {
namespace {

constexpr std::int64_t kSameSignalNs = 200'000'000;

std::atomic<bool> interrupted{false};  // a signal handler can only reach globals
std::atomic<std::int64_t> first_signal_ns{0};
std::atomic<bool> says_so{false};
std::atomic<const char*> last_words{""};

/// Writes to stderr that the run ends only after the current image or the current turn (the
/// iterations of a case that are timed in one go), which may take long. Does nothing if
/// watch_for_interrupts() was called without `says_when_it_ends`, or without a terminal.
void say_when_it_ends() {
  constexpr std::string_view text =
      "\nnormbench: stops after the current work; press Ctrl-C again to stop at once\n";
  if (says_so) write_bytes(STDERR_FILENO, text);
}

void on_signal(int signal) {
  const int kept = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  std::int64_t first = 0;
  if (first_signal_ns.compare_exchange_strong(first, now)) {
    interrupted = true;
    say_when_it_ends();
  } else if (signal != SIGHUP && now - first > kSameSignalNs) {
    write_bytes(STDERR_FILENO, last_words.load());
    _exit(static_cast<int>(Exit::Interrupted));
  }
  errno = kept;
}

bool needs_ascii(int stream) { return isatty(stream) != 0 && !shows_utf8(); }

/// Writes the text and flushes the stream. Returns 0, or the errno of the failure.
int written(std::FILE* stream, const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return whole && std::fflush(stream) == 0 ? 0 : errno;
}

void write_to_stdout(const std::string& text) {
  const int error = written(stdout, text);
  if (error == 0 || error == EPIPE) return;
  throw CannotWrite(fmt::format("cannot write to stdout: {}",
                                error == EBADF ? "it is closed" : system_error_text(error)));
}

void write_to_stderr(const std::string& text) {
  written(stderr, needs_ascii(STDERR_FILENO) ? in_ascii(text) : text);
}

}  // namespace

void take_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // open() returns the lowest free descriptor
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool end_with(pid_t asker, int signal) {
  return prctl(PR_SET_PDEATHSIG, signal) == 0 && getppid() == asker;
}

const std::atomic<bool>& watch_for_interrupts(bool says_when_it_ends) {
  says_so = says_when_it_ends && isatty(STDERR_FILENO) != 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  return interrupted;
}

LastWords::LastWords(const std::string& line) {
  if (line.empty()) return;
  text_ = made_harmless("\n" + on_one_line(line) + "\n", Screen{});
  if (needs_ascii(STDERR_FILENO)) text_ = in_ascii(text_);
  last_words = text_.c_str();
}

LastWords::~LastWords() { last_words = ""; }

void write_result(const std::string& text) {
  const bool is_seen = isatty(STDOUT_FILENO) != 0;
  write_to_stdout(is_seen ? made_harmless(text, Screen{}) : text);
}

void show(const std::string& text) {
  const std::string shown = made_harmless(text, stdout_screen());
  write_to_stdout(needs_ascii(STDOUT_FILENO) ? in_ascii(shown) : shown);
}

void write_notice(const std::string& lines) { write_to_stderr(made_harmless(lines, Screen{})); }

void write_mistakes(std::span<const BadInput> files) {
  Json list = Json::array();
  for (const BadInput& bad : files) {
    write_notice(fmt::format("{}\n", bad.what()));
    for (const Issue& issue : bad.issues)
      list.push_back({{"file", bad.file}, {"pointer", issue.pointer}, {"text", issue.text}});
  }
  const char* const path = std::getenv("NORMBENCH_MISTAKES");
  if (path == nullptr || *path == '\0' || list.empty()) return;
  try {
    write_file(path, list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  } catch (const CannotWrite& error) {
    tell("normbench: {}\n", error.what());
  }
}

void write_over(const std::string& line) {
  write_to_stderr("\r\033[K" + cut(on_one_line(line), stderr_columns() - 1));
}

void suggest(bool quiet, const std::string& command) {
  const bool is_watched = isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  if (!quiet && is_watched) tell("Next: {}\n", command);
}

void deliver(const std::string& text, const std::string& file, void (*print)(const std::string&)) {
  if (file.empty())
    print(text);
  else
    write_file(file, print == show ? made_harmless(text, Screen{}) : text);
}

}  // namespace normbench

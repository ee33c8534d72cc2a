#include "measure/peer/process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/units.h"
#include "machine/affinity.h"
#include "measure/contender_errors.h"
#include "measure/peer/messages.h"

namespace normbench {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSlice = 50ms;    // longest delay until ask() notices an interrupt
constexpr milliseconds kEndSlice = 5ms;  // longest delay until end() notices the peer's end
// The time that a peer may still run after it has closed its stdout.
constexpr milliseconds kSilenceGrace = 500ms;
constexpr std::size_t kKeptErrors = 4096;    // bytes of stderr that are kept
constexpr std::size_t kToldErrors = 3;       // lines of stderr in a message
constexpr std::size_t kMostToldBytes = 200;  // longest line of stderr in a message, in bytes

/// Returns the text as a JSON string, without control characters and invalid UTF-8.
std::string escaped(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns the time in seconds, rounded to one decimal.
double tenths(PeerProcess::Duration time) {
  return std::round(std::chrono::duration<double>(time).count() * 10) / 10;
}

milliseconds until(steady_clock::time_point time, milliseconds at_most) {
  const auto left = std::chrono::ceil<milliseconds>(time - steady_clock::now());
  return std::clamp(left, 0ms, at_most);
}

/// Starts the peer on all CPUs that this process may use.
ChildProcess start(const std::string& name, const PeerCommand& command) try {
  const Unpinned everywhere;
  return ChildProcess({.argv = command.argv,
                       .directory = command.directory,
                       .errors = ChildStream::Piped,
                       .has_own_group = true});
} catch (const std::runtime_error& error) {
  throw std::runtime_error(fmt::format("peer {} {}", name, error.what()));
}

}  // namespace

std::string quote(const std::string& text) { return escaped(cut_utf8(text, 80)); }

PeerProcess::PeerProcess(std::string name, const PeerCommand& command,
                         const std::atomic<bool>& interrupted)
    : name_(std::move(name)), interrupted_(interrupted), process_(start(name_, command)) {}

PeerProcess::Answer PeerProcess::ask(const std::string& request, const std::string& line,
                                     Duration timeout) {
  read();
  if (!said_.empty())
    fail(request_.empty()
             ? fmt::format(" wrote before the first request: {}", quote(said_))
             : fmt::format(" answered `{}` with more than one line: {}", request_, quote(said_)));
  request_ = request;
  const Time start = steady_clock::now();
  const Time deadline = start + timeout;
  Time silent_until = deadline;
  std::string to_send = line + '\n';
  while (true) {
    const bool has_ended = process_.ended().has_value();
    process_.write(to_send);
    read();
    if (has_line()) {
      const Duration took = steady_clock::now() - start;
      return {take_line(), took};
    }
    if (process_.is_silent())
      silent_until = std::min(silent_until, steady_clock::now() + kSilenceGrace);
    check(has_ended, silent_until);
    if (steady_clock::now() >= deadline)
      fail(fmt::format(": no answer to `{}` within {:g} s", request, tenths(timeout)));
    process_.wait(!to_send.empty(), until(std::min(deadline, silent_until), kSlice));
  }
}

/// Throws if the peer can no longer give a valid answer, or if the run is interrupted.
void PeerProcess::check(bool has_ended, Time silent_until) {
  if (interrupted_) throw CutShort(fmt::format("peer {}: interrupted", name_));
  if (said_.size() > peer_line_bytes)
    fail(fmt::format(" answered `{}` with a line of more than 1 MiB: {}", request_, quote(said_)));
  if (has_ended)
    fail(fmt::format(" ended with {} after `{}`", to_text(process_.ended().value()), request_));
  if (process_.is_silent() && steady_clock::now() >= silent_until)
    fail(fmt::format(" closed its output after `{}`", request_));
}

void PeerProcess::settle(Duration timeout) {
  const Time deadline = steady_clock::now() + timeout;
  while (process_.is_busy() && !interrupted_ && steady_clock::now() < deadline)
    std::this_thread::sleep_for(1ms);
}

void PeerProcess::end(const std::string& line, Duration timeout) {
  const Time deadline = steady_clock::now() + timeout;
  std::string to_send = line + '\n';
  while (!process_.ended() && !interrupted_ && steady_clock::now() < deadline) {
    process_.write(to_send);
    if (to_send.empty()) process_.close_input();
    read();
    said_.clear();
    process_.wait(!to_send.empty(), until(deadline, kEndSlice));
  }
}

void PeerProcess::read() {
  process_.read(said_, peer_line_bytes, errors_);
  if (errors_.size() > kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
}

std::string PeerProcess::take_line() {
  const std::size_t end = said_.find('\n');
  if (end > peer_line_bytes) check(false, Time::max());
  std::string line = said_.substr(0, end);
  said_.erase(0, end + 1);
  return line;
}

void PeerProcess::fail(const std::string& what) { throw std::runtime_error(told(what)); }

std::string PeerProcess::told(const std::string& what) {
  read();
  const std::string words = last_words();
  return fmt::format("peer {}{}{}", name_, what, words.empty() ? "" : "; its stderr: " + words);
}

std::string PeerProcess::last_words() const {
  std::vector<std::string> lines;
  std::istringstream in(errors_);
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      lines.push_back(escaped(cut_utf8(line, kMostToldBytes)));
  if (lines.size() > kToldErrors) lines.erase(lines.begin(), lines.end() - kToldErrors);
  return fmt::format("{}", fmt::join(lines, " "));
}

}  // namespace normbench

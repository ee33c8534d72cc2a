#include "core/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "core/system_error.h"

namespace normbench {
namespace {

/// Blocks a signal for the calling thread as long as this object lives. If the signal is raised
/// meanwhile, it is dropped. If it was pending before, it stays pending.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int signal) {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    pending_ = sigismember(&pending, signal) == 1;
    sigemptyset(&signal_);
    sigaddset(&signal_, signal);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~IgnoredSignal() {
    const timespec at_once{};
    if (!pending_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool pending_;  // true: the signal was pending before, so the destructor keeps it
};

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("cannot make a pipe to it: {}", system_error_text(errno)));
  return {.read = Descriptor(ends[0]), .write = Descriptor(ends[1])};
}

struct ChildEnds {
  Descriptor in, out, errors, life;
};

/// A child with a process group of its own inherits a descriptor with this number: the read end of
/// the pipe that kill_at_the_end_of() needs. Nothing is written to that pipe.
constexpr int kLife = STDERR_FILENO + 1;

/// Makes the kernel send SIGKILL to `group` when the write end of a pipe is closed. `life` is the
/// read end of the pipe. This process holds the write end, so the kernel closes that end at the
/// latest when this process ends. The settings stay in force after this process has closed `life`,
/// because the child and its own children keep the read end open. PR_SET_PDEATHSIG is not used: it
/// sends the signal as soon as the thread that started the child ends, even if this process lives
/// on.
void kill_at_the_end_of(const Descriptor& life, pid_t group) {
  fcntl(life.number(), F_SETOWN, -group);
  fcntl(life.number(), F_SETSIG, SIGKILL);
  fcntl(life.number(), F_SETFL, O_RDONLY | O_ASYNC);
}

/// If `stream` is Piped, makes a pipe and returns the child's end (member `childs`). Stores this
/// process's end (member `own`) in `kept` and makes it non-blocking. If `stream` is not Piped,
/// returns a Descriptor that is not open.
Descriptor child_end(ChildStream stream, Descriptor Pipe::*childs, Descriptor Pipe::*own,
                     Descriptor& kept) {
  if (stream != ChildStream::Piped) return Descriptor();
  Pipe pipe = make_pipe();
  kept = std::move(pipe.*own);
  fcntl(kept.number(), F_SETFL, fcntl(kept.number(), F_GETFL) | O_NONBLOCK);
  return std::move(pipe.*childs);
}

/// The steps between fork and exec: connect the standard streams, change the folder, reset signals.
class Actions {
 public:
  Actions(const ChildProgram& program, const ChildEnds& ends) {
    posix_spawn_file_actions_init(&files_);
    lead(STDIN_FILENO, program.input, ends.in);
    lead(STDOUT_FILENO, program.output, ends.out);
    lead(STDERR_FILENO, program.errors, ends.errors);
    if (program.has_own_group) posix_spawn_file_actions_adddup2(&files_, ends.life.number(), kLife);
    posix_spawn_file_actions_addclosefrom_np(&files_, program.has_own_group ? kLife + 1 : kLife);
    if (!program.directory.empty())
      posix_spawn_file_actions_addchdir_np(&files_, program.directory.c_str());
    posix_spawnattr_init(&attributes_);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int ignored : {SIGPIPE, SIGXFSZ}) sigaddset(&defaults, ignored);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = program.has_own_group ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(
        &attributes_, static_cast<short>(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  pid_t spawn(const std::vector<std::string>& command) const {
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = -1;
    const int error =
        posix_spawnp(&pid, arguments[0], &files_, &attributes_, arguments.data(), environ);
    if (error != 0)
      throw std::runtime_error(
          fmt::format("cannot be started: {}: {}", words[0], system_error_text(error)));
    return pid;
  }

 private:
  void lead(int standard, ChildStream stream, const Descriptor& end) {
    if (stream == ChildStream::Piped)
      posix_spawn_file_actions_adddup2(&files_, end.number(), standard);
    else if (stream == ChildStream::Discarded)
      posix_spawn_file_actions_addopen(&files_, standard, "/dev/null", O_RDWR, 0);
  }

  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// Kills a child and its group. Waits at most 5 s for the child to end, because a process that
/// hangs in a driver cannot be killed.
void end_child(pid_t pid) {
  constexpr int most_waits = 500;
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  for (int i = 0; i < most_waits; ++i) {
    const pid_t gone = waitpid(pid, nullptr, WNOHANG);
    if (gone == pid || (gone < 0 && errno == ECHILD)) return;
    poll(nullptr, 0, 10);
  }
}

/// Reads from `end`, the read end of a pipe. Appends the available bytes to `text`, with at most
/// 256 reads and only until `text` has more than `most` bytes. Closes `end` if the writer has
/// closed its end or a read fails.
void read_some(Descriptor& end, std::string& text, std::size_t most) {
  std::array<char, 4096> buffer{};
  for (int reads = 0; end.is_open() && reads < 256 && text.size() <= most; ++reads) {
    const ssize_t got = ::read(end.number(), buffer.data(), buffer.size());
    if (got > 0)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    else if (got < 0 && errno == EAGAIN)
      return;
    else if (got == 0 || errno != EINTR)
      end.close();
  }
}

}  // namespace

std::string to_text(const ChildEnd& end) {
  return end.how == ChildEnd::How::Exit
             ? fmt::format("exit code {}", end.number)
             : fmt::format("signal {} ({})", end.number, strsignal(end.number));
}

ChildProcess::ChildProcess(const ChildProgram& program) {
  const ChildStream life = program.has_own_group ? ChildStream::Piped : ChildStream::Discarded;
  const ChildEnds ends{.in = child_end(program.input, &Pipe::read, &Pipe::write, in_),
                       .out = child_end(program.output, &Pipe::write, &Pipe::read, out_),
                       .errors = child_end(program.errors, &Pipe::write, &Pipe::read, errors_),
                       .life = child_end(life, &Pipe::read, &Pipe::write, alive_)};
  pid_ = Actions(program, ends).spawn(program.argv);
  if (program.has_own_group) kill_at_the_end_of(ends.life, pid_);
}

ChildProcess::~ChildProcess() { end_child(pid_); }

void ChildProcess::wait(bool to_write, std::chrono::milliseconds timeout) {
  std::array<pollfd, 3> streams{
      {{in_.number(), POLLOUT, 0}, {out_.number(), POLLIN, 0}, {errors_.number(), POLLIN, 0}}};
  if (!to_write) streams[0].fd = -1;
  poll(streams.data(), streams.size(), static_cast<int>(timeout.count()));
}

void ChildProcess::wait_for_end(const sigset_t& mask) const {
  const Descriptor watched(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd end{.fd = watched.number(), .events = POLLIN, .revents = 0};
  // Linux before 5.3 has no pidfd_open(), so `watched` is not open. There the loop calls ended()
  // every 100 ms.
  const timespec a_while{.tv_sec = 0, .tv_nsec = 100'000'000};
  while (!ended())
    if (ppoll(&end, 1, watched.is_open() ? nullptr : &a_while, &mask) < 0) return;
}

void ChildProcess::write(std::string& text) {
  if (!in_.is_open()) return text.clear();
  const IgnoredSignal without(SIGPIPE);
  text.erase(0, write_bytes(in_.number(), text));
  if (text.empty() || errno == EAGAIN) return;
  in_.close();
  text.clear();
}

void ChildProcess::read(std::string& output, std::size_t most, std::string& errors) {
  read_some(out_, output, most);
  read_some(errors_, errors, std::string::npos - 1);
}

std::filesystem::path ChildProcess::tasks() const { return fmt::format("/proc/{}/task", pid_); }

bool ChildProcess::is_busy() const {
  std::error_code unknown;
  for (const auto& thread : std::filesystem::directory_iterator(tasks(), unknown)) {
    std::ifstream file(thread.path() / "stat");
    std::string line;  // like "12 (NAME) R ..."; NAME may contain brackets
    std::getline(file, line);
    if (line.find(") R ", line.rfind(')')) != std::string::npos) return true;
  }
  return false;
}

bool ChildProcess::send(int signal) const { return !ended() && kill(pid_, signal) == 0; }

std::optional<ChildEnd> ChildProcess::ended() const {
  siginfo_t how{};
  // WNOWAIT leaves an ended child as a zombie, which keeps its process number. Without WNOWAIT,
  // another process could get the number, and the destructor would kill the group of that process.
  if (waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      how.si_pid == 0)
    return std::nullopt;
  using enum ChildEnd::How;
  return ChildEnd{.how = how.si_code == CLD_EXITED ? Exit : Signal, .number = how.si_status};
}

void end_all_children() {
  std::error_code unknown;
  std::vector<pid_t> children;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", unknown)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child; list >> child;) children.push_back(child);
  }
  for (const pid_t child : children) end_child(child);
}

}  // namespace normbench

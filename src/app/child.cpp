#include "app/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "machine/affinity.h"

namespace normbench {
namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close_end(ends_[0]); }
  void close_write() { close_end(ends_[1]); }

 private:
  static void close_end(int& end) {
    if (end >= 0) close(std::exchange(end, -1));
  }

  std::array<int, 2> ends_{-1, -1};
};

/// A command line of this program.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    words_.insert(words_.begin(), "normbench");
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

pid_t spawn(const std::vector<std::string>& arguments, const Pipe& in, const Pipe& out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  const Arguments argv(arguments);
  pid_t pid = -1;
  const Unpinned unpinned;
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("cannot start: {}", std::strerror(error)));
  return pid;
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return;  // the child is gone; its exit status says so
    done += static_cast<std::size_t>(wrote);
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

void become(const std::vector<std::string>& arguments) {
  const Unpinned unpinned;
  execv("/proc/self/exe", Arguments(arguments).data());
}

std::string run_child(const std::vector<std::string>& arguments, const std::string& input) {
  Pipe in, out;
  const pid_t pid = spawn(arguments, in, out);
  in.close_read();
  out.close_write();
  write_all(in.write_end(), input);
  in.close_write();
  std::string output = read_all(out.read_end());
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw std::runtime_error(
        fmt::format("a measuring process was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw std::runtime_error(
        fmt::format("a measuring process ended with code {}", WEXITSTATUS(status)));
  return output;
}

}  // namespace normbench

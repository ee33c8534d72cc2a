#include "core/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

namespace normbench::child_process_test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

/// Returns the child processes that this process has not waited for.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child; list >> child;) found.push_back(child);
  }
  return found;
}

ChildProgram shell(const std::string& script) { return {.argv = {"/bin/sh", "-c", script}}; }

struct Said {
  std::string output, errors;
  ChildEnd end;
};

/// Runs a child with `input` as its standard input. Returns everything that the child writes, and
/// how it ends.
Said said_by(const ChildProgram& program, std::string input = "") {
  ChildProcess child(program);
  Said said;
  while (!child.is_silent() || !child.ended()) {
    child.write(input);
    if (input.empty()) child.close_input();
    child.wait(!input.empty(), 10ms);
    child.read(said.output, std::string::npos - 1, said.errors);
  }
  child.read(said.output, std::string::npos - 1, said.errors);
  said.end = *child.ended();
  return said;
}

struct ChildProcessTest : testing::Test {
  ~ChildProcessTest() override { EXPECT_THAT(children(), IsEmpty()); }
};

TEST_F(ChildProcessTest, ReadsWhatIsWrittenToItAndIsRead) {
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(said_by({.argv = {"cat"}}, large).output, large);
  ChildProgram loud = shell("echo out; echo wrong >&2");
  loud.errors = ChildStream::Piped;
  const Said said = said_by(loud);
  EXPECT_EQ(said.output, "out\n");
  EXPECT_EQ(said.errors, "wrong\n");
}

TEST_F(ChildProcessTest, TakesNoMoreThanItsInputHasRoomFor) {
  ChildProcess child({.argv = {"sleep", "600"}});
  std::string text(1 << 20, 'x');
  child.write(text);
  EXPECT_GT(text.size(), 0u);
  EXPECT_LT(text.size(), std::size_t{1} << 20);
}

TEST_F(ChildProcessTest, ThatReadsNothingTakesAllAndRaisesNoSignal) {
  ChildProcess child(shell("exec <&-; echo closed; exec sleep 600"));
  std::string text(1 << 20, 'x'), output, errors;
  while (output.empty()) {
    child.wait(false, 10s);
    child.read(output, 100, errors);
  }
  child.write(text);
  EXPECT_EQ(text, "");
  text = "more";
  child.write(text);
  EXPECT_EQ(text, "");
}

TEST_F(ChildProcessTest, SaysHowItEnded) {
  EXPECT_EQ(said_by(shell("exit 0")).end, ChildEnd{});
  const ChildEnd exit = said_by(shell("exit 3")).end;
  EXPECT_EQ(exit, (ChildEnd{.how = ChildEnd::How::Exit, .number = 3}));
  EXPECT_EQ(to_text(exit), "exit code 3");
  const ChildEnd killed = said_by(shell("kill -9 $$")).end;
  EXPECT_EQ(killed, (ChildEnd{.how = ChildEnd::How::Signal, .number = SIGKILL}));
  EXPECT_EQ(to_text(killed), "signal 9 (Killed)");
}

TEST_F(ChildProcessTest, ThatCannotBeStartedSaysWhy) {
  try {
    const ChildProcess child({.argv = {"/bin/no-such-program"}});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot be started: /bin/no-such-program: No such file or directory");
  }
}

TEST_F(ChildProcessTest, GetsTheStreamsThatAreAskedFor) {
  const std::string streams = "readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2 | cat >\"$0\"";
  const std::string file = testing::TempDir() + "child_streams_" + std::to_string(getpid());
  const ChildProcess child({.argv = {"/bin/sh", "-c", streams, file},
                            .input = ChildStream::Discarded,
                            .output = ChildStream::Discarded,
                            .errors = ChildStream::Shared});
  EXPECT_TRUE(child.is_silent());
  sigset_t none;
  sigemptyset(&none);
  child.wait_for_end(none);
  std::ifstream lines(file);
  std::string in, out, errors;
  lines >> in >> out >> errors;
  EXPECT_EQ(in, "/dev/null");
  EXPECT_EQ(out, "/dev/null");
  EXPECT_EQ(errors, std::filesystem::read_symlink("/proc/self/fd/2").string());
  std::filesystem::remove(file);
}

TEST_F(ChildProcessTest, InheritsNothingElse) {
  const Descriptor inherited(dup(STDOUT_FILENO));  // not close-on-exec
  EXPECT_EQ(said_by({.argv = {"/bin/sh", "-c", "[ -e /proc/$$/fd/$0 ] && echo there",
                              std::to_string(inherited.number())}})
                .output,
            "");
}

TEST_F(ChildProcessTest, StartsInItsDirectory) {
  EXPECT_EQ(said_by({.argv = {"pwd"}, .directory = "/"}).output, "/\n");
}

TEST_F(ChildProcessTest, StartsWithNoSignalBlocked) {
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGINT);
  sigprocmask(SIG_BLOCK, &some, &before);
  EXPECT_EQ(said_by({.argv = {"grep", "SigBlk", "/proc/self/status"}}).output,
            "SigBlk:\t0000000000000000\n");
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(ChildProcessTest, EndsWithItsGroupWhereItHasItsOwn) {
  std::string output, errors;
  {
    ChildProgram program = shell("sleep 600 & echo $!; wait");
    program.has_own_group = true;
    ChildProcess child(program);
    while (!output.ends_with('\n')) {
      child.wait(false, 10s);
      child.read(output, 100, errors);
    }
  }
  const pid_t grandchild = std::stoi(output);
  for (int i = 0; i < 1000 && kill(grandchild, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string line;
    std::getline(stat, line);
    if (line.find(") Z ") != line.npos) break;  // a zombie: no process has waited for it yet
    std::this_thread::sleep_for(10ms);
  }
  std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
  std::string line;
  std::getline(stat, line);
  EXPECT_TRUE(line.empty() || line.find(") Z ") != line.npos) << line;
}

/// Returns true if the process ends or becomes a zombie within 5 s.
bool ends(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    if (std::string line; !std::getline(file, line, '\0')) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

// The child and its own child read nothing and do not check whether their parent lives. So they end
// only if they are killed.
TEST_F(ChildProcessTest, EndsWithItsGroupIfThisProcessIsKilled) {
  std::array<int, 2> told{};
  ASSERT_EQ(pipe(told.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    std::optional<ChildProcess> child;
    std::thread([&child] {  // this thread ends, which must not end the group
      ChildProgram hangs = shell("sleep 600 & echo $$ $!; sleep 600; true");
      hangs.has_own_group = true;
      child.emplace(hangs);
    })
        .join();
    std::string output, errors;
    while (output.find('\n') == output.npos) {
      child->wait(false, 10ms);
      child->read(output, 1000, errors);
    }
    write_bytes(told[1], output);
    while (true) pause();
  }
  close(told[1]);
  std::string pids(100, '\0');
  pids.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(told[0], pids.data(), 100))));
  close(told[0]);
  std::istringstream in(pids);
  pid_t child = 0, grandchild = 0;
  ASSERT_TRUE(in >> child >> grandchild) << pids;
  EXPECT_EQ(kill(grandchild, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends(child));
  EXPECT_TRUE(ends(grandchild));
}

TEST_F(ChildProcessTest, IsSentSignalsWhileItRuns) {
  ChildProcess child({.argv = {"sleep", "600"}});
  EXPECT_TRUE(child.send(SIGTERM));
  sigset_t none;
  sigemptyset(&none);
  child.wait_for_end(none);
  ASSERT_TRUE(child.ended());
  EXPECT_EQ(*child.ended(), (ChildEnd{.how = ChildEnd::How::Signal, .number = SIGTERM}));
  EXPECT_FALSE(child.send(SIGTERM));
}

TEST_F(ChildProcessTest, IsWaitedForUntilASignalIsHandled) {
  struct sigaction handled {
  }, before{};
  handled.sa_handler = [](int) {};
  sigaction(SIGUSR1, &handled, &before);
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  const ChildProcess child({.argv = {"sleep", "600"}});
  pthread_kill(pthread_self(), SIGUSR1);  // stays pending until the mask lets it through
  child.wait_for_end(mask);
  EXPECT_FALSE(child.ended());
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(ChildProcessTest, AllAreEndedAtOnce) {
  ChildProgram group = shell("sleep 600 & wait");
  group.has_own_group = true;
  const ChildProcess one({.argv = {"sleep", "600"}}), other(group);
  EXPECT_EQ(children().size(), 2u);
  end_all_children();
  EXPECT_THAT(children(), IsEmpty());
}

}  // namespace
}  // namespace normbench::child_process_test

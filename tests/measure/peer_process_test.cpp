#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "measure/contender.h"
#include "measure/peer/process.h"
#include "measure/peer_fixture.h"

namespace normbench::peer_process_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct PeerProcessTest : testing::Test {
  ~PeerProcessTest() override { EXPECT_THAT(children(), IsEmpty()); }

  std::string ask(PeerProcess& peer, const std::string& line, PeerProcess::Duration timeout = 20s) {
    return peer.ask("run", line, timeout).line;
  }
  /// Sends the peer one request. Returns the message of the error, or "answered " followed by the
  /// answer.
  std::string failure(const std::string& script, PeerProcess::Duration timeout = 20s) {
    PeerProcess peer("torch", shell(script), interrupted);
    return failure(peer, timeout);
  }
  std::string failure(PeerProcess& peer, PeerProcess::Duration timeout = 20s) {
    try {
      return "answered " + ask(peer, "go", timeout);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::atomic<bool> interrupted = false;
};

TEST_F(PeerProcessTest, AnswersLineByLine) {
  PeerProcess peer("torch", shell("while read -r line; do echo \"<$line>\"; done"), interrupted);
  EXPECT_EQ(ask(peer, "one"), "<one>");
  EXPECT_EQ(ask(peer, "two words"), "<two words>");
  const std::string longest((1 << 20) - 2, 'x');
  EXPECT_EQ(ask(peer, longest), "<" + longest + ">");
}

TEST_F(PeerProcessTest, TellsHowLongAnAnswerTook) {
  PeerProcess peer("torch", shell("read line; sleep 0.2; echo late"), interrupted);
  const auto answer = peer.ask("run", "go", 20s);
  EXPECT_EQ(answer.line, "late");
  EXPECT_GE(answer.took, 200ms);
}

/// Returns a peer that answers and then uses a CPU for `seconds`, like a library whose threads wait
/// by polling.
PeerCommand busy_after(const std::string& seconds) {
  return {.argv = {"python3", "-c",
                   "import sys, time\n"
                   "sys.stdin.readline()\n"
                   "print('done', flush=True)\n"
                   "end = time.monotonic() + " +
                       seconds +
                       "\n"
                       "while time.monotonic() < end: pass\n"
                       "sys.stdin.readline()\n"},
          .directory = ""};
}

TEST_F(PeerProcessTest, IsWaitedForUntilItsThreadsSleep) {
  PeerProcess peer("torch", busy_after("1.2"), interrupted);
  ask(peer, "go");
  const auto start = steady_clock::now();
  peer.settle(20s);
  EXPECT_GE(steady_clock::now() - start, 200ms);
  peer.settle(20s);
  EXPECT_LT(steady_clock::now() - start, 15s);
}

TEST_F(PeerProcessTest, IsNotWaitedForLongerThanIsSaid) {
  PeerProcess peer("torch", busy_after("60"), interrupted);
  ask(peer, "go");
  const auto start = steady_clock::now();
  peer.settle(30ms);
  EXPECT_GE(steady_clock::now() - start, 30ms);
  EXPECT_LT(steady_clock::now() - start, 20s);
}

TEST_F(PeerProcessTest, RunsInItsDirectoryAndGroup) {
  PeerCommand command = shell("read line; pwd; read line; echo $$ $(ps -o pgid= -p $$)");
  command.directory = std::filesystem::canonical(testing::TempDir()).string();
  PeerProcess peer("torch", command, interrupted);
  EXPECT_EQ(ask(peer, "go") + "/", command.directory + "/");
  const std::string ids = ask(peer, "go");
  const auto blank = ids.find(' ');
  EXPECT_EQ(ids.substr(0, blank), ids.substr(ids.find_last_of(' ') + 1)) << ids;
}

TEST_F(PeerProcessTest, InheritsNothingButItsStreamsAndTheEndThatKillsIt) {
  const int inherited = dup(STDOUT_FILENO);  // without close-on-exec
  PeerProcess other("other", shell("read line"), interrupted);
  PeerProcess peer("torch",
                   shell("read line; n=0; while [ $n -lt 100 ]; do "
                         "[ -e /proc/$$/fd/$n ] && printf \"$n \"; n=$((n + 1)); done; echo"),
                   interrupted);
  // The peer prints the numbers of its open descriptors, and `inherited` must not be among them.
  // Descriptors 0 to 2 are its standard streams. Descriptor 3 is the read end of a pipe to this
  // process. When this process ends, its end of the pipe is closed, and then the kernel kills the
  // peer.
  EXPECT_EQ(ask(peer, "go"), "0 1 2 3 ");
  close(inherited);
}

TEST_F(PeerProcessTest, IsFoundAsAShellWouldFindIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "peer_found";
  std::filesystem::create_directories(folder / "bin");
  std::ofstream(folder / "bin" / "peer") << "#!/bin/sh\nread line\necho \"$1\"\n";
  std::filesystem::permissions(folder / "bin" / "peer", std::filesystem::perms::owner_all);
  PeerProcess relative("torch", {{"bin/peer", "a b"}, folder.string()}, interrupted);
  EXPECT_EQ(ask(relative, "go"), "a b");
  PeerProcess in_path("torch", {{"sh", "-c", "read line; echo found"}, ""}, interrupted);
  EXPECT_EQ(ask(in_path, "go"), "found");
  try {
    PeerProcess absent("torch", {{"bin/absent"}, folder.string()}, interrupted);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "peer torch cannot be started: bin/absent: No such file or directory");
  }
}

TEST_F(PeerProcessTest, SaysThatThereIsNoAnswer) {
  const auto start = steady_clock::now();
  EXPECT_EQ(failure("read line; sleep 600", 300ms), "peer torch: no answer to `run` within 0.3 s");
  EXPECT_EQ(failure("sleep 600", 100ms), "peer torch: no answer to `run` within 0.1 s");
  EXPECT_LT(steady_clock::now() - start, 10s);
}

TEST_F(PeerProcessTest, SaysHowItEnded) {
  EXPECT_EQ(failure("read line; exit 3"), "peer torch ended with exit code 3 after `run`");
  EXPECT_EQ(failure("exit 0"), "peer torch ended with exit code 0 after `run`");
  EXPECT_EQ(failure("kill -9 $$"), "peer torch ended with signal 9 (Killed) after `run`");
  EXPECT_EQ(failure("read line; echo answer; exit 3"), "answered answer");
  EXPECT_EQ(failure("read line; printf half; exit 3"),
            "peer torch ended with exit code 3 after `run`");
}

TEST_F(PeerProcessTest, IsNotWaitedForWhenItIsSilent) {
  const auto start = steady_clock::now();
  EXPECT_EQ(failure("read line; exec >&-; sleep 600"), "peer torch closed its output after `run`");
  EXPECT_EQ(failure("read line; exec >&-; sleep 0.1; exit 3"),
            "peer torch ended with exit code 3 after `run`");
  EXPECT_LT(steady_clock::now() - start, 10s);
}

TEST_F(PeerProcessTest, ChildrenThatKeepItsPipesDoNotHideItsDeath) {
  const auto start = steady_clock::now();
  EXPECT_EQ(failure("sleep 600 & exit 4"), "peer torch ended with exit code 4 after `run`");
  EXPECT_LT(steady_clock::now() - start, 10s);
}

TEST_F(PeerProcessTest, IsEndedWithAllThatItStarted) {
  int grandchild = 0;
  {
    PeerProcess peer("torch", shell("read line; sleep 600 & echo $!; wait"), interrupted);
    grandchild = std::stoi(ask(peer, "go"));
    EXPECT_EQ(kill(grandchild, 0), 0);
  }
  // Another process reaps the grandchild, which may take a moment. Until then the grandchild is a
  // zombie, which has no command line.
  const auto start = steady_clock::now();
  const auto is_running = [&] {
    std::ifstream file("/proc/" + std::to_string(grandchild) + "/cmdline");
    return !std::string(std::istreambuf_iterator<char>(file), {}).empty();
  };
  while (is_running() && steady_clock::now() - start < 10s) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(is_running());
}

TEST_F(PeerProcessTest, LinesThatAreTooLong) {
  EXPECT_THAT(failure("read line; head -c 1500000 /dev/zero | tr '\\0' x; sleep 600"),
              StartsWith("peer torch answered `run` with a line of more than 1 MiB: \"xxx"));
  EXPECT_THAT(failure("read line; head -c 1048577 /dev/zero | tr '\\0' x; echo; sleep 600"),
              StartsWith("peer torch answered `run` with a line of more than 1 MiB: \"xxx"));
  EXPECT_THAT(failure("read line; head -c 1048576 /dev/zero | tr '\\0' x; echo; sleep 600"),
              StartsWith("answered xxx"));
}

TEST_F(PeerProcessTest, SaysMoreThanItWasAsked) {
  PeerProcess peer("torch", shell("read line; printf 'one\\ntwo\\n'; sleep 600"), interrupted);
  EXPECT_EQ(ask(peer, "go"), "one");
  EXPECT_EQ(failure(peer), "peer torch answered `run` with more than one line: \"two\\n\"");
}

TEST_F(PeerProcessTest, SpeaksBeforeItIsAsked) {
  const std::filesystem::path file = testing::TempDir() + "peer_spoke";
  std::filesystem::remove(file);
  PeerProcess peer("torch", {{"/bin/sh", "-c", "echo Welcome; : > \"$0\"; sleep 600", file}, ""},
                   interrupted);
  while (!exists(file)) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(failure(peer), "peer torch wrote before the first request: \"Welcome\\n\"");
}

TEST_F(PeerProcessTest, LastLinesOfStderrFollow) {
  EXPECT_EQ(failure("printf 'one\\ntwo\\n\\n  \\nthree\\nfour \\033[31m\\n' >&2; exit 1"),
            "peer torch ended with exit code 1 after `run`; its stderr: \"two\" \"three\" "
            "\"four \\u001b[31m\"");
  EXPECT_EQ(failure("printf unended >&2; read line; sleep 600", 1s),
            "peer torch: no answer to `run` within 1 s; its stderr: \"unended\"");
}

TEST_F(PeerProcessTest, ChatterNeverBlocksItOrUs) {
  PeerProcess peer("torch",
                   shell("while read -r line; do head -c 3000000 /dev/zero | tr '\\0' x >&2; "
                         "echo >&2; echo last >&2; echo ok; done"),
                   interrupted);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(peer, "go"), "ok");
  EXPECT_THAT(peer.told(" failed"), HasSubstr("\"last\""));
  EXPECT_LT(peer.told(" failed").size(), 1000u);
}

TEST_F(PeerProcessTest, RequestsThatAreNotReadDoNotBlock) {
  const std::string large(1 << 20, 'x');
  PeerProcess deaf("torch", shell("exec <&-; sleep 600"), interrupted);
  EXPECT_THROW(ask(deaf, large, 300ms), std::runtime_error);
  PeerProcess slow("torch", shell("sleep 600"), interrupted);
  const auto start = steady_clock::now();
  EXPECT_THROW(ask(slow, large, 300ms), std::runtime_error);
  EXPECT_LT(steady_clock::now() - start, 10s);
}

TEST_F(PeerProcessTest, SigpipeDoesNotKill) {
  struct sigaction deadly {
  }, before{};
  deadly.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &deadly, &before);
  PeerProcess peer("torch", shell("exit 3"), interrupted);
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(failure(peer), "peer torch ended with exit code 3 after `run`");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_F(PeerProcessTest, SignalsAreTheirDefaultsInIt) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  EXPECT_EQ(failure("read line; kill -PIPE $$; echo alive"),
            "peer torch ended with signal 13 (Broken pipe) after `run`");
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_F(PeerProcessTest, IsLeftAtOnceWhenTheRunIsInterrupted) {
  PeerProcess peer("torch", shell("read line; sleep 600"), interrupted);
  std::thread later([&] {
    std::this_thread::sleep_for(100ms);
    interrupted = true;
  });
  const auto start = steady_clock::now();
  EXPECT_THROW(ask(peer, "go"), CutShort);
  later.join();
  peer.end("close", 20s);
  EXPECT_LT(steady_clock::now() - start, 5s);
}

TEST_F(PeerProcessTest, EndsByALastLineOrByTheEndOfItsInput) {
  const std::string file = testing::TempDir() + "peer_ended";
  for (const std::string script : {"read a; [ \"$a\" = close ] && echo close > \"$0\"",
                                   "cat > /dev/null; echo close > \"$0\""}) {
    std::filesystem::remove(file);
    {
      PeerProcess peer("torch", {{"/bin/sh", "-c", script, file}, ""}, interrupted);
      peer.end("close", 20s);
    }
    std::string said;
    std::ifstream(file) >> said;
    EXPECT_EQ(said, "close") << script;
  }
}

TEST_F(PeerProcessTest, OneThatDoesNotEndIsKilled) {
  const auto start = steady_clock::now();
  {
    PeerProcess peer("torch", shell("trap '' TERM; while true; do sleep 1; done"), interrupted);
    peer.end("close", 300ms);
  }
  EXPECT_GE(steady_clock::now() - start, 300ms);
  EXPECT_LT(steady_clock::now() - start, 10s);
}

}  // namespace
}  // namespace normbench::peer_process_test

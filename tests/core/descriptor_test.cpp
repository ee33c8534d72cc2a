#include "core/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace normbench::descriptor_test {
namespace {

using namespace std::chrono_literals;

bool is_open(int number) { return fcntl(number, F_GETFD) >= 0; }

Descriptor any() { return Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC)); }

/// Returns the ends of a pipe: first the end to read from, then the end to write to.
std::array<Descriptor, 2> piped() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

TEST(Descriptor, IsClosedOnceByItsLastOwner) {
  static_assert(!std::is_copy_constructible_v<Descriptor>);
  int number = -1;
  {
    Descriptor first = any();
    number = first.number();
    Descriptor second = std::move(first);
    EXPECT_FALSE(first.is_open());
    EXPECT_EQ(second.number(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, ClosesWhatItHeldWhenItTakesAnother) {
  Descriptor held = any(), other = any();
  const int before = held.number(), after = other.number();
  held = std::move(other);
  EXPECT_FALSE(is_open(before));
  EXPECT_EQ(held.number(), after);
  Descriptor& itself = held;
  held = std::move(itself);
  EXPECT_TRUE(is_open(after));
}

TEST(Descriptor, SaysWhetherClosingFailed) {
  Descriptor none;
  EXPECT_FALSE(none.is_open());
  EXPECT_TRUE(none.close());
  Descriptor held = any();
  EXPECT_TRUE(held.close());
  EXPECT_FALSE(held.is_open());
  EXPECT_TRUE(held.close());
  Descriptor stale(any().number());  // the temporary has closed it
  EXPECT_FALSE(stale.close());
  EXPECT_EQ(errno, EBADF);
}

TEST(WriteBytes, GoesOnAfterSignalsAndShortWrites) {
  auto [from, to] = piped();
  struct sigaction interrupt {
  }, before{};
  interrupt.sa_handler = [](int) {};  // without SA_RESTART: it interrupts a call that waits
  sigaction(SIGUSR1, &interrupt, &before);
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::size_t written = 0;
  std::atomic<bool> done = false;
  std::thread writer([&, &out = to] {
    written = write_bytes(out.number(), text);
    done = true;
    out.close();
  });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(1ms);
    pthread_kill(writer.native_handle(), SIGUSR1);
  }
  EXPECT_FALSE(done);
  std::string got;
  std::array<char, 5000> buffer{};
  for (ssize_t more; (more = read(from.number(), buffer.data(), buffer.size())) > 0;)
    got.append(buffer.data(), static_cast<std::size_t>(more));
  writer.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(written, text.size());
  EXPECT_EQ(got, text);
}

TEST(WriteBytes, SaysHowManyWereWrittenAndWhyNotAll) {
  auto [from, to] = piped();
  fcntl(to.number(), F_SETFL, O_NONBLOCK);
  const std::string text(1 << 20, 'x');
  const std::size_t written = write_bytes(to.number(), text);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_GT(written, 0u);
  EXPECT_LT(written, text.size());
  EXPECT_EQ(write_bytes(-1, text), 0u);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(write_bytes(-1, ""), 0u);
}

TEST(WriteBytes, OverwritesAtAnOffset) {
  const std::string path = testing::TempDir() + "write_bytes_" + std::to_string(getpid());
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  EXPECT_EQ(write_bytes(file.number(), "0123456789"), 10u);
  EXPECT_EQ(write_bytes_at(file.number(), 3, "abc"), 3u);
  EXPECT_EQ(write_bytes(file.number(), "!"), 1u);
  std::string got(20, '\0');
  got.resize(static_cast<std::size_t>(pread(file.number(), got.data(), got.size(), 0)));
  EXPECT_EQ(got, "012abc6789!");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace normbench::descriptor_test

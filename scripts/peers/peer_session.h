/// Defines Session, which answers normbench's requests and runs the kernel on buffers that it owns.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "peer_npy.h"
#include "peer_task.h"

namespace peer::detail {

inline std::int64_t cpu_ns() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline rusage usage() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  return now;
}

/// The peer's side of the protocol. Owns the kernel, the copies of the input, and the outputs.
template <class Kernel>
class Session {
 public:
  explicit Session(Kernel kernel) : kernel_(std::move(kernel)) {}

  /// Returns the reply to the request `line`, or null if the request is `close`. An exception
  /// becomes a reply of type "unsupported" or "error".
  Json answer(const std::string& line) {
    try {
      if (line.size() > 1u << 20) throw std::runtime_error("a line of more than 1 MiB");
      const Json message = Json::parse(line);
      const std::string type = message.at("type");
      if (type == "hello")
        return {{"type", "hello"},
                {"protocol", 1},
                {"name", Kernel::name},
                {"version", Kernel::version}};
      if (type == "prepare") return prepare(message);
      if (type == "run")
        return run(whole(message.at("iterations"), 1), whole(message.at("warmup_ns"), 0));
      if (type == "output") return output(message.at("path"));
      if (type == "close") return nullptr;
      throw std::runtime_error("unknown request \"" + type + "\"");
    } catch (const Unsupported& missing) {
      return {{"type", "unsupported"},
              {"why", std::string(Kernel::name) + " does not do " + missing.what()}};
    } catch (const std::exception& mistake) {
      return {{"type", "error"}, {"why", std::string(mistake.what()).substr(0, 1000)}};
    }
  }

 private:
  Json prepare(const Json& message) {
    inputs_.clear();
    outputs_.clear();
    next_ = last_ = 0;
    const Task task = read_task(message);
    kernel_.prepare(task);
    const auto copies = static_cast<std::size_t>(whole(message.at("copies"), 1));
    const std::size_t bytes = task.input.bytes();
    result_ = task.stages.back().out;
    fresh_ = task.stages.back().output == "fresh";
    Buffer first = read_npy(message.at("inputs").at(0).at("path"), task.input);
    for (std::size_t i = 1; i < copies; ++i)
      std::copy_n(first.data(), bytes, inputs_.emplace_back(bytes).data());
    inputs_.push_back(std::move(first));
    // If the cache must be cold, normbench asks for so many copies of the input that they exceed
    // the cache. The number of outputs is chosen so that these outputs and the same number of input
    // copies together also exceed the cache.
    const std::size_t outputs = (copies - 1) * bytes / (bytes + result_.bytes()) + 1;
    for (std::size_t i = 0; i < (fresh_ ? 1 : outputs); ++i) {
      outputs_.emplace_back(result_.bytes());
      if (!fresh_) std::fill_n(outputs_.back().data(), result_.bytes(), '\xFF');
    }
    return {{"type", "ready"}};
  }

  void iterate() {
    last_ = next_ % outputs_.size();
    if (fresh_) outputs_[last_] = Buffer(result_.bytes());
    kernel_.run(inputs_[next_ % inputs_.size()].data(), outputs_[last_].data());
    ++next_;
  }

  Json run(std::int64_t iterations, std::int64_t warmup_ns) {
    if (outputs_.empty()) throw std::runtime_error("run before prepare");
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
      return std::chrono::nanoseconds(Clock::now() - start).count();
    };
    if (warmup_ns > 0) {
      const auto start = Clock::now();
      do iterate();
      while (since(start) < warmup_ns);
    }
    const rusage before = usage();
    const std::int64_t cpu = cpu_ns();
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < iterations; ++i) iterate();
    const std::int64_t wall_ns = since(start);
    const std::int64_t spent_ns = cpu_ns() - cpu;
    const rusage after = usage();
    return {{"type", "ran"},
            {"wall_ns", wall_ns},
            {"cpu_ns", spent_ns},
            {"minor_faults", after.ru_minflt - before.ru_minflt},
            {"major_faults", after.ru_majflt - before.ru_majflt}};
  }

  Json output(const std::string& path) const {
    if (next_ == 0) throw std::runtime_error("output before run");
    write_npy(path, result_, outputs_[last_].data());
    return {{"type", "written"}};
  }

  Kernel kernel_;
  Tensor result_;
  bool fresh_ = false;  // true: each iteration allocates a new output and frees the old one
  std::vector<Buffer> inputs_, outputs_;
  // `next_`: number of iterations since prepare. `last_`: index of the output of the last
  // iteration.
  std::size_t next_ = 0, last_ = 0;
};

}  // namespace peer::detail

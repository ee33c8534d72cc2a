/// Times a CPU kernel row (an implementation of an op) in alternation with the kernel rows of the
/// op `stream`, which read and write as many bytes.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "bench/kernel_case.h"
#include "bench/witness.h"
#include "document/statistics.h"
#include "machine/topology.h"
#include "measure/group_memory.h"
#include "record/clock.h"

namespace normbench {

/// `count` buffers of `bytes` each in one allocation. place() moves them to random offsets.
class Buffers {
 public:
  Buffers(Backend& backend, std::int64_t bytes, std::size_t count)
      : size_(static_cast<std::size_t>(bytes)),
        count_(count),
        arena_(backend, Memory::Pageable, placement_bytes(std::span(&size_, 1), count)) {}

  void place(std::mt19937_64& random) {
    offsets_ = random_placement(std::span(&size_, 1), count_, arena_.bytes(), random);
  }
  std::byte* at(std::size_t index) { return arena_.data() + offsets_[index]; }
  /// Fills the whole allocation with copies of `block`.
  void fill(std::span<const std::byte> block) {
    for (std::size_t at = 0; at < arena_.bytes(); at += block.size())
      std::copy_n(block.begin(), std::min(block.size(), arena_.bytes() - at), arena_.data() + at);
  }

 private:
  std::size_t size_, count_;
  Arena arena_;
  std::vector<std::size_t> offsets_;
};

/// Measures contenders in turns: the kernel under test, the rows of the op `stream`, and witnesses.
/// A witness (witness.h) does the same work as the kernel but shares no code with it. There are
/// witnesses only for a normalize on one thread without crop and flip, if witnesses() supports its
/// tensors. All contenders use the same buffers. For a cold cache, each call uses other buffers
/// than the call before, and all buffers together take three times the largest cache.
class KernelRounds {
 public:
  explicit KernelRounds(const KernelCase& what)
      : backend_(make_cpu_backend()),
        bound_(bind(what, *backend_)),
        queue_(backend_->make_queue(what.threads, nullptr)),
        sets_(what.cache == Cache::Hot ? 1 : cold_sets()),
        in_(*backend_, bound_.signature.in[0].bytes(), sets_),
        out_(*backend_, bound_.signature.out[0].bytes(), sets_) {
    add(bound_.kernel.prepare(bound_.op, bound_.signature), bound_.signature);
    add_streams();
    add_witnesses(what.threads);
    fill();
    for (Contender& contender : contenders_) {
      turn(contender, 1);
      calls_ = std::max(calls_, static_cast<int>(kTurnNs / std::max(1.0, turn(contender, 1))));
    }
  }

  /// Runs one turn of each contender, in random order. Returns the time per call of the kernel
  /// under test, in ns.
  double next() {
    place();
    std::vector<Contender*> order;
    for (Contender& contender : contenders_) order.push_back(&contender);
    std::shuffle(order.begin(), order.end(), random_);
    for (Contender* contender : order) contender->ns.push_back(turn(*contender, calls_));
    return contenders_[0].ns.back();
  }

  /// Returns the ratio of the time of the fastest stream to the time of the kernel, paired by
  /// rounds. The fastest stream is the row of the op `stream` with the smallest median.
  Interval of_limit() const {
    return paired_ratio(fastest(1, first_witness_), contenders_[0].ns, 0.95);
  }

  /// Returns the ratio of the time of the fastest witness to the time of the kernel, paired by
  /// rounds. Returns nothing if there is no witness.
  std::optional<Interval> of_witness() const {
    if (first_witness_ == contenders_.size()) return std::nullopt;
    return paired_ratio(fastest(first_witness_, contenders_.size()), contenders_[0].ns, 0.95);
  }

  double gb_per_second() const {
    const Cost cost = fewest(bound_.op, bound_.signature);
    return static_cast<double>(cost.moved()) / median(contenders_[0].ns);
  }

 private:
  static constexpr double kTurnNs = 1e6;

  struct Contender {
    Launch launch;
    TensorDesc in, out;
    std::vector<double> ns;  // ns per call, one value per round
  };

  std::size_t cold_sets() const {
    const std::int64_t set = bound_.signature.in[0].bytes() + bound_.signature.out[0].bytes();
    return static_cast<std::size_t>(3 * largest_cache_bytes() / set + 1);
  }

  void add(Launch launch, const Signature& signature) {
    contenders_.push_back({std::move(launch), signature.in[0], signature.out[0], {}});
  }

  void add_streams() {
    const Cost cost = fewest(bound_.op, bound_.signature);
    const std::int64_t unit = std::gcd(cost.read_bytes, cost.written_bytes);
    const Stream stream{.read_parts = cost.read_bytes / unit,
                        .write_parts = cost.written_bytes / unit};
    Signature signature{
        .in = {dense(DType::UInt8, Layout::Nchw, {1, 1, 1, cost.read_bytes}, Memory::Pageable)},
        .out = {}};
    signature.out = infer(stream, signature.in);
    for (const Kernel& kernel : backend_->kernels())
      if (kernel.op == Stream::name && kernel.name != "reference")
        add(kernel.prepare(stream, signature), signature);
  }

  void add_witnesses(int threads) {
    first_witness_ = contenders_.size();
    const auto* const op = std::get_if<Normalize>(&bound_.op);
    if (op == nullptr || threads != 1 || !op->crop.empty() || op->flip != Flip::None) return;
    WitnessCase what{
        .in = bound_.signature.in[0], .out = bound_.signature.out[0], .a = {}, .b = {}};
    for (std::int64_t c = 0; c < what.in.shape.c; ++c) {
      const double std = at_channel(op->std, c);
      what.a.push_back(static_cast<float>(op->scale / std));
      what.b.push_back(static_cast<float>(-at_channel(op->mean, c) / std));
    }
    for (const Witness& witness : witnesses(what))
      add([witness](Queue&, std::span<const View> in, std::span<const View> out,
                    View) { witness(in[0].data, out[0].data); },
          bound_.signature);
  }

  /// Fills the inputs with numbers from 0 to 255, so that no result is infinite or subnormal.
  void fill() {
    const TensorDesc desc =
        dense(bound_.signature.in[0].dtype, Layout::Nchw, {1, 1, 1, 1 << 16}, Memory::Pageable);
    Tensor64 values{.shape = desc.shape, .values = {}};
    for (std::int64_t i = 0; i < desc.elements(); ++i)
      values.values.push_back(static_cast<double>(random_() % 256));
    std::vector<std::byte> block(static_cast<std::size_t>(desc.bytes()));
    from_double(values, {block.data(), desc}, 0);
    in_.fill(block);
    place();
  }

  void place() {
    in_.place(random_);
    out_.place(random_);
  }

  double turn(const Contender& contender, int calls) {
    call(contender);
    const std::int64_t start = clock_.now_ns();
    for (int i = 0; i < calls; ++i) call(contender);
    return static_cast<double>(clock_.now_ns() - start) / calls;
  }

  void call(const Contender& contender) {
    set_ = (set_ + 1) % sets_;
    const View in{in_.at(set_), contender.in}, out{out_.at(set_), contender.out};
    contender.launch(*queue_, std::span(&in, 1), std::span(&out, 1), {});
  }

  /// Returns the times of the contender in [begin, end) that has the smallest median.
  const std::vector<double>& fastest(std::size_t begin, std::size_t end) const {
    const auto of = [&](std::size_t i) {
      return contenders_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    return std::min_element(
               of(begin), of(end),
               [](const Contender& a, const Contender& b) { return median(a.ns) < median(b.ns); })
        ->ns;
  }

  std::unique_ptr<Backend> backend_;
  BoundKernel bound_;
  std::unique_ptr<Queue> queue_;
  std::size_t sets_;
  Buffers in_, out_;
  std::vector<Contender> contenders_;
  std::size_t first_witness_ = 0;
  std::size_t set_ = 0;
  int calls_ = 1;
  SystemClock clock_;
  std::mt19937_64 random_{1};
};

}  // namespace normbench

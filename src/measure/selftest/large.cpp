#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>

#include "measure/selftest/cases.h"
#include "measure/selftest/input.h"
#include "measure/selftest/rows.h"

namespace normbench::selftest {
namespace {

constexpr Shape shape{11000, 3, 255, 257};  // 2,162,655,000 elements, 15,171,352 more than 2^31
constexpr std::int64_t image_elements = shape.c * shape.h * shape.w;
constexpr std::int64_t needed_bytes = shape.n * image_elements * 3;  // uint8 input, float16 output
constexpr std::int64_t roomy_bytes = std::int64_t{64} << 30;
constexpr std::int64_t upload_images = 100;
constexpr std::byte poison{0xFF};
constexpr int team = 3;

/// Returns the indices of the images that are compared: those in which the index of an element or
/// of a byte first exceeds 31 or 32 bits, their neighbours, and some images spread over the batch.
std::set<std::int64_t> sampled_images() {
  std::set<std::int64_t> images{0, shape.n - 1};
  for (std::int64_t image = 0; image < shape.n; image += shape.n / 16) images.insert(image);
  for (const std::int64_t bytes_each : {1, 2, 4})
    for (const std::int64_t end : {std::int64_t{1} << 31, std::int64_t{1} << 32}) {
      const std::int64_t image = end / bytes_each / image_elements;
      for (std::int64_t near = image - 1; near <= image + 1; ++near)
        if (near >= 0 && near < shape.n) images.insert(near);
    }
  return images;
}

std::vector<Op> ops() {
  const std::vector<double> mean{123.675, 116.28, 103.53}, std{58.395, 57.12, 57.375};
  return {Normalize{.mean = mean, .std = std, .to = DType::Float16, .flip = Flip::Both},
          Normalize{.mean = mean, .std = std, .to = DType::Float16, .layout = Layout::Nhwc},
          Cast{.to = DType::Float16}, Copy{}};
}

/// Compares sampled_images() of the output with the reference, up to the first wrong image. If no
/// image is wrong, checks that nothing was written outside of the output.
Judged judge_samples(const Op& op, const Signature& signature, const Buffer& out) {
  Judged total;
  const std::int64_t out_bytes = signature.out[0].bytes() / shape.n;
  TensorDesc one_in = signature.in[0], one_out = signature.out[0];
  one_in.shape.n = one_out.shape.n = 1;
  for (const std::int64_t image : sampled_images()) {
    auto in = random_elements(DType::UInt8, image * image_elements, image_elements);
    auto got = out.read(image * out_bytes, out_bytes);
    const Tensor64 values = to_double({in.data(), one_in}, 0, 1);
    const Known known{values, random_accuracy(DType::UInt8)};
    const Exact exact = exact_outputs(op, std::span(&known, 1), signature)[0];
    const Judged judged = judge(exact, {got.data(), one_out}, poison);
    if (share_of_bound(judged.error, judged.bound) >= share_of_bound(total.error, total.bound)) {
      total.error = judged.error;
      total.bound = judged.bound;
    }
    if (!judged.failure) continue;
    total.failure = fmt::format("image {}, {}", image, *judged.failure);
    return total;
  }
  total.failure = out.stray_write("the output");
  return total;
}

/// Holds the large input in the memory of the place (CPU or device), and runs kernel rows on it.
class LargeTest {
 public:
  explicit LargeTest(Lab& lab)
      : lab_(lab),
        memory_(lab.backend().place() == Place::Cpu ? Memory::Pageable : Memory::Device),
        in_desc_(dense(DType::UInt8, Layout::Nchw, shape, memory_)),
        in_(lab.owner(memory_), memory_, in_desc_.bytes(), {}) {
    for (std::int64_t first = 0; first < shape.n; first += upload_images)
      in_.write(first * image_elements, random_elements(DType::UInt8, first * image_elements,
                                                        upload_images * image_elements));
  }

  void test(const Op& op, std::span<Candidate> rows) {
    const auto signature = signature_of(op, {in_desc_}, memory_);
    for (Candidate& row : rows)
      if (row.kernel->op == name_of(op))
        offer(lab_, row, in_words(op, *signature), op, *signature,
              [&] { return run(row, op, *signature); });
  }

 private:
  Ran run(Candidate& row, const Op& op, const Signature& signature) {
    const Buffer out(lab_.owner(memory_), memory_, signature.out[0].bytes(), {.poison = poison});
    const View in_view{in_.data(), signature.in[0]}, out_view{out.data(), signature.out[0]};
    const Launch launch = row.kernel->prepare(op, signature);
    Queue& queue = lab_.queue(team);
    const Settled settled(queue);
    launch(queue, std::span(&in_view, 1), std::span(&out_view, 1), {});
    queue.drain();
    ++row.finding.runs;
    const Judged judged = judge_samples(op, signature, out);
    return {judged, judged.bound};
  }

  Lab& lab_;
  const Memory memory_;
  const TensorDesc in_desc_;
  Buffer in_;
};

/// Returns why large tensors are not tested in this place. Returns nothing if they are tested.
std::optional<NotTested> why_not(const Lab& lab, std::int64_t free_bytes, bool wanted) {
  if (free_bytes == 0) return NotTested{.kind = NotTested::Kind::MemoryUnknown};
  NotTested note{
      .kind = NotTested::Kind::TooLarge, .need_bytes = needed_bytes, .free_bytes = free_bytes};
  if (static_cast<double>(needed_bytes) > most_of_memory * static_cast<double>(free_bytes))
    return note;
  note.kind = NotTested::Kind::NotAsked;
  if (lab.backend().place() == Place::Cpu && !wanted && free_bytes < roomy_bytes) return note;
  return std::nullopt;
}

/// Returns why the test ended early: the device was lost, or the test was interrupted.
NotTested why_over(const Lab& lab) {
  if (lab.lost()) return {.kind = NotTested::Kind::Failed, .error = *lab.lost()};
  return {.kind = NotTested::Kind::Interrupted};
}

}  // namespace

std::optional<NotTested> test_large(Lab& lab, std::span<Candidate> rows, std::int64_t free_bytes,
                                    bool wanted) {
  const auto takes_part = [](const Candidate& row) {
    return std::ranges::any_of(ops(), [&](const Op& op) { return row.kernel->op == name_of(op); });
  };
  if (lab.lost() || std::ranges::none_of(rows, takes_part)) return std::nullopt;
  if (lab.is_over()) return why_over(lab);
  if (auto note = why_not(lab, free_bytes, wanted)) return note;
  const Memory memory = lab.backend().place() == Place::Cpu ? Memory::Pageable : Memory::Device;
  try {
    lab.owner(memory).allocate(memory, static_cast<std::size_t>(needed_bytes));
  } catch (const std::exception& error) {
    return NotTested{.kind = NotTested::Kind::Failed, .error = error.what()};
  }
  LargeTest test(lab);
  for (const Op& op : ops()) test.test(op, rows);
  return lab.is_over() ? std::optional(why_over(lab)) : std::nullopt;
}

}  // namespace normbench::selftest

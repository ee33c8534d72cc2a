/// The CPU kernels that make RGB from YCbCr images.
#include <algorithm>

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/constants.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"
#include "backend/cpu/ycbcr_simd.h"
#include "ops/checks.h"

namespace normbench {
namespace {

/// Returns one job for each image of each window.
std::vector<YcbcrJob> jobs_of(std::span<const YcbcrWindow> windows, Flip flip) {
  std::vector<YcbcrJob> jobs;
  for (const YcbcrWindow& window : windows)
    for (std::int64_t n = 0; n < window.in.desc.shape.n; ++n)
      jobs.push_back({.image = images_of(window.in, n, 1),
                      .out = images_of(window.out, n, 1),
                      .top = window.top,
                      .left = window.left,
                      .flip = flip});
  return jobs;
}

/// Splits the rows of all jobs over the team.
void run_jobs(const std::vector<YcbcrJob>& jobs, YcbcrFunction function,
              const RgbConstants& constants, Queue& queue) {
  if (jobs.empty()) return;
  const std::int64_t height = jobs[0].out.desc.shape.h;
  split(queue, std::ssize(jobs) * height, 1, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t row = begin % height, last = std::min(height, row + end - begin);
      function(jobs[static_cast<std::size_t>(begin / height)], constants, row, last);
      begin += last - row;
    }
  });
}

bool accepts_normalize(const Normalize& op, const Signature& s) {
  return s.in[0].shape.is_ycbcr() && s.in[0].is_dense() && s.out[0].is_dense() && is_float(op.to);
}

RgbConstants constants_of(const Normalize& op) {
  check_divisors(op.std);
  RgbConstants constants;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto [a, b] = op.multiply_add(static_cast<std::int64_t>(c));
    constants.a[c] = static_cast<float>(a);
    constants.b[c] = b;
  }
  return constants;
}

Launch prepare_normalize(const Normalize& op, const Signature& s) {
  return with_constants<RgbConstants>(
      op.constants, [op] { return constants_of(op); },
      [op, stores = suitable_stores(s)](Queue& queue, const View& in, const View& out,
                                        const RgbConstants& constants) {
        run_jobs(jobs_of(ycbcr_windows(op, in, out), op.flip),
                 normalize_ycbcr_function(op.to, stores(queue.threads)), constants, queue);
      });
}

bool accepts_to_rgb(const ToRgb&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

template <StoresRule (*Rule)(const Signature&)>
Launch prepare_to_rgb(const ToRgb&, const Signature& s) {
  return [stores = Rule(s)](Queue& queue, std::span<const View> in, std::span<const View> out,
                            View) {
    const YcbcrWindow whole{.in = in[0], .out = out[0]};
    run_jobs(jobs_of({&whole, 1}, Flip::None), to_rgb_function(stores(queue.threads)), {}, queue);
  };
}

}  // namespace

void convert_to_rgb(const View& from, const View& to, Queue& queue) {
  const YcbcrWindow whole{.in = from, .out = to};
  run_jobs(jobs_of({&whole, 1}, Flip::None), to_rgb_function(Stores::Normal), {}, queue);
}

std::span<const Kernel> normalize_ycbcr_rows() {
  static const Kernel rows[] = {row<Normalize, accepts_normalize, prepare_normalize>("ycc")};
  return rows;
}

std::span<const Kernel> to_rgb_rows() {
  static const Kernel rows[] = {
      reference_row(ToRgb::name),
      row<ToRgb, accepts_to_rgb, prepare_to_rgb<suitable_stores>>("simd"),
      row<ToRgb, accepts_to_rgb, prepare_to_rgb<normal_stores>>("temporal")};
  return rows;
}

}  // namespace normbench

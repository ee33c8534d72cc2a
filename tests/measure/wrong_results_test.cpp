/// Tests that the check finds results with typical mistakes of programs, and that right results
/// pass.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

#include "measure/output_check.h"
#include "measure/selftest/cases.h"
#include "measure/selftest/trial.h"
#include "ops/group_statistics.h"

namespace normbench::wrong_results_test {
namespace {

using selftest::Input;
using Tensors = std::vector<Tensor64>;

/// Returns a tensor whose element i is value(i), rounded to the tensor's dtype.
Input holding(const TensorDesc& desc, const std::function<double(std::size_t)>& value) {
  Tensor64 values{.shape = desc.shape, .values = {}};
  for (std::int64_t i = 0; i < desc.elements(); ++i)
    values.values.push_back(value(static_cast<std::size_t>(i)));
  std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
  from_double(values, {bytes.data(), desc}, 0);
  return {desc, std::move(bytes)};
}

TensorDesc nchw(DType dtype, const Shape& shape) {
  return dense(dtype, Layout::Nchw, shape, Memory::Pageable);
}

/// Returns random pixels from 0 to 255. No two images or channels are equal.
Input pixels(DType dtype, const Shape& shape) {
  std::mt19937 random(1);
  return holding(nchw(dtype, shape),
                 [&](std::size_t) { return static_cast<double>(random() % 256); });
}

Input normal(DType dtype, const Shape& shape, double mean, double std, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> values(mean, std);
  return holding(nchw(dtype, shape), [&](std::size_t) { return values(random); });
}

/// An op, its inputs, and its right outputs.
struct Problem {
  Problem(Op of, std::vector<Input> from) : op(std::move(of)), inputs(std::move(from)) {
    std::vector<TensorDesc> in;
    for (const Input& input : inputs) {
      in.push_back(input.desc(Memory::Pageable));
      known.push_back({input.values(), input.accuracy()});
      values.push_back(input.values());
    }
    signature = selftest::signature_of(op, std::move(in), Memory::Pageable).value();
    exact = selftest::exact_outputs(op, known, signature);
  }

  /// Returns the outputs that another op computes from the same inputs, or from `from`.
  Tensors by(const Op& other) const { return by(other, values); }
  Tensors by(const Op& other, const Tensors& from) const {
    Tensors out;
    for (const TensorDesc& desc : signature.out)
      out.push_back({desc.shape, std::vector<double>(static_cast<std::size_t>(desc.elements()))});
    reference(other, from, out, 0);
    return out;
  }
  /// right() returns the right outputs. changed() returns them after `change` has modified the
  /// first output. each() returns them after `change` was applied to every value of the first
  /// output.
  Tensors right() const {
    Tensors all;
    for (const selftest::Exact& one : exact) all.push_back(one.values);
    return all;
  }
  Tensors changed(const std::function<void(Tensor64&)>& change) const {
    Tensors all = right();
    change(all[0]);
    return all;
  }
  Tensors each(const std::function<double(double)>& change) const {
    return changed([&](Tensor64& y) {
      for (double& value : y.values) value = change(value);
    });
  }

  Op op;
  std::vector<Input> inputs;
  std::vector<Known> known = {};
  Tensors values = {};
  Signature signature = {};
  std::vector<selftest::Exact> exact = {};
};

/// Stores the outputs in their dtypes and compares the stored values with the right outputs.
std::vector<OutputCheck> held(const Problem& problem, const Tensors& got) {
  std::vector<OutputCheck> checks(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const TensorDesc& desc = problem.signature.out[i];
    std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
    const View view{bytes.data(), desc};
    from_double(got[i], view, 0);
    checks[i].compare(
        {.values = problem.exact[i].values, .accuracy = {.errors = problem.exact[i].bounds}},
        to_double(view, 0, desc.shape.n));
  }
  return checks;
}

std::string words_of(const Problem& problem) {
  return selftest::in_words(problem.op, problem.signature);
}

/// Expects the check to find a value whose error exceeds its bound.
void expect_wrong(const Problem& problem, const std::string& what, const Tensors& got) {
  double share = 0;
  for (const OutputCheck& check : held(problem, got))
    share = std::max(share, check.worst().share());
  EXPECT_GT(share, 1) << what << ": " << words_of(problem);
}

void expect_right(const Problem& problem, const std::string& what, const Tensors& got) {
  for (const OutputCheck& check : held(problem, got)) {
    EXPECT_LE(check.worst().share(), 1) << what << ": " << words_of(problem);
    EXPECT_EQ(check.unchecked(), 0) << what << ": " << words_of(problem);
  }
}

/// Rotates all values by `by` elements, so that columns, rows or images are at other places.
void rotate(Tensor64& y, std::int64_t by) { std::ranges::rotate(y.values, y.values.begin() + by); }

void scale_channel(Tensor64& y, std::int64_t channel, double factor) {
  each_of_channels(y.shape, [&](std::int64_t i, std::int64_t c) {
    if (c == channel) y.values[static_cast<std::size_t>(i)] *= factor;
  });
}

const std::vector<DType> floats{DType::Float32, DType::Float16, DType::BFloat16};
const Shape image{2, 3, 37, 53};
const std::vector<double> mean{123.675, 116.28, 103.53}, deviation{58.395, 57.12, 57.375};

TEST(WrongResults, OfNormalizeAreSeenInEachDtype) {
  for (const DType to : floats) {
    const Normalize op{.mean = mean, .std = deviation, .to = to};
    const Problem problem(op, {pixels(DType::UInt8, image)});
    expect_right(problem, "itself", problem.right());
    const auto with = [&](auto change) {
      Normalize other = op;
      change(other);
      return problem.by(other);
    };
    for (const double percent : {0.5, 1.0, 10.0})
      expect_wrong(problem, fmt::format("a mean {} % off", percent),
                   with([&](Normalize& one) { one.mean[1] *= 1 + percent / 100; }));
    expect_wrong(problem, "constants of blue and red swapped", with([](Normalize& one) {
                   std::swap(one.mean[0], one.mean[2]);
                   std::swap(one.std[0], one.std[2]);
                 }));
    expect_wrong(problem, "mean and std swapped",
                 with([](Normalize& one) { std::swap(one.mean, one.std); }));
    expect_wrong(problem, "no mean", with([](Normalize& one) { one.mean = {0}; }));
    expect_wrong(problem, "scaled to 1", with([](Normalize& one) { one.scale = 1 / 255.0; }));
    expect_wrong(problem, "mirrored", with([](Normalize& one) { one.flip = Flip::Horizontal; }));
    expect_wrong(problem, "a channel times 0.7",
                 problem.changed([](Tensor64& y) { scale_channel(y, 1, 0.7); }));
    expect_wrong(problem, "zeros", problem.each([](double) { return 0; }));
    expect_wrong(problem, "a pixel to the left",
                 problem.changed([](Tensor64& y) { rotate(y, 1); }));
    expect_wrong(problem, "the other image",
                 problem.changed([](Tensor64& y) { rotate(y, 3 * 37 * 53); }));
    expect_wrong(problem, "the other channel",
                 problem.changed([](Tensor64& y) { rotate(y, 37 * 53); }));
    expect_wrong(problem, "a tail not written",
                 problem.changed([](Tensor64& y) { y.values.back() = 0; }));
    expect_wrong(problem, "whole numbers before division", [&] {
      Normalize rounded = op;
      for (double& m : rounded.mean) m = std::round(m);
      return problem.by(rounded);
    }());
  }
}

/// Alpha is far larger than the normalized colours, so its rounding has a far larger bound. This
/// bound must not be used for the colours.
TEST(WrongResults, OfColoursAreSeenBesideAlpha) {
  for (const DType to : floats) {
    Normalize op{.mean = mean, .std = deviation, .to = to};
    op.mean.push_back(0);
    op.std.push_back(1);
    const Problem problem(op, {pixels(DType::UInt8, {2, 4, 37, 53})});
    expect_right(problem, "itself", problem.right());
    Normalize swapped = op, off = op, alpha = op;
    std::swap(swapped.mean[0], swapped.mean[2]);
    std::swap(swapped.std[0], swapped.std[2]);
    off.mean[1] *= 1.01;
    alpha.std[3] = 255;
    expect_wrong(problem, "constants of blue and red swapped", problem.by(swapped));
    expect_wrong(problem, "a mean 1 % off", problem.by(off));
    expect_wrong(problem, "alpha scaled", problem.by(alpha));
    expect_wrong(problem, "a channel times 0.7",
                 problem.changed([](Tensor64& y) { scale_channel(y, 1, 0.7); }));
  }
}

TEST(WrongResults, OfCropsAndFlipsAreSeen) {
  const Window window{.height = 30, .width = 40, .top = 3, .left = 5};
  for (const DType dtype : {DType::UInt8, DType::Float16}) {
    const Problem crop(Crop{.window = window}, {pixels(dtype, image)});
    Window lower = window, centred = window;
    ++*lower.top;
    centred.top = centred.left = std::nullopt;
    expect_wrong(crop, "a row lower", crop.by(Crop{.window = lower}));
    expect_wrong(crop, "centred", crop.by(Crop{.window = centred}));
    const Problem flip(FlipOp{.axis = Flip::Horizontal}, {pixels(dtype, image)});
    expect_wrong(flip, "the other axis", flip.by(FlipOp{.axis = Flip::Vertical}));
    expect_wrong(flip, "not at all", flip.values);
    const Problem layout(LayoutOp{.to = Layout::Nhwc}, {pixels(dtype, image)});
    expect_wrong(layout, "bytes as they were", layout.changed([&](Tensor64& y) {
      const auto [n, c, h, w] = y.shape.extents();
      for (std::int64_t i = 0; i < y.shape.elements(); ++i)
        y.values[static_cast<std::size_t>(i / (c * h * w) * c * h * w + i % c * h * w +
                                          i / c % (h * w))] =
            layout.values[0].values[static_cast<std::size_t>(i)];
    }));
    const Problem concat(Concat{}, {pixels(dtype, image), normal(dtype, image, 100, 20, 3)});
    expect_wrong(concat, "the second first",
                 concat.by(Concat{}, {concat.values[1], concat.values[0]}));
    expect_wrong(concat, "the first twice",
                 concat.by(Concat{}, {concat.values[0], concat.values[0]}));
  }
  for (const DType to : floats) {
    const Normalize op{.mean = mean, .std = deviation, .to = to, .crop = {window}};
    const Problem problem(op, {pixels(DType::UInt8, image)});
    Normalize beside = op;
    beside.crop[0].left = 6;
    expect_wrong(problem, "a column to the right", problem.by(beside));
  }
}

TEST(WrongResults, OfCastsAreSeen) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> some(-20, 280);
  const Input x = holding(nchw(DType::Float32, image), [&](std::size_t) { return some(random); });
  const Problem bytes(Cast{.to = DType::UInt8}, {x});
  const auto of_x = [&](const std::function<double(double)>& f) {
    Tensors made{x.values()};
    for (double& value : made[0].values) value = f(value);
    return made;
  };
  expect_right(bytes, "rounded", of_x([](double v) { return std::nearbyint(v); }));
  expect_wrong(bytes, "truncated", of_x([](double v) { return std::trunc(v); }));
  expect_wrong(bytes, "one too bright", bytes.each([](double v) { return v + 1; }));
  expect_wrong(bytes, "rounded up", of_x([](double v) { return std::ceil(v); }));
  expect_wrong(bytes, "wrapped", of_x([](double v) {
                 return std::nearbyint(v) - 256 * std::floor(std::nearbyint(v) / 256);
               }));
  const auto stored_in = [](DType dtype, const Tensor64& values) {
    std::vector<std::byte> room(static_cast<std::size_t>(values.shape.elements() * size_of(dtype)));
    const View view{room.data(), nchw(dtype, values.shape)};
    from_double(values, view, 0);
    return to_double(view, 0, values.shape.n);
  };
  const Problem half(Cast{.to = DType::Float16}, {x});
  expect_wrong(half, "through bfloat16", {stored_in(DType::BFloat16, x.values())});
  const Problem narrow(Cast{.to = DType::BFloat16}, {x});
  expect_wrong(narrow, "cut off", of_x([](double v) {
                 const double step = std::ldexp(1, std::ilogb(v) - 7);
                 return std::trunc(v / step) * step;
               }));
  expect_wrong(narrow, "through float16", {stored_in(DType::Float16, x.values())});
}

TEST(WrongResults, OfDenormalizeAreSeen) {
  for (const DType from : floats) {
    const Denormalize op{.mean = mean, .std = deviation};
    const Problem problem(op, {normal(from, image, 0, 1, 7)});
    const auto unrounded = [&](const std::function<double(double)>& round) {
      Tensor64 y = map_channels(problem.values[0], [&](double v, std::int64_t c) {
        return round(v * at_channel(deviation, c) + at_channel(mean, c));
      });
      return Tensors{std::move(y)};
    };
    expect_right(problem, "rounded", unrounded([](double v) { return v; }));
    expect_wrong(problem, "truncated", unrounded([](double v) { return std::floor(v); }));
    expect_wrong(problem, "rounded up", unrounded([](double v) { return std::ceil(v); }));
    expect_wrong(problem, "one too bright", problem.each([](double v) { return v + 1; }));
    expect_wrong(problem, "one too dark", problem.each([](double v) { return v - 1; }));
    Denormalize swapped = op, off = op;
    std::swap(swapped.mean, swapped.std);
    off.mean[1] *= 1.01;
    expect_wrong(problem, "mean and std swapped", problem.by(swapped));
    expect_wrong(problem, "a mean 1 % off", problem.by(off));
  }
}

/// Resizes planes. An output pixel is the nearest input pixel or, if `linear` is true, interpolated
/// between two input pixels on each axis. `place` maps a row or column of the output, and the scale
/// of this axis, to a coordinate in the input.
Tensors resized_by(const Problem& problem, const std::function<double(double, double)>& place,
                   bool linear) {
  const Tensor64& x = problem.values[0];
  const Shape& to = problem.signature.out[0].shape;
  Tensor64 y{to, {}};
  const auto at = [&](std::int64_t plane, double row, double column) {
    const auto pixel = [&](double r, double c) {
      const auto i = std::clamp<std::int64_t>(std::llround(r), 0, x.shape.h - 1);
      const auto j = std::clamp<std::int64_t>(std::llround(c), 0, x.shape.w - 1);
      return x.values[static_cast<std::size_t>((plane * x.shape.h + i) * x.shape.w + j)];
    };
    if (!linear) return pixel(row, column);
    const double i = std::floor(row), j = std::floor(column), a = row - i, b = column - j;
    return (1 - a) * ((1 - b) * pixel(i, j) + b * pixel(i, j + 1)) +
           a * ((1 - b) * pixel(i + 1, j) + b * pixel(i + 1, j + 1));
  };
  for (std::int64_t plane = 0; plane < to.n * to.c; ++plane)
    for (std::int64_t r = 0; r < to.h; ++r)
      for (std::int64_t c = 0; c < to.w; ++c)
        y.values.push_back(at(plane,
                              place(static_cast<double>(r),
                                    static_cast<double>(x.shape.h) / static_cast<double>(to.h)),
                              place(static_cast<double>(c),
                                    static_cast<double>(x.shape.w) / static_cast<double>(to.w))));
  return {y};
}

TEST(WrongResults, OfResizesAreSeen) {
  const auto half_pixel = [](double i, double scale) { return (i + 0.5) * scale - 0.5; };
  const auto corners = [](double i, double scale) { return i * scale; };
  for (const DType dtype : {DType::UInt8, DType::Float32, DType::Float16, DType::BFloat16}) {
    const Problem smaller(Resize{.height = 17, .width = 23}, {pixels(dtype, image)});
    const Problem larger(Resize{.height = 80, .width = 107}, {pixels(dtype, image)});
    expect_right(larger, "by hand", resized_by(larger, half_pixel, true));
    expect_wrong(smaller, "without antialiasing", resized_by(smaller, half_pixel, true));
    expect_wrong(smaller, "nearest", resized_by(smaller, half_pixel, false));
    expect_wrong(larger, "nearest", resized_by(larger, half_pixel, false));
    expect_wrong(larger, "from the corners", resized_by(larger, corners, true));
    expect_wrong(smaller, "by a box", {resized(smaller.values[0], 17, 23, ResizeFilter::Box)});
    expect_wrong(smaller, "a pixel to the left",
                 smaller.changed([](Tensor64& y) { rotate(y, 1); }));
  }
  const Problem bytes(Resize{.height = 17, .width = 23}, {pixels(DType::UInt8, image)});
  expect_wrong(bytes, "truncated", bytes.each([](double v) { return std::floor(v); }));
  expect_wrong(bytes, "one too bright", bytes.each([](double v) { return std::rint(v) + 1; }));
}

TEST(WrongResults, OfSmallOpsAreSeen) {
  for (const DType dtype : floats) {
    const Problem sub(Sub{.mean = mean}, {pixels(dtype, image)});
    expect_wrong(sub, "a mean 1 % off", sub.by(Sub{.mean = {123.675, 116.28 * 1.01, 103.53}}));
    const Problem div(Div{.std = deviation}, {pixels(dtype, image)});
    expect_wrong(div, "a std 1 % off", div.by(Div{.std = {58.395, 57.12 * 1.01, 57.375}}));
    expect_wrong(div, "a product", div.by(Mul{}, {div.values[0], {{1, 3, 1, 1}, deviation}}));
    const Input x = normal(dtype, image, 0, 1, 2), other = normal(dtype, image, 0, 1, 3);
    const Input channel = normal(DType::Float32, {1, 3, 1, 1}, 1, 0.5, 4),
                second = normal(DType::Float32, {1, 3, 1, 1}, 0, 1, 5);
    const Problem mul(Mul{}, {x, channel});
    expect_wrong(mul, "another factor", mul.by(Mul{}, {mul.values[0], second.values()}));
    const Problem sum(Sum{}, {x});
    Tensor64 one = x.values();
    std::fill(one.values.begin() + 3 * 37 * 53, one.values.end(), 0);
    expect_wrong(sum, "of the first image", sum.by(Sum{}, {one}));
    expect_wrong(sum, "a mean", sum.each([](double v) { return v / (2 * 37 * 53); }));
    const Problem accumulate(Accumulate{}, {x, other});
    expect_wrong(accumulate, "the old one", {x.values()});
    expect_wrong(accumulate, "the new one", {other.values()});
    const Problem affine(ScaleShift{.over = Over::Channel}, {x, channel, second});
    expect_wrong(affine, "no shift", affine.by(Mul{}, {affine.values[0], affine.values[1]}));
    expect_wrong(affine, "swapped",
                 affine.by(affine.op, {affine.values[0], affine.values[2], affine.values[1]}));
  }
}

/// Parameters of a group normalization in double, with possible mistakes. `outside` is added to the
/// root of the variance, where eps should be added to the variance. `beside` is subtracted from the
/// number of values by which the sum of squares is divided (1: unbiased variance). If `centred` is
/// false, the mean is taken as 0.
struct Normalized {
  std::int64_t groups = 4;
  double eps = 1e-5, outside = 0, beside = 0;
  bool with_gamma = true, with_beta = true, swapped = false, centred = true;
};
Tensors normalized(const Problem& problem, const Normalized& how) {
  const Tensor64& x = problem.values[0];
  const std::int64_t all = x.shape.n * how.groups, count = x.shape.elements() / all;
  Tensors out{
      {x.shape, {}}, {{x.shape.n, how.groups, 1, 1}, {}}, {{x.shape.n, how.groups, 1, 1}, {}}};
  for (std::int64_t g = 0; g < all; ++g) {
    const std::span<const double> values = std::span(x.values).subspan(
        static_cast<std::size_t>(g * count), static_cast<std::size_t>(count));
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    const double centre = how.centred ? sum / static_cast<double>(count) : 0;
    double squares = 0;
    for (const double value : values) squares += (value - centre) * (value - centre);
    const double variance = squares / (static_cast<double>(count) - how.beside);
    out[1].values.push_back(centre);
    out[2].values.push_back(1 / (std::sqrt(variance + how.eps) + how.outside));
  }
  each_of_channels(x.shape, [&](std::int64_t i, std::int64_t c) {
    const auto group = static_cast<std::size_t>(i / count), channel = static_cast<std::size_t>(c);
    const double gamma = problem.values[how.swapped ? 2 : 1].values[channel];
    const double beta = problem.values[how.swapped ? 1 : 2].values[channel];
    const double h =
        (x.values[static_cast<std::size_t>(i)] - out[1].values[group]) * out[2].values[group];
    out[0].values.push_back((how.with_gamma ? gamma : 1) * h + (how.with_beta ? beta : 0));
  });
  return out;
}

Problem group_norm_of(Input x, std::int64_t groups = 4) {
  const Shape channels = of_channels(x.values().shape);
  std::mt19937 random(8);
  std::uniform_real_distribution<double> some(0.5, 1.5);
  Input gamma = holding(nchw(DType::Float32, channels), [&](std::size_t) { return some(random); });
  return {GroupNorm{.groups = groups},
          {std::move(x), std::move(gamma), normal(DType::Float32, channels, 0, 1, 9)}};
}

TEST(WrongResults, OfGroupNormAreSeen) {
  for (const DType dtype : floats) {
    const Problem problem = group_norm_of(normal(dtype, {2, 64, 56, 56}, 0, 1, 1));
    expect_right(problem, "itself", normalized(problem, {}));
    expect_wrong(problem, "no beta", normalized(problem, {.with_beta = false}));
    expect_wrong(problem, "no gamma", normalized(problem, {.with_gamma = false}));
    expect_wrong(problem, "gamma and beta swapped", normalized(problem, {.swapped = true}));
    expect_wrong(problem, "not centred", normalized(problem, {.centred = false}));
    // In the first pass of the loop, only the output y is wrong. In the second pass, mean and rstd
    // are wrong, too.
    for (const bool alone : {true, false}) {
      const auto spoilt = [&](const Normalized& how) {
        Tensors made = normalized(problem, how);
        if (alone) {
          made[1] = problem.exact[1].values;
          made[2] = problem.exact[2].values;
        }
        return made;
      };
      if (alone && dtype != DType::Float32) continue;  // 16-bit rounding hides these errors
      expect_wrong(problem, "no eps", spoilt({.eps = 0}));
      expect_wrong(problem, "eps outside the root", spoilt({.eps = 0, .outside = 1e-5}));
      expect_wrong(problem, "unbiased variance", spoilt({.beside = 1}));
    }
  }
}

TEST(WrongResults, OfABlankImageAreSeen) {
  const Problem problem =
      group_norm_of(holding(nchw(DType::Float32, {2, 64, 28, 28}), [](std::size_t) { return 3; }));
  expect_right(problem, "itself", normalized(problem, {}));
  expect_wrong(problem, "gamma and beta swapped", normalized(problem, {.swapped = true}));
  expect_wrong(problem, "no beta", normalized(problem, {.with_beta = false}));
}

TEST(WrongResults, OfMomentsAreSeen) {
  const Problem problem(Moments{.groups = 4}, {normal(DType::Float32, {2, 8, 9, 7}, 1, 1, 1)});
  const auto with = [&](double eps, double factor, double offset) {
    Tensors made = problem.right();
    for (double& rstd : made[1].values) {
      const double variance = 1 / (rstd * rstd) - 1e-5;
      rstd = 1 / std::sqrt(variance * factor + eps);
    }
    for (double& value : made[0].values) value += offset;
    return made;
  };
  expect_wrong(problem, "no eps", with(0, 1, 0));
  expect_wrong(problem, "unbiased", with(1e-5, 126.0 / 125, 0));
  expect_wrong(problem, "a mean 1e-5 off", with(1e-5, 1, 1e-5));
}

TEST(WrongResults, OfGradientsAreSeen) {
  for (const DType dtype : floats) {
    const Shape shape{2, 8, 13, 11}, channels{1, 8, 1, 1};
    const Input x = normal(dtype, shape, 0.3, 1, 1), dy = normal(dtype, shape, 0.2, 1, 2);
    const Input gamma = normal(DType::Float32, channels, 1, 0.3, 3);
    const Problem forward(Moments{.groups = 4}, {x});
    const TensorDesc statistics = nchw(DType::Float32, {2, 4, 1, 1});
    const auto known = [&](std::size_t i) {
      return holding(statistics, [&](std::size_t j) { return forward.exact[i].values.values[j]; });
    };
    const GroupNorm op{.groups = 4, .direction = Direction::Backward};
    const Problem problem(op, {dy, x, gamma, known(0), known(1)});
    expect_right(problem, "itself", problem.right());
    const auto dx_of = [&](bool of_g, bool of_gh, bool with_gamma) {
      const Tensor64 h = group_scaled(x.values(), problem.values[3], problem.values[4]);
      Tensors made = problem.right();
      const std::int64_t count = 2 * 13 * 11;
      std::vector<double> g(dy.values().values.size());
      each_of_channels(shape, [&](std::int64_t i, std::int64_t c) {
        g[static_cast<std::size_t>(i)] =
            dy.values().values[static_cast<std::size_t>(i)] *
            (with_gamma ? gamma.values().values[static_cast<std::size_t>(c)] : 1);
      });
      for (std::int64_t group = 0; group < 8; ++group) {
        double sum = 0, product = 0;
        for (std::int64_t i = group * count; i < (group + 1) * count; ++i) {
          sum += g[static_cast<std::size_t>(i)];
          product += g[static_cast<std::size_t>(i)] * h.values[static_cast<std::size_t>(i)];
        }
        const double rstd = problem.values[4].values[static_cast<std::size_t>(group)];
        for (std::int64_t i = group * count; i < (group + 1) * count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          made[0].values[at] =
              rstd * (g[at] - (of_g ? sum / static_cast<double>(count) : 0) -
                      (of_gh ? h.values[at] * product / static_cast<double>(count) : 0));
        }
      }
      return made;
    };
    expect_right(problem, "by hand", dx_of(true, true, true));
    expect_wrong(problem, "without the mean of g", dx_of(false, true, true));
    expect_wrong(problem, "without the mean of g * h", dx_of(true, false, true));
    expect_wrong(problem, "without gamma", dx_of(true, true, false));
    Tensors swapped = problem.right();
    std::swap(swapped[1], swapped[2]);
    expect_wrong(problem, "dgamma and dbeta swapped", swapped);
    Tensors first = problem.right();
    Tensor64 one = dy.values();
    std::fill(one.values.begin() + 8 * 13 * 11, one.values.end(), 0);
    first[2] = sum_channels(one);
    expect_wrong(problem, "dbeta of the first image", first);
    GroupNorm adding = op;
    adding.accumulate = true;
    const Problem added(adding, {dy, x, gamma, known(0), known(1), normal(dtype, shape, 0, 1, 5),
                                 normal(DType::Float32, channels, 0, 1, 6),
                                 normal(DType::Float32, channels, 0, 1, 7)});
    expect_wrong(added, "not added", problem.right());
    Tensors parameter = added.right();
    parameter[1] = problem.right()[1];
    expect_wrong(added, "dgamma not added", parameter);
    const Problem chain(BatchNormBackward{}, {dy, x, known(0), known(1)});
    expect_wrong(chain, "times gamma", {problem.right()[0]});
  }
}

}  // namespace
}  // namespace normbench::wrong_results_test

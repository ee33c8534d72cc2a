/// What every row of the CPU is tried with: its op's variants, and inputs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "backend/kernel_testing.h"

namespace normbench {

inline std::vector<double> per_channel(std::int64_t channels, double first, double step) {
  std::vector<double> values;
  for (std::int64_t c = 0; c < channels; ++c)
    values.push_back(first + step * static_cast<double>(c));
  return values;
}

inline std::vector<Op> normalizations(const Shape& s) {
  const auto mean = per_channel(s.c, 123.675, -7.3), std = per_channel(s.c, 58.395, 1.7);
  const Window window{.height = (s.h + 1) / 2, .width = (s.w + 2) / 3, .top = {}, .left = {}};
  std::vector<Op> ops;
  for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16}) {
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to});
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to, .layout = Layout::Nchw});
    ops.push_back(Normalize{.mean = mean,
                            .std = std,
                            .to = to,
                            .scale = 1 / 255.0,
                            .layout = Layout::Nhwc,
                            .constants = Constants::PerCall});
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const Flip flip : {Flip::Horizontal, Flip::Both})
        ops.push_back(Normalize{.mean = {0.5},
                                .std = {0.25},
                                .to = to,
                                .layout = layout,
                                .crop = flip == Flip::Both ? std::optional(window) : std::nullopt,
                                .flip = flip});
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to, .crop = window});
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to, .flip = Flip::Vertical});
  }
  return ops;
}

/// The op's variants that are worth trying on a shape.
inline std::vector<Op> variants(std::string_view name, const Shape& s) {
  const auto constants = per_channel(s.c, 123.675, -7.3);
  if (name == Normalize::name) return normalizations(s);
  if (name == Cast::name)
    return {Cast{.to = DType::UInt8}, Cast{.to = DType::Float16}, Cast{.to = DType::BFloat16},
            Cast{.to = DType::Float32}};
  if (name == Sub::name)
    return {Sub{.mean = constants}, Sub{.mean = {7.25}, .constants = Constants::PerCall}};
  if (name == Div::name)
    return {Div{.std = constants}, Div{.std = {7.25}, .constants = Constants::PerCall}};
  if (name == LayoutOp::name) return {LayoutOp{.to = Layout::Nchw}, LayoutOp{.to = Layout::Nhwc}};
  if (name == FlipOp::name)
    return {FlipOp{.axis = Flip::Horizontal}, FlipOp{.axis = Flip::Vertical},
            FlipOp{.axis = Flip::Both}};
  if (name == Crop::name)
    return {Crop{.window = {.height = (s.h + 1) / 2, .width = (s.w + 2) / 3, .top = 0, .left = {}}},
            Crop{.window = {.height = 1, .width = s.w, .top = s.h - 1, .left = 0}}};
  if (name == Resize::name)
    return {Resize{.height = 2 * s.h + 1, .width = s.w + 3},
            Resize{.height = (s.h + 1) / 2, .width = (s.w + 2) / 3}};
  if (name == Copy::name) return {Copy{}};
  return {};
}

inline std::vector<TensorDesc> inputs(const Shape& shape) {
  std::vector<TensorDesc> all;
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{}))
      all.push_back(dense(dtype.value, layout.value, shape, Memory::Pageable));
  return all;
}

/// Nothing, when the op does not take this input or the row leaves it to another one.
inline std::optional<Signature> signature_of(const Kernel& kernel, const Op& op, const TensorDesc& in) {
  try {
    Signature s{.in = {in}, .out = infer(op, std::span(&in, 1))};
    return kernel.accepts(op, s) ? std::optional(s) : std::nullopt;
  } catch (const Invalid&) {
    return std::nullopt;
  }
}

/// Rows whose values have a reference. `load` has tests of its own.
inline std::vector<Kernel> checked_rows() {
  std::vector<Kernel> rows;
  for (const Kernel& kernel : cpu_rows())
    if (!variants(kernel.op, {1, 1, 1, 1}).empty() && kernel.name != "reference")
      rows.push_back(kernel);
  return rows;
}

}  // namespace normbench

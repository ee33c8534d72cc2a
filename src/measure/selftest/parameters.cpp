#include "measure/selftest/cases.h"

namespace normbench::selftest {
namespace {

std::vector<double> per_channel(std::int64_t channels, double first, double step) {
  std::vector<double> values;
  for (std::int64_t c = 0; c < channels; ++c)
    values.push_back(first + step * static_cast<double>(c));
  return values;
}

/// A window in the middle.
Window inner(const Shape& s) {
  return {.height = (s.h + 1) / 2, .width = (s.w + 2) / 3, .top = {}, .left = {}};
}

/// Each parameter at least once with each dtype.
std::vector<Op> normalizations(const Shape& s, DType to) {
  const auto mean = per_channel(s.c, 123.675, -7.3), std = per_channel(s.c, 58.395, 1.7);
  const Window window = inner(s);
  std::vector<Op> ops{Normalize{.mean = mean, .std = std, .to = to},
                      Normalize{.mean = mean, .std = std, .to = to, .layout = Layout::Nchw},
                      Normalize{.mean = mean,
                                .std = std,
                                .to = to,
                                .scale = 1 / 255.0,
                                .layout = Layout::Nhwc,
                                .constants = Constants::PerCall},
                      Normalize{.mean = mean, .std = std, .to = to, .crop = window},
                      Normalize{.mean = mean, .std = std, .to = to, .flip = Flip::Vertical}};
  for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
    for (const Flip flip : {Flip::Horizontal, Flip::Both})
      ops.push_back(Normalize{.mean = flip == Flip::Both ? std::vector{0.5} : mean,
                              .std = {0.25},
                              .to = to,
                              .layout = layout,
                              .crop = flip == Flip::Both ? std::optional(window) : std::nullopt,
                              .flip = flip});
  return ops;
}

std::vector<Op> all_normalizations(const Shape& s) {
  std::vector<Op> ops;
  for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16}) {
    const auto more = normalizations(s, to);
    ops.insert(ops.end(), more.begin(), more.end());
  }
  return ops;
}

std::vector<Op> casts() {
  std::vector<Op> ops;
  for (const auto& dtype : words(DType{})) ops.push_back(Cast{.to = dtype.value});
  return ops;
}

std::vector<Op> windows(const Shape& s) {
  Window in_front = inner(s);
  in_front.top = 0;
  return {Crop{.window = in_front}, Crop{.window = inner(s)},
          Crop{.window = {.height = 1, .width = s.w, .top = s.h - 1, .left = 0}}};
}

std::vector<Op> streams() {
  std::vector<Op> ops;
  for (const auto& [reads, writes] : {std::pair{1, 1}, {1, 4}, {4, 1}, {3, 5}, {0, 1}, {1, 0}})
    ops.push_back(Stream{.read_parts = reads, .write_parts = writes});
  return ops;
}

}  // namespace

std::vector<Op> parameters_of(std::string_view op, const Shape& s) {
  const auto constants = per_channel(s.c, 123.675, -7.3);
  if (op == Normalize::name) return all_normalizations(s);
  if (op == Cast::name) return casts();
  if (op == Sub::name)
    return {Sub{.mean = constants}, Sub{.mean = {7.25}, .constants = Constants::PerCall}};
  if (op == Div::name)
    return {Div{.std = constants}, Div{.std = {7.25}, .constants = Constants::PerCall}};
  if (op == LayoutOp::name) return {LayoutOp{.to = Layout::Nchw}, LayoutOp{.to = Layout::Nhwc}};
  if (op == FlipOp::name)
    return {FlipOp{.axis = Flip::Horizontal}, FlipOp{.axis = Flip::Vertical},
            FlipOp{.axis = Flip::Both}};
  if (op == Crop::name) return windows(s);
  if (op == Resize::name)
    return {Resize{.height = (s.h + 1) / 2, .width = (s.w + 2) / 3},
            Resize{.height = 2 * s.h + 1, .width = s.w + 3}};
  if (op == Stream::name) return streams();
  if (op == EmptyLaunch::name) return {EmptyLaunch{.count = 1}, EmptyLaunch{.count = 3}};
  if (op == Copy::name) return {Copy{}};
  if (op == FirstTouch::name) return {FirstTouch{}};
  if (op == H2d::name) return {H2d{}};
  if (op == D2h::name) return {D2h{}};
  if (op == Exchange::name) return {Exchange{}};
  if (op == Pin::name) return {Pin{}};
  if (op == Register::name) return {Register{}};
  if (op == Unregister::name) return {Unregister{}};
  if (op == Sync::name) return {Sync{}};
  return {};
}

}  // namespace normbench::selftest

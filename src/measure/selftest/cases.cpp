#include "measure/selftest/cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/checks.h"

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
      ops.push_back(Normalize{.mean = {0.5},
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

std::vector<Memory> host_kinds() {
  std::vector<Memory> kinds;
  for (const auto& memory : words(Memory{}))
    if (host_reaches(memory.value)) kinds.push_back(memory.value);
  return kinds;
}

/// Routes of ops that move between places or lock memory; none for the others.
std::vector<Route> call_routes(std::string_view op) {
  std::vector<Route> routes;
  if (op == H2d::name)
    for (const Memory from : host_kinds()) routes.push_back({from, Memory::Device});
  if (op == D2h::name)
    for (const Memory to : host_kinds()) routes.push_back({Memory::Device, to});
  if (op == Exchange::name)
    for (const Memory from :
         {Memory::Pinned, Memory::Registered, Memory::WriteCombined, Memory::Mapped})
      routes.push_back({from, Memory::Device});
  if (op == Pin::name)
    for (const Memory to : {Memory::Pinned, Memory::WriteCombined, Memory::Mapped})
      routes.push_back({Memory::Pageable, to});
  if (op == Register::name) routes.push_back({Memory::Pageable, Memory::Registered});
  if (op == Unregister::name) routes.push_back({Memory::Registered, Memory::Pageable});
  return routes;
}

/// "1x3x5x7 uint8 nchw", and the memory's kind where it matters.
std::string tensor_words(const TensorDesc& desc, bool with_shape, bool with_memory) {
  const auto [n, c, h, w] = desc.shape;
  return fmt::format("{}{} {}{}{}", with_shape ? fmt::format("{}x{}x{}x{} ", n, c, h, w) : "",
                     name_of(desc.dtype), name_of(desc.layout), desc.is_dense() ? "" : " strided",
                     with_memory ? fmt::format(" {}", name_of(desc.memory)) : "");
}

std::string constants_words(const std::vector<double>& values, Constants constants) {
  return fmt::format("{}{}", values.size() == 1 ? ", one constant" : "",
                     constants == Constants::PerCall ? ", constants per_call" : "");
}

/// What a signature does not show.
struct Parameters {
  std::string operator()(const Normalize& op) const {
    std::string text;
    if (op.scale != 1) text += fmt::format(", scale {:.3g}", op.scale);
    if (op.crop) text += ", cropped";
    if (op.flip != Flip::None) text += fmt::format(", flip {}", name_of(op.flip));
    return text + constants_words(op.mean, op.constants);
  }
  std::string operator()(const Sub& op) const { return constants_words(op.mean, op.constants); }
  std::string operator()(const Div& op) const { return constants_words(op.std, op.constants); }
  std::string operator()(const FlipOp& op) const { return fmt::format(", {}", name_of(op.axis)); }
  std::string operator()(const Crop& op) const {
    return op.window.top ? fmt::format(" at row {}", *op.window.top) : " centred";
  }
  std::string operator()(const Stream& op) const {
    return fmt::format(", read {}, write {}", op.read_parts, op.write_parts);
  }
  std::string operator()(const EmptyLaunch& op) const {
    return fmt::format(", count {}", op.count);
  }
  template <class T>
  std::string operator()(const T&) const {
    return "";
  }
};

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

std::vector<Route> routes_of(std::string_view op, Place place, bool host_memory) {
  if (place == Place::Cpu && host_memory) return {};
  if (place == Place::Cpu) return {{Memory::Pageable, Memory::Pageable}};
  if (const auto routes = call_routes(op); !routes.empty())
    return host_memory ? std::vector<Route>{} : routes;
  if (host_memory) return {{Memory::Mapped, Memory::Device}, {Memory::Managed, Memory::Device}};
  return {{Memory::Device, Memory::Device}};
}

std::vector<Extent> extents(bool quick) {
  const Shape odd{2, 3, 5, 7}, rows{3, 4, 8, 64};
  const std::size_t most = quick ? 8 : 1, some = 3;
  std::vector<Extent> all{
      {.shape = {1, 1, 1, 1}, .every = most},
      {.shape = {1, 3, 2, 16}, .every = most},
      {.shape = odd, .every = most},
      {.shape = rows, .every = most, .capturing = true},
      {.shape = odd, .look = {.margin = 1, .flip = Flip::Horizontal}, .every = most},
      {.shape = odd, .every = 8, .host_memory = true}};
  if (quick) return all;
  for (const Shape& shape :
       {Shape{1, 3, 1, 1}, Shape{1, 3, 17, 33}, Shape{1, 2, 3, 15}, Shape{2, 1, 1, 63},
        Shape{1, 5, 2, 65}, Shape{1, 3, 1, 300}, Shape{1, 300, 2, 3}, Shape{1, 1, 3, 17},
        Shape{1, 3, 1, 31}, Shape{1, 3, 2, 127}, Shape{1, 4, 3, 67}, Shape{1, 3, 33, 67}})
    all.push_back({.shape = shape, .every = some});
  for (const Look& look :
       {Look{.margin = 2}, Look{.flip = Flip::Vertical}, Look{.margin = 1, .flip = Flip::Both}})
    all.push_back({.shape = rows, .look = look, .every = some});
  all.push_back({.shape = {1, 3, 577, 579}, .every = 9});     // 1,002,249 elements
  all.push_back({.shape = {2, 3, 210, 160}, .every = some});  // planes of whole lines
  for (const Flip flip : {Flip::None, Flip::Horizontal})      // rows that start within lines
    all.push_back({.shape = {1, 3, 32, 226}, .look = {.margin = 1, .flip = flip}, .every = some});
  return all;
}

std::optional<Signature> signature_of(const Op& op, const TensorDesc& in, Memory to) {
  Signature signature{.in = {in}, .out = {}};
  if (std::holds_alternative<Unregister>(op)) signature.in.push_back(in);
  try {
    signature.out = infer(op, signature.in);
  } catch (const Invalid&) {
    return std::nullopt;
  }
  for (TensorDesc& out : signature.out) out.memory = to;
  return signature;
}

std::string in_words(const Op& op, const Signature& signature) {
  const TensorDesc &in = signature.in[0], &out = signature.out[0];
  const bool moves = in.memory != out.memory;
  return fmt::format("{} -> {}{}", tensor_words(in, true, moves),
                     tensor_words(out, out.shape != in.shape, moves), std::visit(Parameters{}, op));
}

}  // namespace normbench::selftest

#include "measure/selftest/cases.h"

#include <fmt/format.h>

#include <utility>

#include "ops/checks.h"

namespace normbench::selftest {
namespace {

std::vector<Memory> host_kinds() {
  std::vector<Memory> kinds;
  for (const auto& memory : words(Memory{}))
    if (host_reaches(memory.value)) kinds.push_back(memory.value);
  return kinds;
}

/// Returns the routes (pairs of memory kinds) of an op that copies over the link or locks pages.
/// Returns an empty list for any other op.
std::vector<Route> call_routes(std::string_view op) {
  const auto [link, locks] = std::pair(roles_named(op).link, roles_named(op).locks);
  std::vector<Route> routes;
  if (link == LinkUse::Up)
    for (const Memory from : host_kinds()) routes.push_back({from, Memory::Device});
  if (link == LinkUse::Down)
    for (const Memory to : host_kinds()) routes.push_back({Memory::Device, to});
  if (link == LinkUse::BothWays)
    for (const Memory from :
         {Memory::Pinned, Memory::Registered, Memory::WriteCombined, Memory::Mapped})
      routes.push_back({from, Memory::Device});
  if (locks == PageLocking::Copies)
    for (const Memory to : {Memory::Pinned, Memory::WriteCombined, Memory::Mapped})
      routes.push_back({Memory::Pageable, to});
  if (locks == PageLocking::Locks) routes.push_back({Memory::Pageable, Memory::Registered});
  if (locks == PageLocking::Unlocks) routes.push_back({Memory::Registered, Memory::Pageable});
  return routes;
}

/// Returns the description of a tensor, like "1x3x5x7 uint8 nchw". It contains the shape only with
/// `with_shape`, and the kind of memory only with `with_memory`.
std::string tensor_words(const TensorDesc& desc, bool with_shape, bool with_memory) {
  const auto [n, c, h, w] = desc.shape.extents();
  return fmt::format("{}{} {}{}{}", with_shape ? fmt::format("{}x{}x{}x{} ", n, c, h, w) : "",
                     name_of(desc.dtype), arrangement_of(desc), desc.is_dense() ? "" : " strided",
                     with_memory ? fmt::format(" {}", name_of(desc.memory)) : "");
}

std::string constants_words(const std::vector<double>& values, Constants constants) {
  return fmt::format("{}{}", values.size() == 1 ? ", one constant" : "",
                     constants == Constants::PerCall ? ", constants per_call" : "");
}

/// Returns the parameters of an op as text, except those that can be seen from the descriptions of
/// its inputs and outputs.
struct Parameters {
  std::string operator()(const Normalize& op) const {
    std::string text;
    if (op.scale != 1) text += fmt::format(", scale {:.3g}", op.scale);
    if (!op.crop.empty()) text += ", cropped";
    if (op.crop.size() > 1) text += fmt::format(" to {} windows", op.crop.size());
    if (op.flip != Flip::None) text += fmt::format(", flip {}", name_of(op.flip));
    return text + constants_words(op.mean, op.constants);
  }
  std::string operator()(const Denormalize& op) const {
    const std::string scale = op.scale == 1 ? "" : fmt::format(", scale {:.3g}", op.scale);
    return scale + constants_words(op.mean, Constants::Cached);
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
  std::string operator()(const GroupNorm& op) const {
    return fmt::format(", {} groups, {}{}{}", op.groups, name_of(op.direction),
                       op.affine ? ", affine" : "", op.accumulate ? ", accumulate" : "");
  }
  std::string operator()(const Moments& op) const { return fmt::format(", {} groups", op.groups); }
  std::string operator()(const ScaleShift& op) const {
    return fmt::format(", over {}", name_of(op.over));
  }
  template <class T>
  std::string operator()(const T&) const {
    return "";
  }
};

}  // namespace

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
        Shape{1, 3, 1, 31}, Shape{1, 1, 2, 32}, Shape{1, 3, 2, 127}, Shape{1, 4, 3, 67},
        Shape{1, 3, 33, 67}})
    all.push_back({.shape = shape, .every = some});
  for (const Look& look :
       {Look{.margin = 2}, Look{.flip = Flip::Vertical}, Look{.margin = 1, .flip = Flip::Both}})
    all.push_back({.shape = rows, .look = look, .every = some});
  all.push_back({.shape = {1, 3, 577, 579}, .every = 9});      // 1,002,249 elements
  all.push_back({.shape = {1, 1, 1, 1'000'003}, .every = 9});  // one row of pixels
  all.push_back({.shape = {2, 3, 210, 160}, .every = some});   // a plane fills whole cache lines
  for (const Flip flip : {Flip::None, Flip::Horizontal})       // rows start inside cache lines
    all.push_back({.shape = {1, 3, 32, 226}, .look = {.margin = 1, .flip = flip}, .every = some});
  return all;
}

std::optional<Signature> signature_of(const Op& op, std::vector<TensorDesc> in, Memory to) {
  Signature signature{.in = std::move(in), .out = {}};
  if (roles_of(op).locks == PageLocking::Unlocks) signature.in.push_back(signature.in[0]);
  try {
    signature.out = infer(op, signature.in);
  } catch (const Invalid&) {
    return std::nullopt;
  }
  for (TensorDesc& out : signature.out) out.memory = to;
  return signature;
}

std::vector<Signature> signatures_of(const Op& op, const TensorDesc& first, Memory to) {
  std::vector<Signature> all;
  for (const Feeds& fed : feeds(op, first)) {
    std::vector<TensorDesc> in;
    for (const Feed& feed : fed) in.push_back(feed.desc);
    if (auto signature = signature_of(op, std::move(in), to)) all.push_back(std::move(*signature));
  }
  return all;
}

std::string in_words(const Op& op, const Signature& signature) {
  const TensorDesc &in = signature.in[0], &out = signature.out[0];
  const bool moves = in.memory != out.memory;
  const bool is_product = std::holds_alternative<Mul>(op);
  return fmt::format("{} -> {}{}", tensor_words(in, true, moves),
                     tensor_words(out, out.shape != in.shape, moves),
                     std::visit(Parameters{}, op)) +
         (is_product ? fmt::format(", by {}", tensor_words(signature.in[1], true, false)) : "");
}

}  // namespace normbench::selftest

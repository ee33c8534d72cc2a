#include <concepts>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

template <class T>
View view_of(const T& op, const View& in) {
  if constexpr (requires { input_view(op, in); })
    return input_view(op, in);
  else
    return in;
}

double scale_of(const Normalize& op) { return op.scale; }
template <class T>
double scale_of(const T&) {
  return 1;
}

/// The mean and the standard deviation of a channel.
std::pair<double, double> constants_of(const Sub& op, std::int64_t c) {
  return {at_channel(op.mean, c), 1};
}
std::pair<double, double> constants_of(const Div& op, std::int64_t c) {
  return {0, at_channel(op.std, c)};
}
std::pair<double, double> constants_of(const Normalize& op, std::int64_t c) {
  return {at_channel(op.mean, c), at_channel(op.std, c)};
}

/// All means, then all standard deviations; nothing for an op without constants.
template <class T>
std::shared_ptr<const DeviceArray<double>> send_constants(const T& op, std::int64_t channels) {
  if constexpr (requires { constants_of(op, channels); }) {
    const auto count = static_cast<std::size_t>(channels);
    std::vector<double> values(2 * count);
    for (std::size_t c = 0; c < count; ++c)
      std::tie(values[c], values[count + c]) = constants_of(op, static_cast<std::int64_t>(c));
    const auto sent = std::make_shared<DeviceArray<double>>(values.size());
    sent->send(nullptr, values);
    return sent;
  } else {
    return nullptr;
  }
}

template <class T, class... Ops>
concept OneOf = (std::same_as<T, Ops> || ...);

/// Ops that give each element of a view a value of its own. An op is none unless it is listed.
template <class T>
concept Pointwise = OneOf<T, Cast, Sub, Div, Normalize, Copy, Crop, FlipOp, LayoutOp>;

template <Pointwise T>
Launch prepare_typed(const T& op, const Signature& s) {
  const auto constants = send_constants(op, s.in[0].shape.c);
  return [op, constants](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    PointwiseArguments arguments{.in = view_of(op, in[0]), .out = out[0], .scale = scale_of(op)};
    if (constants) {
      arguments.means = constants->data();
      arguments.stds = constants->data() + out[0].desc.shape.c;
    }
    check(launch_reference_pointwise(stream_of(queue), arguments), "launching a reference");
  };
}

Launch prepare_typed(const Resize&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    check(launch_reference_resize(stream_of(queue), in[0], out[0]),
          "launching the reference of resize");
  };
}

Launch prepare_typed(const normbench::Stream& op, const Signature&) {
  return [op](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const std::int64_t read = op.read_parts == 0 ? 0 : in[0].desc.bytes();
    check(launch_reference_stream(stream_of(queue), in[0], read, out[0]),
          "launching the reference of stream");
  };
}

Launch prepare_reference_of(const Op& op, const Signature& s) {
  return std::visit(
      [&](const auto& typed) -> Launch {
        if constexpr (requires { prepare_typed(typed, s); })
          return prepare_typed(typed, s);
        else
          throw std::logic_error("no reference of this op on a GPU");
      },
      op);
}

/// Streams go through bytes as they lie; every other op through elements, by their strides.
bool accepts_reference(const Op& op, const Signature& s) {
  const bool has_one = std::visit(
      [&](const auto& typed) { return requires { prepare_typed(typed, s); }; }, op);
  return has_one && (!std::holds_alternative<normbench::Stream>(op) || s.in[0].is_dense());
}

}  // namespace

Kernel reference_row(std::string_view op) {
  return {.op = op,
          .name = "reference",
          .place = Place::Cuda,
          .capturable = [](const Op&, const Signature&) { return true; },
          .accepts = &accepts_reference,
          .cost = &fewest,
          .scratch = [](const Op&, const Signature&) { return std::size_t{0}; },
          .prepare = &prepare_reference_of};
}

}  // namespace normbench::cuda

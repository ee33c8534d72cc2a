/// The kernel rows named `reference`, one for each op that has a reference_of(). A row is one
/// implementation of an op.
#include <memory>
#include <tuple>

#include "backend/cuda/launch.cuh"
#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/reference.cuh"

namespace normbench::cuda {
namespace {

/// Each overload returns the mean and the standard deviation of channel `c`. An op without a mean
/// has the mean 0. An op without a standard deviation has the standard deviation 1.
std::pair<double, double> constants_of(const Sub& op, std::int64_t c) {
  return {at_channel(op.mean, c), 1};
}
std::pair<double, double> constants_of(const Div& op, std::int64_t c) {
  return {0, at_channel(op.std, c)};
}
std::pair<double, double> constants_of(const Normalize& op, std::int64_t c) {
  return {at_channel(op.mean, c), at_channel(op.std, c)};
}
std::pair<double, double> constants_of(const Denormalize& op, std::int64_t c) {
  return {at_channel(op.mean, c), at_channel(op.std, c)};
}

/// Returns device memory with all means, followed by all standard deviations. Returns null if the
/// op has no constants.
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

/// Calls `use` with the body of each launch that computes the op.
template <class T, class Use>
void each_body(const T& op, std::span<const View> in, const View& out, const double* sent,
               Use use) {
  for (const Portion& portion : portions_of(op, in, out))
    use(reference_of(op, portion.in, portion.out, sent));
}
template <class Use>
void each_body(const Resize& op, std::span<const View> in, const View& out, const double* sent,
               Use use) {
  for (const Portion& portion : portions_of(op, in, out)) {
    ResizeReference body = reference_of(op, portion.in, portion.out, sent);
    body.from = in[0].desc.shape;
    body.to = out.desc.shape;
    use(body);
  }
}
template <class Use>
void each_body(const Normalize& op, std::span<const View> in, const View& out, const double* sent,
               Use use) {
  if (in[0].desc.shape.is_ycbcr())
    for (const YcbcrWindow& window : ycbcr_windows(op, in[0], out))
      use(reference_of(op, window, sent));
  else
    for (const Portion& portion : portions_of(op, in, out))
      use(reference_of(op, portion.in, portion.out, sent));
}

template <class T>
Launch prepare_reference(const T& op, const Signature& s) {
  const auto constants = send_constants(op, s.in[0].shape.c);
  return [op, constants](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const double* sent = constants ? constants->data() : nullptr;
    each_body(op, in, out[0], sent, [&](const auto& body) {
      check(launch(stream_of(queue), body), "launching a reference");
    });
  };
}

/// Accepts the op `stream` only if its input is dense, because the reference of `stream` reads
/// bytes in the order of memory. The references of all other ops use strides.
template <class T>
bool accepts_reference(const T&, const Signature& s) {
  return !std::is_same_v<T, normbench::Stream> || s.in[0].is_dense();
}

template <class T>
Kernel reference_row() {
  Kernel kernel =
      normbench::row<T, accepts_reference<T>, prepare_reference<T>>("reference", Place::Cuda);
  kernel.loads = true;
  kernel.capturable = [](const Op&, const Signature&) { return true; };
  return kernel;
}

}  // namespace

std::vector<Kernel> reference_rows() {
  std::vector<Kernel> rows;
  for_each_op([&]<class T>(std::type_identity<T>) {
    if constexpr (requires(const T& op, const View& view) {
                    reference_of(op, view, view, nullptr);
                  })
      rows.push_back(reference_row<T>());
  });
  return rows;
}

}  // namespace normbench::cuda

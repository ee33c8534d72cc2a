#include "backend/cuda_fused_testing.h"

#include <stdexcept>

#include "backend/cuda/fused.cuh"
#include "backend/cuda/reference.cuh"

namespace normbench::cuda {
namespace {

void normalize_on_host(const Normalize& op, const View& in, const View& out,
                       std::int64_t enough_threads) {
  NormalizeArguments arguments;
  set_constants(op, out.desc.shape.c, arguments);
  const auto use = [](const auto& body) { run_body(body); };
  for (const Portion& portion : portions_of(op, std::span(&in, 1), out)) {
    arguments.task = task_of(op, portion);
    arguments.task.enough_threads = enough_threads;
    with_type(op.to, [&]<class Out>(std::type_identity<Out>) {
      if constexpr (std::is_same_v<Out, std::uint8_t>)
        throw std::logic_error("no row normalises to uint8");
      else
        with_normalize<Out>(arguments, use);
    });
  }
}

void denormalize_on_host(const Denormalize& op, const View& in, const View& out,
                         std::int64_t enough_threads) {
  NormalizeArguments arguments;
  arguments.task = task_of(op, Portion{in, out});
  arguments.task.enough_threads = enough_threads;
  set_constants(op, out.desc.shape.c, arguments);
  with_denormalize(arguments, [](const auto& body) { run_body(body); });
}

template <class T>
void move_on_host(const T& op, const View& in, const View& out, std::int64_t enough_threads) {
  for (const Portion& portion : portions_of(op, std::span(&in, 1), out)) {
    FusedTask task = task_of(op, portion);
    task.enough_threads = enough_threads;
    with_move(task, [](const auto& body) { run_body(body); });
  }
}

}  // namespace

void on_host(const Op& op, const View& in, const View& out, std::int64_t enough_threads) {
  std::visit(
      [&]<class T>(const T& one) {
        if constexpr (std::is_same_v<T, Normalize>)
          normalize_on_host(one, in, out, enough_threads);
        else if constexpr (std::is_same_v<T, Denormalize>)
          denormalize_on_host(one, in, out, enough_threads);
        else if constexpr (OneOf<T, Crop, FlipOp, LayoutOp>)
          move_on_host(one, in, out, enough_threads);
      },
      op);
}

std::optional<std::string> fault_of(const Op& op, const TensorDesc& in_desc,
                                    const FusedSetting& setting, const OnHost& launched) {
  const TensorDesc out_desc = infer(op, std::span(&in_desc, 1))[0];
  Guarded in(in_desc, setting.in_shift), out(out_desc, setting.out_shift);
  fill(in.view());
  const Tensor64 expected = expected_of(op, in.view(), out_desc);
  const Errors bounds = bounds_of(op, in.view(), out_desc);
  for (const int poison : {0xFF, 0x5A}) {
    std::memset(out.view().data, poison, static_cast<std::size_t>(out_desc.bytes()));
    try {
      launched(op, in.view(), out.view(), setting.enough_threads);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    if (!out.guards_intact()) return "a store beside the output";
    if (const auto wrong = mismatch(expected, out.view(), bounds)) return wrong;
  }
  return std::nullopt;
}

}  // namespace normbench::cuda

/// The rows of CUDA, one function per file; cuda_backend.cpp puts them into one table.
#pragma once

#include <span>
#include <string_view>

#include "backend/backend.h"

namespace normbench::cuda {

std::span<const Kernel> resize_rows();
std::span<const Kernel> move_rows();  // crop, flip, layout
std::span<const Kernel> cast_rows();
std::span<const Kernel> sub_div_rows();
std::span<const Kernel> normalize_rows();
std::span<const Kernel> copy_rows();       // copy, stream
std::span<const Kernel> transfer_rows();   // h2d, d2h
std::span<const Kernel> exchange_rows();
std::span<const Kernel> host_call_rows();  // pin, register, unregister
std::span<const Kernel> launch_rows();     // launch, sync

/// The row `reference` of the op called `op`: its meaning in double, one element a thread, obvious.
/// Accepts whatever the op's infer accepts.
Kernel reference_row(std::string_view op);

/// A row of CUDA. It can be captured unless it sends its constants with each call.
template <class T, bool (*Accepts)(const T&, const Signature&),
          Launch (*Prepare)(const T&, const Signature&)>
constexpr Kernel row(std::string_view name) {
  Kernel kernel = normbench::row<T, Accepts, Prepare>(name, Place::Cuda);
  kernel.capturable = [](const Op& op, const Signature&) {
    if constexpr (requires(const T& one) { one.constants; })
      return std::get<T>(op).constants == Constants::Cached;
    else
      return true;
  };
  return kernel;
}

}  // namespace normbench::cuda

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// Output in device memory; dtype, shape and layout kept.
struct H2d {
  static constexpr std::string_view name = "h2d";
  static constexpr std::string_view about = "copy from host memory to device memory";

  static H2d read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

/// Parameter: memory (the host kind written, default pageable).
struct D2h {
  static constexpr std::string_view name = "d2h";
  static constexpr std::string_view about = "copy from device memory to host memory";

  static D2h read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

/// Copies its page-locked input to the device and, at the same time, as many bytes of no meaning
/// from the device to page-locked memory: both directions of the link at once. The output is the
/// input in device memory.
struct Exchange {
  static constexpr std::string_view name = "exchange";
  static constexpr std::string_view about =
      "copy to the device and as much back at the same time: the limit of the link";

  static Exchange read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench

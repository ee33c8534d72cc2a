#pragma once

#include "ops/checks.h"

namespace normbench {

/// Copies to device memory and keeps dtype, shape and layout.
struct H2d {
  static constexpr std::string_view name = "h2d";
  static constexpr std::string_view about = "copy from host memory to device memory";
  static constexpr Roles roles{
      .runs = Runs::Call, .copies = true, .takes_ycbcr = true, .link = LinkUse::Up};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
};

/// Copies to host memory and keeps dtype, shape and layout. Parameter: memory (default pageable).
struct D2h {
  static constexpr std::string_view name = "d2h";
  static constexpr std::string_view about = "copy from device memory to host memory";
  static constexpr Roles roles{
      .runs = Runs::Call, .copies = true, .takes_ycbcr = true, .link = LinkUse::Down};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
};

/// Copies its page-locked input to the device. At the same time it copies as many bytes from the
/// device into page-locked memory, so that both directions of the link are busy. The values of
/// those bytes have no meaning. The output is the copy on the device.
struct Exchange {
  static constexpr std::string_view name = "exchange";
  static constexpr std::string_view about =
      "copy to the device and as much back at the same time: the limit of the link";
  static constexpr Roles roles{
      .runs = Runs::Call, .copies = true, .takes_ycbcr = true, .link = LinkUse::BothWays};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench

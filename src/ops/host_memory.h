#pragma once

#include "ops/checks.h"

namespace normbench {

/// Copies the input into page-locked host memory. The stage's parameter `memory` selects the kind
/// of this memory (default pinned). If the stage's parameter `output` is "fresh", each run of the
/// stage allocates and frees the memory, as torch's pin_memory() does. If it is "reuse", the stage
/// keeps one buffer.
struct Pin {
  static constexpr std::string_view name = "pin";
  static constexpr std::string_view about = "copy into page-locked host memory";
  static constexpr Roles roles{
      .runs = Runs::Call, .copies = true, .takes_ycbcr = true, .locks = PageLocking::Copies};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

/// Page-locks the memory of the input (cudaHostRegister). The output is the input tensor itself,
/// now in registered memory.
struct Register {
  static constexpr std::string_view name = "register";
  static constexpr std::string_view about = "page-lock the input where it lies (cudaHostRegister)";
  static constexpr Roles roles{
      .runs = Runs::Call, .passes_through = true, .locks = PageLocking::Locks};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

/// Undoes a `register` stage. Inputs:
/// - A tensor that passes through unchanged. Default: the output of the previous stage.
/// - The registered tensor. Default: the tensor that is registered at this point.
struct Unregister {
  static constexpr std::string_view name = "unregister";
  static constexpr std::string_view about = "undo register (cudaHostUnregister)";
  static constexpr Roles roles{
      .runs = Runs::Call, .passes_through = true, .locks = PageLocking::Unlocks};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

}  // namespace normbench

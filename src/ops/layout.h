#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// Parameter: to nchw (default) or nhwc.
struct LayoutOp {
  static constexpr std::string_view name = "layout";
  static constexpr std::string_view about = "change the layout";

  Layout to = Layout::Nchw;

  static LayoutOp read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench

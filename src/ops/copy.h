#pragma once

#include "ops/checks.h"

namespace normbench {

/// Copies the input and keeps its dtype and layout.
struct Copy {
  static constexpr std::string_view name = "copy";
  static constexpr std::string_view about = "copy the bytes: the limit of a 1:1 mix";
  static constexpr Roles roles{.copies = true, .takes_ycbcr = true};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const { return output_like(in); }
};

/// Changes the layout. Parameter: to (default nchw).
struct LayoutOp {
  static constexpr std::string_view name = "layout";
  static constexpr std::string_view about = "change the layout";
  static constexpr Roles roles{.copies = true};

  Layout to = Layout::Nchw;

  static LayoutOp read(Reader& reader) { return {.to = reader.word("to", Layout::Nchw)}; }
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const {
    const TensorDesc& x = only_input(in);
    return one_output(x.dtype, to, x.shape, x.memory);
  }
  static std::vector<LayoutOp> samples(const Shape&) {
    return {{.to = Layout::Nchw}, {.to = Layout::Nhwc}};
  }
};

}  // namespace normbench

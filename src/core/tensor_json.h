/// What both ends of the peer protocol share: one JSON object a line, a request and its reply.
#pragma once

#include <cstddef>

#include "core/json.h"
#include "core/reader.h"
#include "core/tensor.h"

namespace normbench {

inline constexpr int peer_protocol = 1;
/// The longest line, its end not counted.
inline constexpr std::size_t peer_line_bytes = 1 << 20;

/// {"dtype", "shape": [n, c, h, w], "layout", "memory"}; strides are not said.
Json tensor_json(const TensorDesc& desc);

/// The tensor back, dense; what is absent is uint8, nchw, pageable and a shape of 0. Mistakes go to
/// the reader's issues.
TensorDesc read_tensor(Reader& reader);

}  // namespace normbench

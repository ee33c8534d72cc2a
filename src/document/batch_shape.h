/// The shape of what the user's own code gives, as a batch of images.
#pragma once

#include <cstdint>
#include <vector>

#include "document/results.h"

namespace normbench {

/// Returns the shape of the array as a batch. An image [c, h, w] or [h, w, c] with at most four
/// channels is a batch of one image.
std::vector<std::int64_t> batch_shape(const GivenResult& given);

}  // namespace normbench

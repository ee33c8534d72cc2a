#include "document/batch_shape.h"

#include <algorithm>

namespace normbench {

std::vector<std::int64_t> batch_shape(const GivenResult& given) {
  constexpr std::int64_t most_channels = 4;  // red, green, blue and alpha
  std::vector<std::int64_t> shape = given.shape;
  if (shape.size() == 3 && std::min(shape[0], shape[2]) <= most_channels)
    shape.insert(shape.begin(), 1);
  return shape;
}

}  // namespace normbench

#include "plan/alike.h"

#include <algorithm>
#include <set>

namespace normbench {
namespace {

/// Adds the differences between two tensors. A shape is [n, c, h, w] in every layout.
void add_differences(const TensorDesc& x, const TensorDesc& y, std::set<Difference>& differences) {
  if (x.dtype != y.dtype) differences.insert(Difference::DType);
  if (x.layout != y.layout) differences.insert(Difference::Layout);
  if (x.shape != y.shape) differences.insert(Difference::Shape);
  if ((x.memory == Memory::Device) != (y.memory == Memory::Device))
    differences.insert(Difference::Place);
}

}  // namespace

std::vector<Difference> differences(std::span<const TensorDesc> a, std::span<const TensorDesc> b) {
  std::set<Difference> found;
  if (a.size() != b.size()) found.insert(Difference::Shape);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) add_differences(a[i], b[i], found);
  return {found.begin(), found.end()};
}

std::optional<Unlike> first_unlike(const std::vector<std::vector<TensorDesc>>& outputs,
                                   const std::vector<Difference>& allowed) {
  const auto is_forbidden = [&](Difference one) {
    return std::ranges::find(allowed, one) == allowed.end();
  };
  int first = -1;
  for (int i = 0; i < std::ssize(outputs); ++i) {
    if (outputs[i].empty()) continue;
    if (first < 0) first = i;
    auto found = differences(outputs[first], outputs[i]);
    if (std::ranges::any_of(found, is_forbidden)) return Unlike{first, i, std::move(found)};
  }
  return std::nullopt;
}

}  // namespace normbench

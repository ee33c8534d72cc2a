#include "measure/references.h"

#include <algorithm>

namespace normbench {
namespace {

/// Returns, for each value of the case, the index of the last stage that reads it. For a value in
/// `wanted`, returns the number of stages instead, so that exact_values() never deletes it.
std::vector<std::size_t> last_readers(const Case& planned, std::span<const int> wanted) {
  std::vector<std::size_t> last(planned.values.size(), 0);
  for (std::size_t s = 0; s < planned.stages.size(); ++s)
    for (const int value : planned.stages[s].in) last[static_cast<std::size_t>(value)] = s;
  for (const int value : wanted) last[static_cast<std::size_t>(value)] = planned.stages.size();
  return last;
}

Tensor64 empty(const TensorDesc& desc, const Case& planned, const ImageRange& images) {
  Tensor64 tensor{.shape = desc.shape, .values = {}};
  tensor.shape.n = images.of(desc, planned).count;
  if (images.rows > 0) tensor.shape.h = images.rows;
  tensor.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
  return tensor;
}

std::vector<Exact> exact_values(const Case& planned, std::vector<Exact> values,
                                std::span<const int> wanted, const ImageRange& images,
                                std::int64_t item) {
  const std::vector<std::size_t> last = last_readers(planned, wanted);
  values.resize(planned.values.size());
  for (std::size_t s = 0; s < planned.stages.size(); ++s) {
    const Stage& stage = planned.stages[s];
    std::vector<Tensor64> in, out;
    std::vector<Accuracy> known;
    for (auto value = stage.in.begin(); value != stage.in.end(); ++value) {
      const auto before = std::find(stage.in.begin(), value, *value);
      if (before != value)
        in.push_back(in[static_cast<std::size_t>(before - stage.in.begin())]);
      else
        in.push_back(std::move(values[*value].values));
      known.push_back(values[*value].accuracy);
    }
    for (const int value : stage.out)
      out.push_back(empty(planned.values[value].desc, planned, images));
    reference(stage.op, in, out, images.first, item);
    std::vector<Known> given;
    for (std::size_t i = 0; i < in.size(); ++i) given.push_back({in[i], known[i]});
    const std::vector<Accuracy> found = accuracies(stage.op, given, out, stage.signature.out);
    for (std::size_t i = in.size(); i-- > 0;) values[stage.in[i]].values = std::move(in[i]);
    for (std::size_t i = 0; i < out.size(); ++i)
      values[stage.out[i]] = {.values = std::move(out[i]), .accuracy = found[i]};
    for (std::size_t i = 0; i < values.size(); ++i)
      if (last[i] == s) values[i] = {};
  }
  std::vector<Exact> chosen;
  for (const int value : wanted) chosen.push_back(std::move(values[value]));
  return chosen;
}

}  // namespace

ImageRange ImageRange::of(const TensorDesc& desc, const Case& planned) const {
  return desc.shape.n == planned.images() ? *this : ImageRange{.first = 0, .count = desc.shape.n};
}

std::vector<Exact> exact_outputs(const Case& planned, std::vector<Exact> inputs,
                                 const ImageRange& images, std::int64_t item) {
  return exact_values(planned, std::move(inputs), planned.outputs, images, item);
}

std::vector<Exact> exact_values(const Case& planned, std::vector<Exact> inputs,
                                std::span<const int> wanted) {
  return exact_values(planned, std::move(inputs), wanted, {.first = 0, .count = planned.images()},
                      0);
}

}  // namespace normbench

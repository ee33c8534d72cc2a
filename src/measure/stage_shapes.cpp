#include "measure/stage_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "measure/graph_runs.h"

namespace normbench {

namespace {

std::string dimensions(const TensorDesc& tensor) {
  const Shape& s = tensor.shape;
  return tensor.layout == Layout::Nchw ? fmt::format("[{}, {}, {}, {}]", s.n, s.c, s.h, s.w)
                                       : fmt::format("[{}, {}, {}, {}]", s.n, s.h, s.w, s.c);
}

std::string input_shapes(const Stage& stage) {
  std::vector<std::string> inputs;
  for (const TensorDesc& tensor : stage.signature.in) inputs.push_back(dimensions(tensor));
  return fmt::format("[{}]", fmt::join(inputs, ", "));
}

}  // namespace

std::map<std::string, std::string, std::less<>> input_shapes(const Case& work) {
  std::map<std::string, std::string, std::less<>> shapes;
  for (const Stage& stage : work.stages) shapes.emplace(stage.label, input_shapes(stage));
  for (const GraphRun& run : graph_runs(work, storage_of(work)))
    shapes.emplace(run.label(), input_shapes(work.stages[run.first()]));
  return shapes;
}

}  // namespace normbench

#include "plan/places.h"

#include <fmt/format.h>

#include "core/units.h"

namespace normbench {
namespace {

template <class T>
bool is(const StageSpec& spec) {
  return std::holds_alternative<T>(spec.op);
}

/// True for ops that are calls of the CUDA runtime, not kernels.
bool calls_cuda(const StageSpec& spec) {
  if (is<EmptyLaunch>(spec) && spec.place == Place::Cpu) return false;  // a team of threads
  return is<H2d>(spec) || is<D2h>(spec) || is<Exchange>(spec) || is<Pin>(spec) ||
         passes_through(spec.op);
}

/// What to do about memory that a place does not reach.
std::string_view advice(Place place) {
  return place == Place::Cpu
             ? "add a d2h stage"
             : "add an h2d stage, or use pinned, registered, mapped or managed memory";
}

/// True if every output element depends only on the input element in the same position.
bool is_elementwise(const Op& op) {
  if (const auto* normalize = std::get_if<Normalize>(&op))
    return normalize->flip == Flip::None && !normalize->crop;
  return std::holds_alternative<Cast>(op) || std::holds_alternative<Sub>(op) ||
         std::holds_alternative<Div>(op);
}

}  // namespace

Place place_of(const StageSpec& spec, std::span<const TensorDesc> in) {
  if (in.empty()) return Place::Cpu;
  if (calls_cuda(spec)) {
    if (spec.place == Place::Cpu)
      throw StageMistake{"place", fmt::format("{} runs at place cuda only", spec.name())};
    return Place::Cuda;
  }
  const Place natural = in[0].memory == Memory::Device ? Place::Cuda : Place::Cpu;
  const Place place = spec.place.value_or(natural);
  for (const TensorDesc& tensor : in)
    if (!reaches(place, tensor.memory))
      throw StageMistake{spec.place ? "place" : "",
                         fmt::format("{} cannot reach {} memory ({})", name_of(place),
                                     name_of(tensor.memory), advice(place))};
  return place;
}

Memory output_memory(const StageSpec& spec, Place place, Memory inferred) {
  const bool is_call = calls_cuda(spec);
  if (!spec.memory) return place == Place::Cuda && !is_call ? Memory::Device : inferred;
  const Memory said = *spec.memory;
  if (passes_through(spec.op))
    throw StageMistake{"memory",
                       fmt::format("{} passes its input through (remove this)", spec.name())};
  if (is<D2h>(spec) && said == Memory::Device)
    throw StageMistake{"memory", "d2h writes host memory (pageable, pinned, …)"};
  if ((is<H2d>(spec) || is<Exchange>(spec)) && said != Memory::Device)
    throw StageMistake{"memory", fmt::format("{} writes device memory only", spec.name())};
  if (is<Pin>(spec) && (!is_page_locked(said) || said == Memory::Registered))
    throw StageMistake{"memory", "pin writes pinned, write_combined or mapped memory"};
  if (!is_call && !reaches(place, said))
    throw StageMistake{"memory",
                       fmt::format("{} cannot write {} memory ({})", name_of(place), name_of(said),
                                   place == Place::Cpu ? "add an h2d stage" : "add a d2h stage")};
  return said;
}

void check_policy(const StageSpec& spec, Memory memory) {
  if (passes_through(spec.op) && spec.output != OutputPolicy::Reuse)
    throw StageMistake{"output",
                       fmt::format("{} passes its input through (remove this)", spec.name())};
  if (spec.output == OutputPolicy::CudaMalloc && memory != Memory::Device)
    throw StageMistake{"output", fmt::format("cuda_malloc allocates device memory, not {} (use "
                                             "fresh)",
                                             name_of(memory))};
}

void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out) {
  if (!is_elementwise(op))
    throw StageMistake{"output", fmt::format("{} cannot run in place", name_of(op))};
  if (in.bytes() != out.bytes())
    throw StageMistake{"output", fmt::format("in place needs an output as large as the input ({} "
                                             "in, {} out)",
                                             format_bytes(static_cast<double>(in.bytes())),
                                             format_bytes(static_cast<double>(out.bytes())))};
  if (in.layout != out.layout) throw StageMistake{"output", "in place cannot change the layout"};
  if (in.memory != out.memory)
    throw StageMistake{"output", fmt::format("in place writes the input's memory, {}, not {}",
                                             name_of(in.memory), name_of(out.memory))};
}

}  // namespace normbench

#include "plan/places.h"

#include <fmt/format.h>

#include "core/units.h"

namespace normbench {
namespace {

template <class T>
bool is(const StageSpec& spec) {
  return std::holds_alternative<T>(spec.op);
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
  if (is<H2d>(spec) || is<D2h>(spec)) {
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

Memory output_memory(const StageSpec& spec, Place place, std::span<const TensorDesc> in) {
  if (is<D2h>(spec)) {
    if (spec.memory == Memory::Device)
      throw StageMistake{"memory", "d2h writes host memory (pageable, pinned, …)"};
    return spec.memory.value_or(Memory::Pageable);
  }
  if (is<H2d>(spec)) {
    if (spec.memory.value_or(Memory::Device) != Memory::Device)
      throw StageMistake{"memory", "h2d writes device memory only"};
    return Memory::Device;
  }
  if (!spec.memory) {
    if (place == Place::Cuda) return Memory::Device;
    return in.empty() ? Memory::Pageable : in[0].memory;
  }
  if (!reaches(place, *spec.memory))
    throw StageMistake{
        "memory",
        fmt::format("{} cannot write {} memory ({})", name_of(place), name_of(*spec.memory),
                    place == Place::Cpu ? "add an h2d stage" : "add a d2h stage")};
  return *spec.memory;
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

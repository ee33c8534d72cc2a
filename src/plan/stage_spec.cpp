#include "plan/stage_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "plan/label.h"

namespace normbench {
namespace {

/// The members that every stage may have beside its op's own parameters.
constexpr auto common_members = std::to_array<std::string_view>(
    {"label", "as", "in", "output", "memory", "place", "kernel", "lane"});

Json own_members(const Json& members) {
  Json own;
  for (const auto& [member, value] : members.items())
    if (std::ranges::find(common_members, member) == common_members.end()) own[member] = value;
  return own;
}

bool is_start(const Op& op) {
  return std::holds_alternative<Source>(op) || std::holds_alternative<Load>(op);
}

/// True for mistakes in the extents of the stage that starts a variant: its kind is still known.
bool is_extent(const Issue& issue, const std::string& start) {
  const std::string& at = issue.pointer;
  return at == start || at.ends_with("/batch") || at.ends_with("/size") ||
         at.ends_with("/size/0") || at.ends_with("/size/1");
}

void read_common(Reader& reader, StageSpec& spec) {
  spec.as = reader.texts("as", {});
  if (std::holds_alternative<Source>(spec.op)) return;
  if (!std::holds_alternative<Load>(spec.op)) spec.in = reader.texts("in", {});
  spec.output = reader.word("output", OutputPolicy::Reuse);
  if (reader.has("memory")) spec.memory = reader.word("memory", Memory::Pageable);
  if (reader.has("place")) spec.place = reader.word("place", Place::Cpu);
  spec.kernel = reader.text("kernel", "");
  spec.lane = read_label(reader, "lane", "");
  spec.label = read_label(reader, "label", own_label(spec.op, spec.kernel));
  if (spec.kernel.empty() && spec.label.starts_with(spec.name() + " ("))
    reader.complain_at("label", "reads like a kernel that is forced (choose another name)");
}

/// Finds the files of a source or a load once. Throws Invalid.
void resolve(Op& op, const std::string& written, const Paths& paths, ResolvedOps& resolved) {
  if (const auto known = resolved.find(written); known != resolved.end()) {
    op = known->second;
    return;
  }
  if (auto* source = std::get_if<Source>(&op)) source->resolve(paths);
  if (auto* load = std::get_if<Load>(&op)) load->resolve(paths);
  resolved.emplace(written, op);
}

template <class T>
bool is(const StageSpec& spec) {
  return std::holds_alternative<T>(spec.op);
}

/// True for ops that are calls of the CUDA runtime and not kernels.
bool calls_cuda(const StageSpec& spec) {
  if (is<EmptyLaunch>(spec) && spec.place == Place::Cpu) return false;  // a team of threads
  return is<H2d>(spec) || is<D2h>(spec) || is<Exchange>(spec) || is<Pin>(spec) ||
         !needs_input(spec.op);
}

/// Advice for memory that a place does not reach.
std::string_view advice(Place place) {
  return place == Place::Cpu
             ? "add a d2h stage"
             : "add an h2d stage, or use pinned, registered, mapped or managed memory";
}

/// True if every output element depends only on the input element in the same position.
bool is_elementwise(const Op& op) {
  if (const auto* normalize = std::get_if<Normalize>(&op))
    return normalize->flip == Flip::None && normalize->crop.empty();
  return std::holds_alternative<Cast>(op) || std::holds_alternative<Sub>(op) ||
         std::holds_alternative<Div>(op) || std::holds_alternative<Denormalize>(op);
}

}  // namespace

StageSpec read_stage_members(const std::string& op, Reader& reader) {
  StageSpec spec;
  spec.op = read_op(op, reader).value();
  read_common(reader, spec);
  reader.finish();
  return spec;
}

std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues) {
  if (text.op.empty()) return std::nullopt;
  const Composed& members = text.members;
  const std::size_t before = issues.size();
  Reader reader(members.fields, members.pointer, issues);
  StageSpec spec = read_stage_members(text.op, reader);
  spec.parameters = own_members(members.fields);
  spec.ranges = text.ranges;
  const bool starts = is_start(spec.op);
  if (issues.size() == before) {
    try {
      if (starts) resolve(spec.op, text.op + members.fields.dump(), paths, resolved);
      return spec;
    } catch (const Invalid& mistake) {
      issues.push_back({members.where("path"), mistake.what()});
      return std::nullopt;
    }
  }
  const std::span<Issue> found = std::span(issues).subspan(before);
  members.relocate(found);
  const auto harmless = [&](const Issue& issue) { return is_extent(issue, members.pointer); };
  // Ops on several tensors compare shapes: after a wrong one they would look wrong, too.
  const bool with_shape = members.fields.contains("shape");
  if (starts && !with_shape && std::ranges::all_of(found, harmless)) return spec;
  return std::nullopt;
}

Place place_of(const StageSpec& spec, std::span<const TensorDesc> in) {
  if (in.empty()) return Place::Cpu;
  if (calls_cuda(spec)) {
    if (spec.place == Place::Cpu)
      throw StageMistake{"place", fmt::format("{} runs at place cuda only", spec.name())};
    return Place::Cuda;
  }
  if (is<Save>(spec) && spec.place == Place::Cuda)
    throw StageMistake{"place", "save runs at place cpu only (remove this)"};
  const Place natural = in[0].memory == Memory::Device ? Place::Cuda : Place::Cpu;
  const Place place = spec.place.value_or(natural);
  for (const TensorDesc& tensor : in)
    if (!reaches(place, tensor.memory))
      throw StageMistake{spec.place ? "place" : "",
                         fmt::format("{} cannot reach {} memory ({})", name_of(place),
                                     name_of(tensor.memory), advice(place))};
  if (const auto* compute = std::get_if<Compute>(&spec.op);
      compute != nullptr && compute->fill && place == Place::Cpu)
    throw StageMistake{"fill", "is of a GPU's multiprocessors; this runs on the CPU (remove this)"};
  return place;
}

Memory output_memory(const StageSpec& spec, Place place, Memory inferred) {
  const bool is_call = calls_cuda(spec);
  const bool is_kernel = place == Place::Cuda && !is_call && !passes_through(spec.op);
  if (!spec.memory) return is_kernel ? Memory::Device : inferred;
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

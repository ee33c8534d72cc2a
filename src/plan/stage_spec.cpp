#include "plan/stage_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "plan/label.h"

namespace normbench {
namespace {

/// The members that a stage with any op may have. In addition, a stage has the members of its op.
constexpr auto common_members = std::to_array<std::string_view>(
    {"label", "as", "in", "output", "memory", "place", "kernel", "lane"});

Json own_members(const Json& members) {
  Json own;
  for (const auto& [member, value] : members.items())
    if (std::ranges::find(common_members, member) == common_members.end()) own[member] = value;
  return own;
}

/// Returns true for a mistake in the number or size of the images of a source or load. After such a
/// mistake the dtype and layout are still known.
bool is_extent(const Issue& issue, const std::string& start) {
  const std::string& at = issue.pointer;
  return at == start || at.ends_with("/batch") || at.ends_with("/size") ||
         at.ends_with("/size/0") || at.ends_with("/size/1");
}

void read_common(Reader& reader, StageSpec& spec) {
  spec.as = reader.texts("as", {});
  const Roles& roles = roles_of(spec.op);
  if (roles.given) return;
  if (!roles.starts) spec.in = reader.texts("in", {});
  spec.output = reader.word("output", OutputPolicy::Reuse);
  if (reader.has("memory")) spec.memory = reader.word("memory", Memory::Pageable);
  if (reader.has("place")) spec.place = reader.word("place", Place::Cpu);
  spec.kernel = reader.text("kernel", "");
  if (reader.has("kernel") && spec.kernel.empty())
    reader.complain_at("kernel", "is empty (leave it out, and the fastest kernel is taken)");
  spec.lane = read_label(reader, "lane", "");
  spec.label = read_label(reader, "label", own_label(spec.op, spec.kernel));
  if (spec.kernel.empty() && spec.label.starts_with(spec.name() + " ("))
    reader.complain_at("label", "reads like a kernel that is forced (choose another name)");
}

/// Finds the files of an op. If an op with the same text (`written`) was resolved before, copies
/// that op instead. Throws Invalid if the files are missing or do not fit the op.
void resolve_once(Op& op, const std::string& written, const Paths& paths, ResolvedOps& resolved) {
  if (const auto known = resolved.find(written); known != resolved.end()) {
    op = known->second;
    return;
  }
  resolve(op, paths);
  resolved.emplace(written, op);
}

/// Returns true for stages that run as calls of the CUDA runtime and not as kernels.
bool calls_cuda(const StageSpec& spec) {
  const Runs runs = roles_of(spec.op).runs;
  return runs == Runs::Call || (runs == Runs::Launch && spec.place != Place::Cpu);
}

/// Throws StageMistake if a transfer or `pin` cannot write memory of kind `said`.
void check_memory(const StageSpec& spec, Memory said) {
  const Roles& roles = roles_of(spec.op);
  const auto refuse = [&](std::string_view what) {
    throw StageMistake{"memory", fmt::format("{} writes {}", spec.name(), what)};
  };
  if (roles.link == LinkUse::Down && said == Memory::Device)
    refuse("host memory (pageable, pinned, …)");
  if ((roles.link == LinkUse::Up || roles.link == LinkUse::BothWays) && said != Memory::Device)
    refuse("device memory only");
  if (roles.locks == PageLocking::Copies && (!is_page_locked(said) || said == Memory::Registered))
    refuse("pinned, write_combined or mapped memory");
}

/// Returns the advice for the error message about an input in memory that this place cannot reach.
std::string_view advice(Place place) {
  return place == Place::Cpu
             ? "add a d2h stage"
             : "add an h2d stage, or use pinned, registered, mapped or managed memory";
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
  const bool starts = roles_of(spec.op).starts;
  if (issues.size() == before) {
    try {
      if (starts) resolve_once(spec.op, text.op + members.fields.dump(), paths, resolved);
      return spec;
    } catch (const Invalid& mistake) {
      issues.push_back({members.where("path"), mistake.what()});
      return std::nullopt;
    }
  }
  const std::span<Issue> found = std::span(issues).subspan(before);
  members.relocate(found);
  const auto harmless = [&](const Issue& issue) { return is_extent(issue, members.pointer); };
  // After a mistake, a stage with a member "shape" is not returned. If it were, later stages with
  // several inputs would report wrong shapes, which only follow from this mistake.
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
  if (roles_of(spec.op).runs == Runs::HostKernel && spec.place == Place::Cuda)
    throw StageMistake{"place",
                       fmt::format("{} runs at place cpu only (remove this)", spec.name())};
  const Place natural = in[0].memory == Memory::Device ? Place::Cuda : Place::Cpu;
  const Place place = spec.place.value_or(natural);
  for (const TensorDesc& tensor : in)
    if (!reaches(place, tensor.memory))
      throw StageMistake{spec.place ? "place" : "",
                         fmt::format("{} cannot reach {} memory ({})", name_of(place),
                                     name_of(tensor.memory), advice(place))};
  if (const auto parameter = misplaced(spec.op, place))
    throw StageMistake{std::string(parameter->member), std::string(parameter->text)};
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
  check_memory(spec, said);
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

#include "plan/stage_spec.h"

#include <algorithm>
#include <array>
#include <span>

namespace normbench {
namespace {

/// What every stage may say beside its op's own parameters.
constexpr auto common_members =
    std::to_array<std::string_view>({"as", "in", "output", "memory", "place", "kernel"});

Json own_members(const Json& members) {
  Json own;
  for (const auto& [member, value] : members.items())
    if (std::ranges::find(common_members, member) == common_members.end()) own[member] = value;
  return own;
}

bool is_start(const Op& op) {
  return std::holds_alternative<Source>(op) || std::holds_alternative<Load>(op);
}

/// True for mistakes that leave known what kind of data a start gives: its extents, one by one or
/// (at the start itself) all together.
bool is_extent(const Issue& issue, const std::string& start) {
  return issue.pointer == start || issue.pointer.ends_with("/batch") ||
         issue.pointer.ends_with("/size");
}

void read_common(Reader& reader, StageSpec& spec) {
  spec.as = reader.texts("as", {});
  if (std::holds_alternative<Source>(spec.op)) return;
  if (!std::holds_alternative<Load>(spec.op)) spec.in = reader.texts("in", {});
  spec.output = reader.word("output", OutputPolicy::Reuse);
  if (reader.has("memory")) spec.memory = reader.word("memory", Memory::Pageable);
  if (reader.has("place")) spec.place = reader.word("place", Place::Cpu);
  spec.kernel = reader.text("kernel", "");
}

/// Finds the files of a start once. Throws Invalid.
void resolve(Op& op, const std::string& written, const Paths& paths, ResolvedOps& resolved) {
  if (const auto known = resolved.find(written); known != resolved.end()) {
    op = known->second;
    return;
  }
  if (auto* source = std::get_if<Source>(&op)) source->resolve(paths);
  if (auto* load = std::get_if<Load>(&op)) load->resolve(paths);
  resolved.emplace(written, op);
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
  if (starts && std::ranges::all_of(found, harmless)) return spec;
  return std::nullopt;
}

}  // namespace normbench

#include "plan/wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/units.h"
#include "plan/buffers.h"
#include "plan/composed.h"

namespace normbench {
namespace {

// With this limit, 64-bit sums of bytes over all tensors of a case cannot overflow.
constexpr std::int64_t max_tensor_bytes = std::int64_t{1} << 50;

void check_bytes(const TensorDesc& desc) {
  if (desc.bytes() > max_tensor_bytes)
    throw Invalid(fmt::format("{} is {}, more than a machine holds", describe(desc),
                              format_bytes(desc.bytes())));
}

void check_scratch(const Kernel& kernel, const Op& op, const Signature& signature) {
  const std::size_t bytes = kernel.scratch(op, signature);
  if (bytes > static_cast<std::size_t>(max_tensor_bytes))
    throw Invalid(fmt::format("{} of temporary memory for {}, more than a machine holds",
                              format_bytes(bytes), describe(signature.out[0])));
}

std::string list(const std::vector<TensorDesc>& tensors) {
  std::vector<std::string> texts;
  for (const TensorDesc& tensor : tensors) texts.push_back(describe(tensor));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string signature_text(const Signature& signature) {
  return list(signature.in) + " -> " + list(signature.out);
}

/// Returns the text that completes the message 'kernel "NAME" does not ...'. For most stages it is
/// "take INPUTS -> OUTPUTS". For a `load` stage it is "go with" and the stage's storage and fit or,
/// if its pixel format is not RGB, this format.
std::string refused_text(const Stage& stage) {
  const Load* const load = load_of(stage.op);
  if (load == nullptr) return "take " + signature_text(stage.signature);
  if (load->format != PixelFormat::Rgb)
    return fmt::format("go with \"pixel_format\": \"{}\"", name_of(load->format));
  return fmt::format("go with \"storage\": \"{}\" and \"fit\": \"{}\"", name_of(load->storage),
                     name_of(load->fit));
}

std::optional<std::string> missing_place(const Backends& backends, Place place) {
  const Backend* backend = backends.at(place);
  return backend == nullptr ? fmt::format("no {} backend in this build", name_of(place))
                            : backend->unavailable();
}

Skip without(Place place) { return place == Place::Cuda ? Skip::NoGpu : Skip::Other; }

std::vector<const Kernel*> rows_of(const Backend& backend, const Stage& stage) {
  std::vector<const Kernel*> rows;
  for (const Kernel& kernel : backend.kernels())
    if (kernel.op == name_of(stage.op) && kernel.place == stage.place) rows.push_back(&kernel);
  return rows;
}

/// Returns the kernel row (an implementation of the op) that the config names for the stage. Throws
/// StageMistake if there is no such row, or if the row does not accept the stage.
const Kernel* forced_row(const std::vector<const Kernel*>& rows, const Stage& stage) {
  const auto row = std::ranges::find(rows, stage.forced, &Kernel::name);
  if (row == rows.end()) {
    std::vector<std::string> known;
    for (const Kernel* kernel : rows) known.emplace_back(kernel->name);
    throw StageMistake{"kernel", unknown("kernel", stage.forced, known)};
  }
  if (!(*row)->accepts(stage.op, stage.signature))
    throw StageMistake{"kernel",
                       fmt::format("kernel \"{}\" does not {}", stage.forced, refused_text(stage))};
  return *row;
}

/// Returns the first of `rows` (implementations of the op) that accepts the stage. If there are
/// several rows, skips rows[0], the reference, which is never chosen by default. Throws
/// StageMistake if no row accepts the stage.
const Kernel* default_row(const std::vector<const Kernel*>& rows, const Stage& stage) {
  const auto row = std::find_if(
      rows.begin() + (rows.size() > 1 ? 1 : 0), rows.end(),
      [&](const Kernel* kernel) { return kernel->accepts(stage.op, stage.signature); });
  if (row != rows.end()) return *row;
  std::vector<std::string_view> names;
  for (const Kernel* kernel : rows) names.push_back(kernel->name);
  throw StageMistake{
      "kernel",
      fmt::format("no {} kernel of \"{}\" takes {} (there are: {})", name_of(stage.place),
                  name_of(stage.op), signature_text(stage.signature), fmt::join(names, ", "))};
}

}  // namespace

void Wiring::add(const StageSpec& spec) {
  const Roles& roles = roles_of(spec.op);
  const bool first = case_.values.empty();
  // All sources come before the other stages. A later source is reported as a mistake below.
  if (roles.given && case_.stages.empty()) return add_source(spec);
  if (!for_peer_ && roles.peer_only)
    throw StageMistake{
        "", fmt::format("\"{}\" runs in a peer only (name a peer: {{\"peer\": \"torch\", "
                        "\"stages\": […]}})",
                        spec.name())};
  if (roles.given || (roles.starts && !first))
    throw StageMistake{"", fmt::format("\"{}\" must be the first stage", spec.name())};
  Stage stage;
  stage.op = spec.op;
  stage.label = spec.label;
  stage.ranges = spec.ranges;
  stage.forced = spec.kernel;
  stage.lane = spec.lane;
  stage.output = spec.output;
  stage.parameters = spec.parameters;
  if (const Load* const load = load_of(spec.op)) {
    if (load->files.empty()) skip(Skip::Other, load->why_no_files());
    if (!load->dataset.empty()) stage.parameters["dataset"] = load->dataset_name();
  }
  if (!roles.starts) stage.in = inputs(spec);
  for (const int input : stage.in) stage.signature.in.push_back(case_.values[input].desc);
  stage.place = place_of(spec, stage.signature.in);
  add_outputs(spec, stage);
  stage.fewest = stage.cost = fewest(stage.op, stage.signature);
  skip(without(stage.place), missing_place(backends_, stage.place));
  if (!for_peer_) choose_kernel(stage);
  if (stage.place == Place::Cuda && stage.fewest.link_bytes == 0) count_link(stage);
  case_.stages.push_back(std::move(stage));
}

void Wiring::choose_kernel(Stage& stage) {
  const Backend* backend = backends_.at(stage.place);
  if (backend == nullptr) return;
  const std::vector<const Kernel*> rows = rows_of(*backend, stage);
  if (rows.empty())
    return skip(Skip::NoKernel, fmt::format("no {} kernel of \"{}\" in this version",
                                            name_of(stage.place), name_of(stage.op)));
  stage.kernel = stage.forced.empty() ? default_row(rows, stage) : forced_row(rows, stage);
  check_scratch(*stage.kernel, stage.op, stage.signature);
  stage.cost = stage.kernel->cost(stage.op, stage.signature);
}

void Wiring::count_link(Stage& stage) const {
  // A stage that locks or unlocks pages, or copies into page-locked memory, is the host's work, so
  // nothing crosses the link.
  if (roles_of(stage.op).locks != PageLocking::None) return;
  const auto cross = [&](std::int64_t& bytes, const TensorDesc& tensor) {
    const std::int64_t crossing = std::min(bytes, tensor.bytes());
    stage.cost.link_bytes += crossing;
    bytes -= crossing;
  };
  for (const int input : stage.in)
    if (is_beyond_link(input)) cross(stage.cost.read_bytes, case_.values[input].desc);
  for (const TensorDesc& out : stage.signature.out)
    if (host_reaches(out.memory) && out.memory != Memory::Managed)
      cross(stage.cost.written_bytes, out);
}

bool Wiring::is_beyond_link(int value) const {
  const Value& input = case_.values[value];
  if (input.desc.memory != Memory::Managed) return host_reaches(input.desc.memory);
  const int writer = writer_of(case_, value);
  return writer >= 0 && case_.stages[writer].place == Place::Cpu;
}

void Wiring::skip(Skip kind, const std::optional<std::string>& reason) {
  if (case_.skip || !reason) return;
  case_.skip = reason;
  case_.skip_kind = kind;
}

void Wiring::add_source(const StageSpec& spec) {
  const auto& source = std::get<Source>(spec.op);
  if (!case_.inputs.empty() && spec.as.empty())
    throw StageMistake{"as", "no \"as\" (a name for each of several sources)"};
  if (!case_.inputs.empty() && source.memory != case_.values.front().desc.memory)
    throw StageMistake{
        "memory", fmt::format("{} memory beside sources in {} (use one kind)",
                              name_of(source.memory), name_of(case_.values.front().desc.memory))};
  if (spec.as.size() > 1)
    throw StageMistake{"as", fmt::format("names {} outputs, source has 1", spec.as.size())};
  add_input({.source = source});
  const int value = static_cast<int>(case_.values.size()) - 1;
  if (value == 0) names_["source"] = 0;
  for (const std::string& name : spec.as) name_value(name, value);
}

void Wiring::add_input(Input input) {
  const TensorDesc desc = input.source.desc();
  check_bytes(desc);
  case_.inputs.push_back(std::move(input));
  case_.values.push_back({.desc = desc});
  skip_without(desc.memory);
}

void Wiring::add_inputs_of(Wiring setup) {
  const auto made = std::make_shared<const Case>(setup.take());
  for (const auto& [name, value] : setup.names_) {
    if (made->values[value].producer < 0) continue;
    const TensorDesc& desc = made->values[value].desc;
    add_input({.source = {.dtype = desc.dtype,
                          .layout = desc.layout,
                          .memory = case_.values.front().desc.memory,
                          .shape = desc.shape},
               .setup = made,
               .value = value});
    name_value(name, static_cast<int>(case_.values.size()) - 1);
  }
  if (case_.inputs.back().setup == nullptr)
    throw StageMistake{"as", "no \"as\": a setup is there for the values that it names"};
}

void Wiring::set_outputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = names_.find(name);
    if (found == names_.end())
      throw Invalid(fmt::format("gives no \"{}\", one of the experiment's outputs (known: {})",
                                name, listed(known_names())));
    const int value = found->second;
    if (case_.values[value].producer < 0)
      throw Invalid(fmt::format("the output \"{}\" is an input: no stage gives it", name));
    if (std::ranges::find(case_.outputs, value) != case_.outputs.end())
      throw Invalid(fmt::format("the output \"{}\" is there twice (keep one)", name));
    case_.outputs.push_back(value);
  }
}

Case Wiring::take() {
  if (case_.outputs.empty() && !case_.values.empty())
    case_.outputs = {case_.stages.empty() ? 0 : case_.stages.back().out[0]};
  return std::move(case_);
}

std::vector<int> Wiring::inputs(const StageSpec& spec) const {
  std::vector<int> values;
  for (const std::string& name : spec.in) values.push_back(input_named(name));
  const bool undoes = roles_of(spec.op).locks == PageLocking::Unlocks;
  if (values.empty()) {
    if (case_.stages.empty() && case_.inputs.size() > 1)
      throw StageMistake{
          "in", fmt::format("no \"in\", and there are several inputs ({})", listed(known_names()))};
    values.push_back(case_.stages.empty() ? 0 : case_.stages.back().out[0]);
    if (undoes) values.push_back(registered_value(case_));
  }
  check_registration(spec, values);
  // The second input of `unregister` is the registered value. `unregister` does not read it, so it
  // is not checked: a stage may have overwritten it in place.
  for (std::size_t i = 0; i < (undoes ? 1 : values.size()); ++i) check_input(values[i]);
  return values;
}

void Wiring::check_input(int input) const {
  if (const Stage* writer = overwriter_of(case_, input))
    throw StageMistake{
        "in", fmt::format("that value was overwritten in place by {0} (use the output of {0})",
                          writer->label)};
  if (is_unregistered(case_, input))
    throw StageMistake{"in", "that value is no longer registered (use the output of unregister)"};
}

void Wiring::check_registration(const StageSpec& spec, const std::vector<int>& in) const {
  const PageLocking locks = roles_of(spec.op).locks;
  const int registered = registered_value(case_);
  // Only one value may be registered at a time: two values may share a page, and CUDA cannot
  // register a page twice.
  if (locks == PageLocking::Locks && registered >= 0)
    throw StageMistake{"", "a value is registered already (put an unregister stage before this)"};
  if (locks != PageLocking::Unlocks) return;
  if (registered < 0)
    throw StageMistake{"", "nothing is registered (put a register stage before it)"};
  if (in.size() == 2 && buffer_of(case_, in[1]) != buffer_of(case_, registered))
    throw StageMistake{"in", "the second input is not what register gave"};
}

int Wiring::input_named(const std::string& name) const {
  if (const auto found = names_.find(name); found != names_.end()) return found->second;
  throw StageMistake{"in", unknown("value", name, known_names())};
}

std::vector<std::string> Wiring::known_names() const {
  std::vector<std::string> known;
  for (const auto& [name, value] : names_) known.push_back(name);
  return known;
}

Memory Wiring::inferred_memory(const Stage& stage, Memory inferred) const {
  if (roles_of(stage.op).locks != PageLocking::Unlocks) return inferred;
  const int buffer = buffer_of(case_, stage.in[0]);
  const bool was_registered = buffer == buffer_of(case_, stage.in[1]);
  return was_registered ? case_.values[buffer].desc.memory : stage.signature.in[0].memory;
}

void Wiring::add_outputs(const StageSpec& spec, Stage& stage) {
  stage.signature.out = infer(stage.op, stage.signature.in);
  std::vector<TensorDesc>& out = stage.signature.out;
  if (!spec.as.empty() && spec.as.size() != out.size())
    throw StageMistake{
        "as", fmt::format("names {} outputs, {} has {}", spec.as.size(), spec.name(), out.size())};
  const Memory memory = output_memory(spec, stage.place, inferred_memory(stage, out[0].memory));
  check_policy(spec, memory);
  skip_without(memory);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].memory = memory;
    check_bytes(out[i]);
    const int index = static_cast<int>(case_.values.size());
    stage.out.push_back(index);
    case_.values.push_back({.desc = out[i], .producer = static_cast<int>(case_.stages.size())});
    if (!spec.as.empty()) name_value(spec.as[i], index);
  }
  if (passes_through(spec.op) || spec.output == OutputPolicy::InPlace) share_buffer(spec, stage);
  stage.signature.pages_mapped = stage.place != Place::Cpu || spec.output != OutputPolicy::Fresh ||
                                 static_cast<std::size_t>(out[0].bytes()) < fresh_mmap_bytes;
}

void Wiring::share_buffer(const StageSpec& spec, const Stage& stage) {
  if (stage.in.empty())
    throw StageMistake{"output", fmt::format("{} cannot run in place", spec.name())};
  const int input = stage.in[0];
  Value& output = case_.values[stage.out[0]];
  if (!passes_through(spec.op)) {
    if (case_.values[buffer_of(case_, input)].producer < 0)
      throw StageMistake{"output", "cannot write over the source (other variants read it)"};
    check_in_place(spec.op, case_.values[input].desc, output.desc);
  }
  output.in_place_of = input;
}

void Wiring::name_value(const std::string& name, int value) {
  if (!names_.emplace(name, value).second)
    throw StageMistake{"as", fmt::format("the name \"{}\" is taken (choose another)", name)};
  case_.values[value].name = name;
}

void Wiring::skip_without(Memory memory) {
  const Place place = row_of(memory).owner;
  const Backend* owner = backends_.at(place);
  if (owner == nullptr)
    skip(without(place), fmt::format("no backend for {} memory in this build", name_of(memory)));
  else
    skip(without(place), owner->unavailable());
}

}  // namespace normbench

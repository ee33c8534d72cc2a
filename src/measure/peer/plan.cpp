#include "measure/peer/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "core/reader.h"
#include "plan/buffers.h"

namespace normbench {
namespace {

constexpr std::int64_t most_copies = 1'000'000;

/// Reads a device, like "cpu" or "cuda:0". Returns the number of the GPU; 0 for "cpu".
int read_device(Reader& reader) {
  const std::string said = reader.text("device", "cpu");
  if (said == "cpu") return 0;
  constexpr std::string_view cuda = "cuda:";
  int number = -1;
  const char* const end = said.data() + said.size();
  if (said.starts_with(cuda)) {
    const auto [stop, error] = std::from_chars(said.data() + cuda.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  reader.complain_at("device", "expected \"cpu\" or \"cuda:0\"");
  return 0;
}

/// Returns the member `key`, which must be a list. Returns an empty list if the member is missing.
const Json& read_list(Reader& reader, std::string_view key) {
  static const Json none = Json::array();
  const Json& list = reader.member(key);
  if (list.is_null()) return none;
  if (list.is_array()) return list;
  reader.complain_at(key, "expected a list");
  return none;
}

std::string element(const std::string& pointer, std::size_t index) {
  return fmt::format("{}/{}", pointer, index);
}

std::vector<TensorDesc> read_tensors(Reader& reader, std::string_view key) {
  std::vector<TensorDesc> tensors;
  for (const Json& tensor : read_list(reader, key)) {
    Reader one(tensor, element(reader.pointer_to(key), tensors.size()), reader.issues());
    tensors.push_back(read_tensor(one));
  }
  return tensors;
}

PeerStage read_stage(Reader reader) {
  PeerStage stage;
  stage.op = reader.member("op");
  if (reader.has("parameters") && !reader.member("parameters").is_null()) {
    reader.object("parameters");  // adds an issue if it is no object
    stage.parameters = reader.member("parameters");
  }
  stage.place = reader.member("place");
  stage.kernel = reader.member("kernel");
  stage.output = reader.member("output");
  stage.in = read_tensors(reader, "in");
  stage.out = read_tensors(reader, "out");
  return stage;
}

void read_input(const Json& inputs, Reader& reader, PeerPrepare& said) {
  if (inputs.size() != 1)
    throw Unsupported(fmt::format("normbench takes 1 input as a peer, not {}", inputs.size()));
  Reader input(inputs[0], "/inputs/0", reader.issues());
  if (!input.has("path")) input.complain("no \"path\" (of a .npy file)");
  said.path = input.text("path", "");
  said.input = read_tensor(input);
  if (!said.stages.empty() && !said.stages[0].in.empty())
    said.input.memory = said.stages[0].in[0].memory;
}

constexpr std::string_view variant_pointer = "/experiments/0/variants/peer";
constexpr std::string_view source_pointer = "/experiments/0/source";

/// Returns true if this stage may have the member `memory` in a config. That member names the
/// memory of the output.
bool may_name_memory(const PeerStage& stage) {
  if (stage.out.empty()) return false;
  std::vector<Issue> ignored;  // the planner reports these issues
  Reader reader(stage.parameters, "", ignored);
  const auto op = read_op(stage.name(), reader);
  return op && !passes_through(*op);
}

Json stage_json(const PeerStage& stage) {
  Json json = stage.parameters;
  json["op"] = stage.op;
  if (may_name_memory(stage)) json["memory"] = name_of(stage.out[0].memory);
  if (!stage.place.is_null()) json["place"] = stage.place;
  if (!stage.kernel.is_null()) json["kernel"] = stage.kernel;
  if (!stage.output.is_null()) json["output"] = stage.output;
  return json;
}

Json source_json(const PeerPrepare& said) {
  const auto [n, c, h, w] = said.input.shape.extents();
  return {{"dtype", name_of(said.input.dtype)},
          {"layout", name_of(said.input.layout)},
          {"memory", name_of(said.input.memory)},
          {"batch", n},
          {"channels", c},
          {"size", {h, w}},
          {"pixel_format", name_of(said.input.shape.format)},
          {"path", said.path}};
}

Json config_of(const PeerPrepare& said) {
  Json stages = Json::array();
  for (const PeerStage& stage : said.stages) stages.push_back(stage_json(stage));
  const Json variant = {{"threads", said.threads}, {"stages", stages}};
  const Json experiment = {
      {"name", "peer"}, {"source", source_json(said)}, {"variants", {{"peer", variant}}}};
  return {{"schema", 1},
          {"name", "peer"},
          {"measure", {{"cache", name_of(said.copies > 1 ? Cache::Cold : Cache::Hot)}}},
          {"experiments", Json::array({experiment})}};
}

/// Translates a member of a stage in a config to the member of a stage in a message: "op" to "op",
/// "memory" to "out", "size" to "parameters/size".
std::string stage_member(std::string_view member) {
  constexpr auto told = std::to_array<std::string_view>({"op", "place", "kernel", "output"});
  if (std::ranges::find(told, member) != told.end()) return std::string(member);
  return member == "memory" ? "out" : fmt::format("parameters/{}", member);
}

/// Translates a JSON pointer into the config to a pointer into the message, like
/// "/experiments/0/variants/peer/stages/0/to" to "/stages/0/parameters/to".
std::string in_message(std::string_view pointer) {
  if (pointer.starts_with(source_pointer)) {
    pointer.remove_prefix(source_pointer.size());
    const bool extent = pointer == "/batch" || pointer == "/channels" || pointer == "/size";
    return fmt::format("/inputs/0{}", extent ? "/shape" : pointer);
  }
  if (!pointer.starts_with(variant_pointer)) return std::string(pointer);
  pointer.remove_prefix(variant_pointer.size());
  constexpr std::string_view stages = "/stages/";
  const auto member = pointer.find('/', std::min(stages.size(), pointer.size()));
  if (!pointer.starts_with(stages) || member == std::string_view::npos) return std::string(pointer);
  return fmt::format("{}/{}", pointer.substr(0, member), stage_member(pointer.substr(member + 1)));
}

Plan make(const Json& config, const Backends& backends, const PlanOptions& options) {
  try {
    return make_plan("prepare", config.dump(), backends, options);
  } catch (const BadInput& bad) {
    std::vector<Issue> issues;
    for (const Issue& issue : bad.issues) issues.push_back({in_message(issue.pointer), issue.text});
    throw_if_any(issues);
    throw;
  }
}

std::string list(const std::vector<TensorDesc>& tensors) {
  std::vector<std::string> texts;
  for (const TensorDesc& tensor : tensors) texts.push_back(describe(tensor));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Throws Unsupported for an op that only peers run.
void require_kernels(const PeerPrepare& said) {
  for (const PeerStage& stage : said.stages) {
    std::vector<Issue> ignored;  // the planner reports these issues
    Reader reader(stage.parameters, "", ignored);
    if (const auto op = read_op(stage.name(), reader); op && is_peer_only(*op))
      throw Unsupported(fmt::format("normbench has no kernel of \"{}\"", stage.name()));
  }
}

void compare(const PeerStage& said, std::size_t index, const Stage& planned) {
  const auto differ = [&](std::string_view verb, const auto& here, const auto& there) {
    if (!there.empty() && here != there)
      throw Unsupported(fmt::format("stage {}, {}, {} {} here, not {}", index, said.name(), verb,
                                    list(here), list(there)));
  };
  differ("takes", planned.signature.in, said.in);
  differ("gives", planned.signature.out, said.out);
}

}  // namespace

std::string PeerStage::name() const { return op.is_string() ? op.get<std::string>() : op.dump(); }

PeerPrepare read_prepare(const Json& message) {
  std::vector<Issue> issues;
  Reader reader(message, "", issues);
  PeerPrepare said;
  if (reader.has("threads")) said.threads = reader.member("threads");
  said.device = read_device(reader);
  said.copies = reader.integer("copies", said.copies, 1, most_copies);
  said.unlike = reader.boolean("unlike", said.unlike);
  const Json& stages = read_list(reader, "stages");
  for (std::size_t i = 0; i < stages.size(); ++i)
    said.stages.push_back(read_stage(Reader(stages[i], element("/stages", i), issues)));
  if (reader.has("outputs"))
    throw Unsupported("as a peer, normbench runs only plain chains of stages");
  const Json& inputs = read_list(reader, "inputs");
  throw_if_any(issues);
  read_input(inputs, reader, said);
  throw_if_any(issues);
  return said;
}

void throw_if_any(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", issue.pointer,
                        issue.pointer.empty() ? "" : ": ", issue.text);
  if (!text.empty()) throw Invalid(text);
}

std::int64_t cache_bytes_of(const PeerPrepare& said) {
  constexpr double most = 0x1p50;
  const auto line =
      whole_lines(static_cast<std::size_t>(said.input.bytes()), alignment_of(said.input.memory));
  const double beyond = static_cast<double>(said.copies - 1) * static_cast<double>(line);
  return beyond > most ? std::int64_t{1} << 50 : (static_cast<std::int64_t>(beyond) + 2) / 3;
}

Plan plan_peer_case(const PeerPrepare& said, const Backends& backends, PlanOptions options) {
  require_kernels(said);
  options.cache_bytes.host = cache_bytes_of(said);
  Plan plan = make(config_of(said), backends, options);
  const Case& planned = plan.groups.at(0).cases.at(0);
  if (planned.skip) throw Unsupported(*planned.skip);
  if (planned.inputs.empty()) throw Unsupported("normbench does not load files as a peer");
  if (planned.stages.size() != said.stages.size())
    throw Invalid("/stages/0/op: the input takes the place of the source (leave this stage out)");
  for (std::size_t i = 0; i < said.stages.size(); ++i)
    compare(said.stages[i], i, planned.stages[i]);
  return plan;
}

}  // namespace normbench

#include "measure/peer/prepare.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "core/reader.h"

namespace normbench {
namespace {

constexpr std::int64_t most_copies = 1'000'000;

/// "cpu", for which the number does not matter, or "cuda:0".
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

/// The elements of member `key`, which may be missing.
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
    reader.object("parameters");  // complains about anything else
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

}  // namespace

std::string PeerStage::name() const { return op.is_string() ? op.get<std::string>() : op.dump(); }

PeerPrepare read_prepare(const Json& message) {
  std::vector<Issue> issues;
  Reader reader(message, "", issues);
  PeerPrepare said;
  if (reader.has("threads")) said.threads = reader.member("threads");
  said.device = read_device(reader);
  said.copies = reader.integer("copies", said.copies, 1, most_copies);
  const Json& stages = read_list(reader, "stages");
  for (std::size_t i = 0; i < stages.size(); ++i)
    said.stages.push_back(read_stage(Reader(stages[i], element("/stages", i), issues)));
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

}  // namespace normbench

#include "measure/peer/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/reader.h"
#include "machine/environment.h"
#include "measure/contender_errors.h"

namespace normbench {
namespace {

std::string text_of(const Json& request) {
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json tensors_json(const std::vector<TensorDesc>& tensors) {
  Json list = Json::array();
  for (const TensorDesc& tensor : tensors) list.push_back(tensor_json(tensor));
  return list;
}

Json stage_json(const Stage& stage) {
  Json json = {{"op", name_of(stage.op)},
               {"parameters", stage.parameters.is_null() ? Json::object() : stage.parameters},
               {"place", name_of(stage.place)},
               {"output", name_of(stage.output)},
               {"in", tensors_json(stage.signature.in)},
               {"out", tensors_json(stage.signature.out)}};
  if (!stage.forced.empty()) json["kernel"] = stage.forced;
  return json;
}

/// Returns true if each stage reads only the output of the stage before it, and the output of the
/// last stage is the only output of the case.
bool is_chain(const Case& planned) {
  const bool starts = roles_of(planned.stages.front().op).starts;
  if (planned.inputs.size() != (starts ? 0 : 1) || planned.outputs.size() != 1) return false;
  std::vector<int> last;  // the values that the next stage of a chain reads
  if (!starts) last = {0};
  for (const Stage& stage : planned.stages) {
    if (stage.in != last || stage.out.size() != 1) return false;
    last = stage.out;
  }
  return planned.outputs == last;
}

Json input_json(const TensorDesc& source, const std::string& path) {
  Json json = {{"path", path}};
  json.update(tensor_json(source));
  json.erase("memory");
  return json;
}

/// Reads one reply. The messages of exceptions contain the name of the request.
class Reply {
 public:
  /// Throws CannotRunHere if the peer reports that it cannot do what the request asks for. Throws
  /// Invalid for any other reply that is not of type `type`.
  Reply(std::string_view request, std::string_view type, const std::string& line)
      : request_(request), json_(parse(line)), reader_(json_, "", issues_) {
    if (!json_.is_object()) wrong(fmt::format("with no object: {}", quote(line)));
    if (!json_.contains("type")) wrong(fmt::format("without a \"type\": {}", quote(line)));
    const std::string said = reader_.text("type", "");
    throw_mistakes();
    if (said == type) return;
    if (said == "unavailable" || said == "unsupported") throw CannotRunHere(why());
    if (said == "error") throw Invalid(": " + why());
    wrong(fmt::format("with type {} (expected \"{}\")", quote(said), type));
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  Reader& reader() { return reader_; }

  void require(std::string_view member) {
    if (!reader_.has(member)) reader_.complain_at(member, "is missing");
  }
  /// Throws Invalid if a mistake has been found in the reply so far.
  void throw_mistakes() const {
    if (issues_.empty()) return;
    const auto& [pointer, text] = issues_.front();
    wrong(fmt::format("wrongly: {}{}{}", pointer, pointer.empty() ? "" : ": ", text));
  }

 private:
  [[noreturn]] void wrong(const std::string& how) const {
    throw Invalid(fmt::format(" answered `{}` {}", request_, how));
  }
  Json parse(const std::string& line) {
    // Json::accept() is needed because parse_json() also accepts comments.
    if (!Json::accept(line)) wrong(fmt::format("with no JSON: {}", quote(line)));
    try {
      return parse_json(line, issues_);
    } catch (const Invalid& mistake) {
      wrong(fmt::format("wrongly: {}", mistake.what()));
    }
  }
  std::string why() {
    const std::string said = reader_.text("why", "");
    throw_mistakes();
    return said.empty() ? fmt::format("it gives no reason for its answer to `{}`", request_) : said;
  }

  std::string_view request_;
  std::vector<Issue> issues_;
  Json json_;
  Reader reader_;
};

std::int64_t read_count(Reader& reader, std::string_view member) {
  return reader.integer(member, 0, 0, std::numeric_limits<std::int64_t>::max());
}

/// Adds a span, [stage, ns], to the time of its stage.
void add_span(Reader& reader, const Json& span, std::size_t index, PeerTurn& turn) {
  const auto is_count = [](const Json& value) {
    return value.is_number_integer() && value >= 0 &&
           value <= std::numeric_limits<std::int64_t>::max();
  };
  if (!span.is_array() || span.size() != 2 || !std::ranges::all_of(span, is_count) ||
      span[0] >= turn.stage_ns.size())
    return reader.issues().push_back(
        {fmt::format("/spans/{}", index),
         fmt::format("expected [stage, ns] of one of {} stages", turn.stage_ns.size())});
  auto& ns = turn.stage_ns[span[0].get<std::size_t>()];
  // The upper limit of both terms of the sum, so that the sum does not overflow.
  constexpr std::int64_t most = std::int64_t{1} << 61;
  ns = std::min(ns.value_or(0), most) + std::min(span[1].get<std::int64_t>(), most);
}

}  // namespace

std::string hello_request() {
  const Json built = tool();
  return text_of({{"type", "hello"},
                  {"protocol", peer_protocol},
                  {"tool", fmt::format("{} {}", built.at("name").get<std::string>(),
                                       built.at("version").get<std::string>())}});
}

std::string prepare_request(const Case& planned, std::size_t copies, bool unlike,
                            std::span<const std::string> paths, const std::string& files,
                            int device) {
  Json stages = Json::array(), inputs = Json::array();
  const bool wired = !is_chain(planned);
  for (const Stage& stage : planned.stages) {
    stages.push_back(stage_json(stage));
    if (!wired) continue;
    stages.back()["reads"] = stage.in;
    stages.back()["writes"] = stage.out;
  }
  if (!files.empty()) stages.front()["files"] = files;
  for (std::size_t i = 0; i < planned.inputs.size(); ++i)
    inputs.push_back(input_json(planned.inputs[i].source.desc(), paths[i]));
  Json request = {{"type", "prepare"},
                  {"threads", planned.threads},
                  {"device", planned.uses_gpu() ? fmt::format("cuda:{}", device) : "cpu"},
                  {"copies", copies},
                  {"unlike", unlike},
                  {"inputs", std::move(inputs)},
                  {"stages", std::move(stages)}};
  if (wired) request["outputs"] = planned.outputs;
  return text_of(request);
}

std::string run_request(std::int64_t iterations, std::int64_t warmup_ns, std::int64_t first) {
  Json request = {{"type", "run"}, {"iterations", iterations}, {"warmup_ns", warmup_ns}};
  if (first > 0) request["first"] = first;
  return text_of(request);
}

std::string run_on_request(std::size_t copy) {
  return text_of({{"type", "run"}, {"iterations", 1}, {"warmup_ns", 0}, {"copy", copy}});
}

std::string output_request(std::span<const std::string> paths) {
  if (paths.size() == 1) return text_of({{"type", "output"}, {"path", paths[0]}});
  return text_of({{"type", "output"}, {"paths", paths}});
}

std::string describe_request() { return text_of({{"type", "describe"}}); }

std::string close_request() { return text_of({{"type", "close"}}); }

std::string read_hello(const std::string& line) {
  Reply reply("hello", "hello", line);
  for (const char* member : {"protocol", "name", "version"}) reply.require(member);
  Reader& reader = reply.reader();
  const std::int64_t protocol = reader.integer("protocol", 0);
  const std::string name = reader.text("name", ""), version = reader.text("version", "");
  if (name.empty()) reader.complain_at("name", "is empty");
  reply.throw_mistakes();
  if (protocol != peer_protocol)
    throw Invalid(
        fmt::format(" uses protocol {}, but this normbench uses {}", protocol, peer_protocol));
  return version.empty() ? name : fmt::format("{} {}", name, version);
}

namespace {

Rounds read_rounds(Reader& reader) {
  Rounds rounds;
  if (!reader.has("rounds")) return rounds;
  const Json& said = reader.member("rounds");
  const bool is_list = said.is_array() && std::ranges::all_of(said, [](const Json& one) {
                         return one.is_string() && parse_word<Narrow>(one.get<std::string>());
                       });
  if (!is_list) {
    reader.complain_at("rounds", fmt::format("expected a list of {}", known_words<Narrow>()));
    return rounds;
  }
  for (const Json& one : said) rounds.push_back(*parse_word<Narrow>(one.get<std::string>()));
  return rounds;
}

}  // namespace

PeerReady read_ready(const std::string& line) {
  constexpr double most_db = 100;
  constexpr std::int64_t most_copies = 1'000'001;
  Reply reply("prepare", "ready", line);
  Reader& reader = reply.reader();
  PeerReady ready;
  ready.psnr_db = reader.number("psnr", 0);
  if (ready.psnr_db < 0 || ready.psnr_db > most_db)
    reader.complain_at("psnr", fmt::format("expected decibels from 0 to {}", most_db));
  ready.filter = reader.word("filter", ready.filter);
  if (ready.filter != ResizeFilter::Triangle && ready.psnr_db == 0)
    reader.complain_at("psnr", "expected the PSNR in dB of images resized by this filter");
  ready.unlike = reader.integer("unlike", 1, 1, most_copies);
  ready.takes_first = reader.boolean("takes_first", false);
  ready.epoch = read_count(reader, "epoch");
  ready.rounds = read_rounds(reader);
  reply.throw_mistakes();
  return ready;
}

PeerTurn read_ran(const std::string& line, std::size_t stages) {
  Reply reply("run", "ran", line);
  reply.require("wall_ns");
  Reader& reader = reply.reader();
  PeerTurn turn{.wall_ns = reader.integer("wall_ns", 0),
                .device_ns = read_count(reader, "device_ns"),
                .cpu_ns = read_count(reader, "cpu_ns"),
                .minor_faults = read_count(reader, "minor_faults"),
                .major_faults = read_count(reader, "major_faults"),
                .after_cpu_ns = read_count(reader, "after_cpu_ns")};
  if (reader.has("spans")) {
    turn.stage_ns.resize(stages);
    const Json& spans = reader.member("spans");
    if (!spans.is_array()) reader.complain_at("spans", "expected a list");
    for (std::size_t i = 0; spans.is_array() && i < spans.size(); ++i)
      add_span(reader, spans[i], i, turn);
  }
  reply.throw_mistakes();
  return turn;
}

std::int64_t read_written(const std::string& line) {
  Reply reply("output", "written", line);
  const std::int64_t copy = read_count(reply.reader(), "copy");
  reply.throw_mistakes();
  return copy;
}

namespace {

std::vector<CopiesResult> read_copies(Reader& reader) {
  std::vector<CopiesResult> copies;
  reader.each_object("copies", [&](Reader& one) {
    one.require("op", "the operation that copied");
    copies.push_back({.op = one.text("op", ""),
                      .calls = read_count(one, "calls"),
                      .bytes = read_count(one, "bytes")});
  });
  return copies;
}

/// Reads the members of a reply that describe what the user's own code gives.
GivenResult read_given(Reply& reply) {
  Reader& reader = reply.reader();
  for (const char* member : {"dtype", "shape", "bytes"}) reply.require(member);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  GivenResult given{.dtype = reader.text("dtype", ""),
                    .device = reader.text("device", "cpu"),
                    .shape = reader.integers("shape", {}, 0, largest_extent),
                    .order = reader.word("order", ArrayOrder::Contiguous),
                    .pinned = reader.boolean("pinned", false),
                    .bytes = reader.integer("bytes", 0, 1, most)};
  given.batch_bytes = reader.integer("batch_bytes", given.bytes, given.bytes, most);
  if (reader.has("workers")) given.workers = reader.integer("workers", 0, 0, largest_extent);
  if (reader.has("copies")) given.copies = read_copies(reader);
  reply.throw_mistakes();
  return given;
}

}  // namespace

GivenResult read_given(const std::string& line) {
  Reply reply("output", "given", line);
  return read_given(reply);
}

OwnCode read_described(const std::string& line) {
  Reply reply("describe", "described", line);
  reply.require("kind");
  Reader& reader = reply.reader();
  OwnCode code{.kind = reader.word("kind", OwnCodeKind::Loader),
               .has_step = reader.boolean("has_step", false)};
  code.given = read_given(reply);
  return code;
}

}  // namespace normbench

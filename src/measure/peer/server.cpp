#include "measure/peer/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/reader.h"
#include "machine/environment.h"
#include "machine/process_limits.h"
#include "machine/topology.h"
#include "measure/contender.h"
#include "measure/peer/messages.h"
#include "measure/peer/plan.h"
#include "plan/composed.h"

namespace normbench {
namespace {

PlanOptions options_here(const Backends& backends) {
  const FreeMemory free = free_memory(free_device_bytes(backends), "/");
  PlanOptions options;
  options.base_dir = std::filesystem::current_path().string();
  options.all_threads = available_threads();
  options.data_caches = data_caches();
  options.cache_bytes = cold_caches(backends, last_level_cache_bytes());
  options.free_bytes = free.bytes;
  options.free_notes = free.notes;
  return options;
}

Json reason(std::string_view type, std::string why) {
  constexpr std::size_t most = 10'000;  // in bytes; keeps the reply well below peer_line_bytes
  if (why.size() > most) why = why.substr(0, most) + " …";
  return {{"type", type}, {"why", why}};
}

/// Parses a message. Throws Invalid if it is no object with a type.
Json read_message(std::string_view line) {
  if (line.size() > peer_line_bytes) throw Invalid("it is longer than 1 MiB");
  std::vector<Issue> issues;
  Json message = parse_json(line, issues);
  Reader reader(message, "", issues);
  if (message.is_object() && !message.contains("type")) reader.complain("no \"type\"");
  reader.text("type", "");
  throw_if_any(issues);
  return message;
}

std::int64_t read_count(Reader& reader, std::string_view key, std::int64_t least) {
  constexpr std::int64_t most = 1'000'000'000'000;
  if (!reader.has(key)) reader.complain(fmt::format("no \"{}\"", key));
  return reader.integer(key, least, least, most);
}

/// Returns the host's time in each stage as [[stage, ns], ...].
Json spans_json(const std::vector<std::int64_t>& calls_ns) {
  Json spans = Json::array();
  for (std::size_t i = 0; i < calls_ns.size(); ++i) spans.push_back(Json::array({i, calls_ns[i]}));
  return spans;
}

Json ran(const Turn& turn) {
  const Round& round = turn.round;
  Json reply = {{"type", "ran"},
                {"wall_ns", round.wall_ns},
                {"cpu_ns", round.cpu_ns},
                {"minor_faults", round.counters.minor_faults},
                {"major_faults", round.counters.major_faults}};
  if (round.device_ns > 0) reply["device_ns"] = round.device_ns;
  if (!turn.calls_ns.empty()) reply["spans"] = spans_json(turn.calls_ns);
  return reply;
}

}  // namespace

class PeerServer::Work {
 public:
  /// Plans the case and allocates its memory. Throws what plan_peer_case() throws, and
  /// std::runtime_error when a kind of memory cannot be allocated.
  Work(const PeerPrepare& said, Backends backends, Clock& clock)
      : clock_(clock),
        backends_(std::move(backends)),
        plan_(plan_peer_case(said, backends_, options_here(backends_))),
        recorder_(clock),
        memory_(take_memory(said)),
        engine_(planned(), memory_, backends_, recorder_, clock_, random_),
        unlike_(said.unlike) {}

  /// Runs one iteration, without a warm-up, on buffers that are filled with a byte pattern
  /// (Poison). Returns its time in ns.
  std::int64_t call() {
    engine_.place(random_);
    engine_.load_kernels();
    const std::int64_t ns = poisoned_iteration(engine_, Poison{std::byte{0xFF}}, false);
    result_ = Result::Kept;
    return ns;
  }

  /// Runs a turn in the same way as this program does for its own cases. Stages are timed if timing
  /// them takes less than 0.5 % of the turn.
  Turn turn(std::int64_t iterations, std::int64_t warmup_ns) {
    if (!marks_) marks_ = shape_of_turns(engine_, clock_cost_ns(clock_)).marks;
    // The requesting process asks for a warm-up shorter than device_warm_up_ns only if the device
    // worked just now.
    const TurnShape shape{.iterations = iterations,
                          .marks = *marks_,
                          .warmup_ns = warmup_ns,
                          .device_awake = static_cast<double>(warmup_ns) < device_warm_up_ns};
    Turn turn = take_turn(engine_, shape, random_);
    result_ = Result::Past;
    return turn;
  }

  std::size_t copies() { return memory_.inputs(planned()).count; }

  /// Writes the output of the latest call() or turn() to a file. The output of a turn may be freed.
  /// So after a turn, one more iteration runs on poisoned buffers, and its output is written. If
  /// the copies of the input differ, returns the number of the copy that was used. Throws
  /// CannotWrite. Throws Invalid if nothing was run.
  std::optional<std::size_t> write(const std::string& path) {
    if (result_ == Result::None) throw Invalid("nothing was run (send run first)");
    if (result_ == Result::Past) poisoned_iteration(engine_, Poison{std::byte{0x55}}, true);
    result_ = Result::Kept;
    write_array(path, engine_.item().outputs().at(0), backends_);
    return unlike_ ? std::optional(engine_.item().used().front()) : std::nullopt;
  }

 private:
  const Case& planned() const { return plan_.groups[0].cases[0]; }
  GroupMemory take_memory(const PeerPrepare& said) const {
    const Case* const alone[] = {&planned()};
    return GroupMemory(alone, plan_.measure, backends_, cache_bytes_of(said),
                       said.unlike ? Copies::Unlike : Copies::Alike);
  }

  Clock& clock_;
  Backends backends_;
  Plan plan_;
  Recorder recorder_;
  GroupMemory memory_;
  // The seed is random, so that each process places its buffers differently.
  std::mt19937_64 random_{std::random_device{}()};
  Engine engine_;
  bool unlike_;  // the copies of the input differ from each other
  std::optional<bool> marks_;
  enum class Result { None, Kept, Past } result_ = Result::None;
};

struct PeerServer::Request {
  std::string_view type;
  Json (PeerServer::*answer)(const Json&);  // null: no answer; the peer ends
};

const PeerServer::Request* PeerServer::find(std::string_view type) {
  static constexpr auto requests = std::to_array<Request>({{"hello", &PeerServer::hello},
                                                           {"prepare", &PeerServer::prepare},
                                                           {"run", &PeerServer::run},
                                                           {"output", &PeerServer::output},
                                                           {"close", nullptr}});
  const auto found = std::ranges::find(requests, type, &Request::type);
  if (found != requests.end()) return &*found;
  std::vector<std::string> known;
  for (const Request& request : requests) known.emplace_back(request.type);
  throw Invalid(unknown("request", std::string(type), known));
}

PeerServer::PeerServer(Clock& clock, MakeBackends make_backends)
    : clock_(clock), make_backends_(std::move(make_backends)) {}

PeerServer::~PeerServer() = default;

std::optional<Json> PeerServer::reply(std::string_view line) {
  std::string where = "no request";
  try {
    const Json message = read_message(line);
    const Request* const request = find(message.at("type").get<std::string>());
    if (request->answer == nullptr) return std::nullopt;
    where = request->type;
    return (this->*request->answer)(message);
  } catch (const Unsupported& missing) {
    return reason("unsupported", missing.what());
  } catch (const std::bad_alloc&) {
    return reason("error", where + ": out of memory");
  } catch (const std::exception& error) {
    return reason("error", fmt::format("{}: {}", where, error.what()));
  }
}

Json PeerServer::hello(const Json&) {
  const Json self = tool();
  return {{"type", "hello"},
          {"protocol", peer_protocol},
          {"name", self.at("name")},
          {"version", fmt::format("{} ({}, {})", self.at("version").get<std::string>(),
                                  self.at("revision").get<std::string>(),
                                  self.at("build").get<std::string>())}};
}

Json PeerServer::prepare(const Json& message) {
  if (work_) throw Invalid("a case is prepared already (start another process for another case)");
  const PeerPrepare said = read_prepare(message);
  work_ = std::make_unique<Work>(said, make_backends_(said.device), clock_);
  if (!said.unlike) return {{"type", "ready"}};
  return {{"type", "ready"}, {"unlike", work_->copies()}};
}

PeerServer::Work& PeerServer::prepared() const {
  if (!work_) throw Invalid("nothing is prepared (send prepare first)");
  return *work_;
}

Json PeerServer::run(const Json& message) {
  std::vector<Issue> issues;
  Reader reader(message, "", issues);
  const std::int64_t iterations = read_count(reader, "iterations", 1);
  const std::int64_t warmup_ns = read_count(reader, "warmup_ns", 0);
  throw_if_any(issues);
  Work& work = prepared();
  if (iterations == 1 && warmup_ns == 0) return {{"type", "ran"}, {"wall_ns", work.call()}};
  return ran(work.turn(iterations, warmup_ns));
}

Json PeerServer::output(const Json& message) {
  std::vector<Issue> issues;
  Reader reader(message, "", issues);
  if (!reader.has("path")) reader.complain("no \"path\"");
  const std::string path = reader.text("path", "");
  throw_if_any(issues);
  const std::optional<std::size_t> copy = prepared().write(path);
  Json reply = {{"type", "written"}};
  if (copy) reply["copy"] = *copy;
  return reply;
}

}  // namespace normbench

#include "plan/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "core/issue.h"
#include "plan/buffers.h"

namespace normbench {
namespace {

constexpr std::int64_t most_in_flight = 1024, most_items = 1'000'000, most_threads = 4096;

/// Returns the default number of items of a turn (one timed run of a case). It is so large that
/// filling and draining the pipeline take a small share of the turn.
std::int64_t usual_items(int in_flight) { return std::max(16, 8 * in_flight); }

std::size_t lane_named(std::string_view name, std::vector<Lane>& lanes) {
  const auto found = std::ranges::find(lanes, name, &Lane::name);
  if (found != lanes.end()) return static_cast<std::size_t>(found - lanes.begin());
  lanes.push_back({.name = std::string(name), .stages = {}});
  return lanes.size() - 1;
}

std::vector<Lane> lanes_of(const Case& planned) {
  std::vector<Lane> lanes;
  for (std::size_t s = 0; s < planned.stages.size(); ++s) {
    const Stage& stage = planned.stages[s];
    const std::string_view name = stage.lane.empty() ? engine_of(stage) : stage.lane;
    Lane& lane = lanes[lane_named(name, lanes)];
    lane.stages.push_back(s);
    lane.threads = planned.threads;
  }
  return lanes;
}

bool works_on_cpu(const Case& planned, const Lane& lane) {
  return std::ranges::any_of(
      lane.stages, [&](std::size_t stage) { return planned.stages[stage].place == Place::Cpu; });
}

/// Called only for "submit": "item". Gives each lane with CPU stages as many servers as items may
/// be in flight. Reports lanes that have stages on the CPU and on a device.
void serve_every_item(Reader& options, const Case& planned, Pipeline& pipeline) {
  for (Lane& lane : pipeline.lanes) {
    if (!works_on_cpu(planned, lane)) continue;
    lane.servers = pipeline.in_flight;
    const bool on_device = std::ranges::any_of(
        lane.stages, [&](std::size_t stage) { return planned.stages[stage].place != Place::Cpu; });
    if (on_device)
      options.complain_at(
          "submit",
          fmt::format(R"("item" needs a lane for each place (lane "{}" has stages of the )"
                      "CPU and of a device)",
                      lane.name));
  }
}

/// Reads the options of a lane, such as {"servers": 2, "threads": 1}.
void read_lane(Reader& reader, const Case& planned, const Pipeline& pipeline, Lane& lane) {
  const auto servers = static_cast<int>(reader.integer("servers", 1, 1, most_in_flight));
  lane.servers = std::min(servers, pipeline.in_flight);  // further servers would never have work
  lane.threads = static_cast<int>(reader.integer("threads", lane.threads, 1, most_threads));
  if (reader.has("threads") && !works_on_cpu(planned, lane))
    reader.complain_at("threads", "goes with stages on the CPU (this lane has none)");
  if (lane.servers > 1 && pipeline.submit != Submit::Lane)
    reader.complain_at("servers", R"(goes with "submit": "lane" (each is a host thread))");
  reader.finish();
}

/// Reads the options of all lanes, such as "lanes": {"save": {"servers": 2, "threads": 1}}.
void read_lanes(Reader& options, const Case& planned, bool has_all_stages, Pipeline& pipeline) {
  if (!options.has("lanes")) return;
  if (options.describes()) {
    Lane any;
    Reader each = options.members("lanes");
    return read_lane(each, planned, pipeline, any);
  }
  Reader reader = options.object("lanes");
  std::vector<std::string> known;
  for (Lane& lane : pipeline.lanes) {
    known.push_back(lane.name);
    if (!reader.has(lane.name)) continue;
    Reader one = reader.object(lane.name);
    read_lane(one, planned, pipeline, lane);
  }
  const Json& said = options.member("lanes");
  if (!said.is_object() || !has_all_stages) return;
  for (const auto& [name, lane] : said.items())
    if (std::ranges::find(known, name) == known.end())
      reader.complain_at(name, unknown("lane of the variant", name, known));
}

/// Returns the largest number of host threads that can work at once.
std::int64_t threads_of(const Pipeline& pipeline) {
  std::int64_t sum = 0, most = 0;
  for (const Lane& lane : pipeline.lanes) {
    sum += static_cast<std::int64_t>(lane.servers) * lane.threads;
    most = std::max<std::int64_t>(most, lane.threads);
  }
  return pipeline.submit == Submit::Item ? pipeline.in_flight * most : sum;
}

void check_options(Reader& options, const Case& planned) {
  if (planned.graph)
    options.complain_at("graph", "does not go with in_flight: lanes submit stages one by one");
  if (options.has("wait"))
    options.complain_at("wait", "does not go with in_flight: lanes wait for one another");
  if (!planned.peer.empty())
    options.complain_at("in_flight", "a peer runs one iteration after the other (remove this)");
}

bool loads(const Stage& stage) { return roles_of(stage.op).files == FileUse::Reads; }

bool is_same_stage(const Stage& one, const Stage& other) {
  return name_of(one.op) == name_of(other.op) && one.parameters == other.parameters &&
         one.kernel == other.kernel && one.output == other.output && one.label == other.label &&
         one.signature.in == other.signature.in && one.signature.out == other.signature.out;
}

bool saves(const Stage& stage) { return roles_of(stage.op).files == FileUse::Writes; }

/// Returns true if both cases compute the same values in all stages up to and including this stage.
bool is_same_origin(const Case& one, const Case& other, std::size_t stage) {
  const auto is_same_input = [](const Input& a, const Input& b) {
    return a.source == b.source && a.setup == b.setup && a.value == b.value;
  };
  if (!std::ranges::equal(one.inputs, other.inputs, is_same_input)) return false;
  for (std::size_t s = 0; s <= stage; ++s)
    if (s >= other.stages.size() || !is_same_stage(one.stages[s], other.stages[s])) return false;
  return true;
}

/// Returns true if two parts of pipelines (PipelinePart) do the same work. This is so if each runs
/// a single lane (a group of stages), with the same stages and the same numbers of threads. Parts
/// that load files also need the same number of items, and parts that save files the same saved
/// values.
bool is_same_part(const Case& one, const Case& other) {
  std::vector<std::size_t> left, right;
  for (const auto& [planned, stages] : {std::pair(&one, &left), std::pair(&other, &right)}) {
    const std::vector<bool> runs = stages_that_run(*planned);
    for (std::size_t s = 0; s < runs.size(); ++s)
      if (runs[s]) stages->push_back(s);
  }
  const bool is_fed = one.pipeline->part->lane.empty() || other.pipeline->part->lane.empty();
  return !is_fed && std::ranges::equal(left, right, [&](std::size_t a, std::size_t b) {
    const Stage& stage = one.stages[a];
    if (loads(stage) && one.pipeline->items != other.pipeline->items) return false;
    if (saves(stage) && (a != b || !is_same_origin(one, other, a))) return false;
    return is_same_stage(stage, other.stages[b]) && one.threads_of(a) == other.threads_of(b);
  });
}

Case part_of(const Case& whole, const std::string& lane, const std::string& name) {
  Case part = whole;
  part.variant = part.written = name;
  part.axes = Json::object();
  part.pipeline->part = {.of = whole.variant, .lane = lane};
  return part;
}

}  // namespace

std::string_view engine_of(const Stage& stage) {
  const LinkUse link = roles_of(stage.op).link;
  if (loads(stage)) return "load";
  if (link == LinkUse::Up) return "h2d";
  if (link == LinkUse::Down) return "d2h";
  if (saves(stage)) return "save";
  return stage.place == Place::Cuda ? "gpu" : "cpu";
}

void read_pipeline(Reader& options, Case& decided, bool has_all_stages) {
  const auto asks = [&](const char* key) { return options.has(key); };
  if (!options.has("in_flight")) {
    for (const char* key : {"items", "submit", "lanes"})
      if (asks(key)) options.complain_at(key, R"(goes with "in_flight": N)");
    return;
  }
  Pipeline pipeline;
  pipeline.in_flight = static_cast<int>(options.integer("in_flight", 1, 1, most_in_flight));
  pipeline.items = options.integer("items", usual_items(pipeline.in_flight), 1, most_items);
  if (pipeline.items < pipeline.in_flight) pipeline.in_flight = static_cast<int>(pipeline.items);
  pipeline.submit = options.word("submit", pipeline.submit);
  pipeline.lanes = lanes_of(decided);
  read_lanes(options, decided, has_all_stages, pipeline);
  if (pipeline.submit == Submit::Item) serve_every_item(options, decided, pipeline);
  if (const std::int64_t threads = threads_of(pipeline); threads > most_threads)
    options.complain_at("in_flight", fmt::format("needs {} threads for its lanes (at most {})",
                                                 threads, most_threads));
  check_options(options, decided);
  decided.pipeline = std::move(pipeline);
}

std::vector<Visit> visits_of(const Case& planned) {
  const std::vector<bool> runs = stages_that_run(planned);
  std::vector<std::size_t> lane_of(planned.stages.size());
  for (std::size_t lane = 0; lane < planned.pipeline->lanes.size(); ++lane)
    for (const std::size_t stage : planned.pipeline->lanes[lane].stages) lane_of[stage] = lane;
  std::vector<Visit> visits;
  for (std::size_t s = 0; s < planned.stages.size(); ++s) {
    if (!runs[s]) continue;
    const bool goes_on =
        !visits.empty() && visits.back().lane == lane_of[s] && visits.back().last + 1 == s;
    if (goes_on)
      visits.back().last = s;
    else
      visits.push_back({.lane = lane_of[s], .first = s, .last = s});
  }
  return visits;
}

std::vector<bool> stages_that_run(const Case& planned) {
  const auto& part = planned.pipeline->part;
  std::vector<bool> runs(planned.stages.size(), !part || part->lane.empty());
  for (std::size_t s = 0; part && s < runs.size(); ++s)
    if (loads(planned.stages[s])) runs[s] = false;
  for (const Lane& lane : planned.pipeline->lanes)
    if (part && lane.name == part->lane)
      for (const std::size_t stage : lane.stages) runs[stage] = true;
  return runs;
}

std::vector<int> values_fed(const Case& part) {
  const std::vector<bool> runs = stages_that_run(part);
  std::vector<int> fed;
  for (std::size_t s = 0; s < runs.size(); ++s) {
    if (!runs[s]) continue;
    for (const int value : part.stages[s].in) {
      const int producer = part.values[static_cast<std::size_t>(value)].producer;
      const int holder = buffer_of(part, value);
      const bool is_input = part.values[static_cast<std::size_t>(holder)].producer < 0;
      const bool is_made_elsewhere = !is_input && !runs[static_cast<std::size_t>(producer)];
      if (is_made_elsewhere && std::ranges::find(fed, value) == fed.end()) fed.push_back(value);
    }
  }
  return fed;
}

std::int64_t items_fed(const Case& part) {
  constexpr std::int64_t most = 8;
  const Load* const load = part.loader();
  if (load == nullptr || load->files.empty()) return 1;
  const std::int64_t of_epoch = (load->image_count() + load->batch - 1) / load->batch;
  return std::min({most, of_epoch, part.pipeline->items});
}

std::vector<Case> parts_of(const std::vector<const Case*>& cases) {
  std::vector<Case> parts;
  const auto add = [&](Case part) {
    const auto same =
        std::ranges::find_if(parts, [&](const Case& other) { return is_same_part(part, other); });
    if (same == parts.end())
      parts.push_back(std::move(part));
    else
      same->pipeline->in_flight = std::max(same->pipeline->in_flight, part.pipeline->in_flight);
  };
  for (const Case* planned : cases) {
    if (!planned->pipeline || planned->skip) continue;
    for (const Lane& lane : planned->pipeline->lanes)
      add(part_of(*planned, lane.name, fmt::format("lane {} of {}", lane.name, planned->variant)));
    if (planned->stages.size() > 1 && loads(planned->stages.front()))
      add(part_of(*planned, "", fmt::format("{}, fed from memory", planned->variant)));
  }
  return parts;
}

std::string lane_alone(const std::vector<Case>& parts, const Case& planned, const Lane& lane) {
  const Case part = part_of(planned, lane.name, "");
  const auto same =
      std::ranges::find_if(parts, [&](const Case& one) { return is_same_part(part, one); });
  return same == parts.end() ? "" : same->variant;
}

std::vector<std::vector<std::vector<int>>> divide_cpus(const Case& planned,
                                                       std::span<const int> cpus) {
  std::vector<std::vector<std::vector<int>>> divided;
  std::size_t next = 0;
  for (const Lane& lane : planned.pipeline->lanes) {
    auto& servers = divided.emplace_back(static_cast<std::size_t>(lane.servers));
    if (!works_on_cpu(planned, lane)) continue;
    for (std::vector<int>& server : servers)
      for (int thread = 0; thread < lane.threads; ++thread, ++next)
        if (next < cpus.size()) server.push_back(cpus[next]);
  }
  if (next > cpus.size())
    for (auto& servers : divided)
      for (std::vector<int>& server : servers) server.clear();
  return divided;
}

}  // namespace normbench

#include "plan/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "backend/cpu/team.h"
#include "plan/buffers.h"
#include "plan/composed.h"
#include "plan/label.h"
#include "plan/pipeline.h"
#include "plan/wiring.h"

namespace normbench {
namespace {

/// Runs `action`, which connects a stage to its inputs, and returns true. If `action` throws
/// StageMistake or Invalid, adds an issue and returns false.
template <class Action>
bool wired(const Composed& members, std::vector<Issue>& issues, Action action) {
  try {
    action();
    return true;
  } catch (const StageMistake& mistake) {
    issues.push_back({members.where(mistake.member), mistake.text});
  } catch (const Invalid& mistake) {
    issues.push_back({members.pointer, mistake.what()});
  }
  return false;
}

using Specs = std::vector<std::optional<StageSpec>>;

bool is_given(const StageSpec& spec) { return roles_of(spec.op).given; }

/// Returns true for ops that may be in a setup (stages that compute inputs once, untimed). These
/// are ops whose reference function computes a tensor from other tensors.
bool can_set_up(const Op& op) {
  const Roles& roles = roles_of(op);
  const bool moves_memory = roles.link != LinkUse::None || roles.locks == PageLocking::Copies;
  return has_reference(op) && !roles.passes_through && !roles.starts && !moves_memory;
}

/// Connects the setup's stages, and adds their outputs to `wiring` as inputs. Returns false after a
/// mistake.
bool wire_setup(const VariantText& text, const Specs& specs, const Specs& setup, Wiring& wiring,
                PlanContext& context) {
  if (text.setup.empty()) return true;
  Wiring made(context.backends, true);
  for (std::size_t i = 0; i < specs.size() && is_given(*specs[i]); ++i) made.add(*specs[i]);
  for (std::size_t i = 0; i < setup.size(); ++i) {
    if (!setup[i]) return false;
    const StageSpec& spec = *setup[i];
    const bool right = wired(text.setup[i].members, context.issues, [&] {
      if (!can_set_up(spec.op))
        throw StageMistake{"", fmt::format("\"{}\" cannot be in a setup", spec.name())};
      for (const char* member : {"kernel", "place", "memory", "output", "label"})
        if (text.setup[i].members.fields.contains(member))
          throw StageMistake{member, "a setup is worked out by references (remove this)"};
      made.add(spec);
    });
    if (!right) return false;
  }
  return wired(text.setup.front().members, context.issues,
               [&] { wiring.add_inputs_of(std::move(made)); });
}

/// Connects the stages in order. Stops at the first mistake and adds it to the issues.
void wire(const VariantText& text, const Specs& specs, const Specs& setup, Wiring& wiring,
          PlanContext& context) {
  bool set_up = false;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i]) return;
    if (!is_given(*specs[i]) && !std::exchange(set_up, true) &&
        !wire_setup(text, specs, setup, wiring, context))
      return;
    if (!wired(text.stages[i].members, context.issues, [&] { wiring.add(*specs[i]); })) return;
  }
  wired(text.options, context.issues, [&] { wiring.set_outputs(text.outputs); });
}

/// A stage or a range, by its name in tables and traces.
struct Named {
  std::string name;
  bool is_range = false;
  std::string where;  // pointer to the name in the config; "" if it is a default name
};

std::vector<Named> names_of(const VariantText& text, const Specs& specs) {
  std::vector<Named> names;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i] || is_given(*specs[i])) continue;
    const Composed& members = text.stages[i].members;
    const bool said = members.fields.contains("label");
    names.push_back({.name = specs[i]->label, .where = said ? members.where("label") : ""});
  }
  for (const RangeText& range : text.ranges)
    if (!range.name.empty())
      names.push_back({.name = range.name, .is_range = true, .where = range.pointer});
  return names;
}

/// Reports stages and ranges of a variant whose names are equal or can become equal ("load{i}" and
/// "load3"). If both names are written in the config, reports the later one. If only one is written
/// and the other is a default name, reports the written one.
void check_names(const std::vector<Named>& names, std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [name, is_range, where] = names[i];
    if (where.empty()) continue;
    for (std::size_t other = 0; other < names.size(); ++other) {
      const bool is_reported_there = !names[other].where.empty() && other >= i;
      if (is_reported_there || !can_be_one_name(name, names[other].name)) continue;
      issues.push_back(
          {where, name == names[other].name
                      ? fmt::format("another {} of the variant is called \"{}\" (choose another)",
                                    names[other].is_range ? "range" : "stage", name)
                      : fmt::format("\"{}\" and \"{}\" can be one name (choose another)",
                                    names[other].name, name)});
      break;
    }
  }
}

/// Returns true if a case with this stage uses all threads for `"threads": "all"`, even if it has
/// few bytes. Stages that use files, and ops that only peers run (networks, the user's own code),
/// take much longer than waking a team of threads. `launch` on the CPU measures that waking.
bool always_pays(const Stage& stage) {
  const Roles& roles = roles_of(stage.op);
  return roles.files != FileUse::None || roles.peer_only ||
         (roles.runs == Runs::Launch && stage.place == Place::Cpu);
}

/// Returns the number of threads for `"threads": "all"`. The stage with the most bytes decides. An
/// arithmetic operation counts as 2 bytes. GPU stages count, too, so that CPU and GPU variants with
/// the same ops get the same number.
int decide_threads(const Case& decided, const PlanOptions& options) {
  if (std::ranges::any_of(decided.stages, always_pays)) return options.all_threads;
  std::int64_t most = 0;
  for (const Stage& stage : decided.stages) {
    const Cost& cost = stage.fewest;
    for (const TensorDesc& out : stage.signature.out) most = std::max(most, out.bytes());
    constexpr std::int64_t read_per_flop = 2;  // bytes
    most = std::max({most, cost.moved(), read_per_flop * cost.flops});
  }
  return team_for(most, options.all_threads, options.data_caches);
}

void read_threads(Reader& reader, const PlanOptions& options, Case& decided) {
  constexpr std::int64_t most = 4096;  // OpenMP aborts if it cannot start all threads
  reader.takes(
      "threads",
      {{"anyOf", {{{"const", "all"}}, {{"type", "integer"}, {"minimum", 1}, {"maximum", most}}}}});
  const Json& said = reader.member("threads");
  decided.threads_decided = said == "all";
  if (decided.threads_decided)
    decided.threads = decide_threads(decided, options);
  else if (said.is_string())
    reader.complain_at("threads", wrong_type("an integer or \"all\"", said));
  else
    decided.threads = static_cast<int>(reader.integer("threads", 1, 1, most));
}

/// Reads "peer" of a variant, the name of the program that runs it. Returns "" if there is none. If
/// `peers` does not have the name, adds an issue and returns "".
std::string read_peer(Reader& reader, const std::map<std::string, PeerCommand>& peers) {
  std::string said = reader.text("peer", "");
  if (said.empty() || peers.contains(said)) return said;
  std::vector<std::string> known;
  for (const auto& [name, command] : peers) known.push_back(name);
  reader.complain_at("peer", unknown("peer", said, known));
  return "";
}

void read_members(Reader& reader, const PlanOptions& options,
                  const std::map<std::string, PeerCommand>& peers, bool has_all_stages,
                  Case& decided) {
  read_threads(reader, options, decided);
  decided.wait = reader.word("wait", decided.wait);
  decided.graph = reader.boolean("graph", false);
  decided.peer = read_peer(reader, peers);
  read_pipeline(reader, decided, has_all_stages);
  reader.finish();
}

void read_options(const Composed& options, PlanContext& context, bool has_all_stages,
                  Case& decided) {
  const std::size_t before = context.issues.size();
  Reader reader(options.fields, options.pointer, context.issues);
  read_members(reader, context.options, context.peers, has_all_stages, decided);
  options.relocate(std::span(context.issues).subspan(before));
  if (!decided.skip && !decided.peer.empty() && !context.options.allow_peers) {
    decided.skip_kind = Skip::NotAllowed;
    decided.skip = fmt::format("peer commands run only with --allow-peers (this one: {})",
                               fmt::join(context.peers.at(decided.peer).argv, " "));
  }
}

bool names_peer(const Composed& options) {
  const auto said = options.fields.find("peer");
  return said != options.fields.end() && *said != "";
}

std::size_t sources_of(const Case& decided) {
  return static_cast<std::size_t>(std::ranges::count_if(
      decided.inputs, [](const Input& input) { return input.setup == nullptr; }));
}

/// Returns the members of stage `stage` of the case. In `text.stages` the sources come before the
/// stages of the case.
const Composed& text_of(const VariantText& text, const Case& decided, std::size_t stage) {
  return text.stages[stage + sources_of(decided)].members;
}

bool is_captured(const Stage& stage) {
  return stage.place == Place::Cuda && stage.kernel != nullptr &&
         stage.kernel->capturable(stage.op, stage.signature);
}

void check_graph(const VariantText& text, const Case& decided, std::vector<Issue>& issues) {
  const auto unknown_row = [](const Stage& stage) {
    return stage.place == Place::Cuda && stage.kernel == nullptr;
  };
  const auto complain = [&](const char* why) {
    issues.push_back({text.options.where("graph"), why});
  };
  if (!decided.uses_gpu()) return complain("graph needs stages on the GPU");
  if (decided.wait == Wait::Stage)
    complain(
        "a graph runs its stages as one: the host cannot wait after each (use \"wait\": "
        "\"iteration\" or \"turn\")");
  if (std::ranges::none_of(decided.stages, is_captured) &&
      std::ranges::none_of(decided.stages, unknown_row))
    complain(
        "none of its stages can be captured (sync, pageable transfers and per_call constants "
        "cannot)");
  for (std::size_t i = 0; i < decided.stages.size(); ++i) {
    const Stage& stage = decided.stages[i];
    if (!is_captured(stage)) continue;
    if (stage.output == OutputPolicy::Fresh || stage.output == OutputPolicy::CudaMalloc)
      issues.push_back({text_of(text, decided, i).where("output"),
                        "a graph cannot allocate its outputs anew (use reuse)"});
  }
}

/// Reports a "lane" in a variant without "in_flight". Also reports ranges whose stages are not
/// consecutive stages of one lane.
void check_lanes(const VariantText& text, const Case& decided, std::vector<Issue>& issues) {
  if (!decided.pipeline) {
    for (std::size_t s = 0; s < decided.stages.size(); ++s)
      if (!decided.stages[s].lane.empty())
        issues.push_back({text_of(text, decided, s).where("lane"), R"(goes with "in_flight": N)"});
    return;
  }
  const std::vector<Visit> visits = visits_of(decided);
  for (const StageRange& range : ranges_of(decided.stages)) {
    const bool is_in_one = std::ranges::any_of(visits, [&](const Visit& visit) {
      return visit.first <= range.first && range.last <= visit.last;
    });
    if (is_in_one) continue;
    const auto written = std::ranges::find(text.ranges, range.name, &RangeText::name);
    issues.push_back({written->pointer, fmt::format("\"{}\" has stages of several lanes (give them "
                                                    "one \"lane\", or a range each)",
                                                    range.name)});
  }
}

void check_peer_case(const VariantText& text, const Case& decided, std::vector<Issue>& issues) {
  const auto complain = [&](std::string_view option, const char* why) {
    issues.push_back({text.options.where(option), why});
  };
  if (decided.graph)
    complain("graph", "a peer submits its work as it likes: a peer has no graph (remove this)");
  if (decided.wait != Wait::Turn)
    complain("wait", "a peer waits at the end of its turn only (remove this)");
}

/// Reports a `save` stage whose files cannot be checked against an output of the case. This is so
/// if a peer (another program) runs the stage, or if the saved value is not an output or is
/// overwritten later.
void check_saves(const VariantText& text, const Case& decided, std::vector<Issue>& issues) {
  for (std::size_t s = 0; s < decided.stages.size(); ++s) {
    const Stage& stage = decided.stages[s];
    if (roles_of(stage.op).files != FileUse::Writes) continue;
    const auto is_saved = [&](int output) {
      return buffer_of(decided, output) == buffer_of(decided, stage.out[0]);
    };
    const std::string& where = text_of(text, decided, s).pointer;
    if (!decided.peer.empty())
      issues.push_back({where, "files are saved in this process only (a peer's are not checked)"});
    else if (std::ranges::none_of(decided.outputs, is_saved) ||
             overwriter_of(decided, stage.out[0]) != nullptr)
      issues.push_back({where, "saves what the variant does not end with (put it last)"});
  }
}

void check_registrations(const VariantText& text, const Case& decided, std::vector<Issue>& issues) {
  const int registered = registered_value(decided);
  if (registered < 0) return;
  const auto stage = static_cast<std::size_t>(decided.values[registered].producer);
  issues.push_back({text_of(text, decided, stage).pointer,
                    "is never undone: the next iteration could not register the same pages again "
                    "(add an unregister stage)"});
}

}  // namespace

void check_threads(Reader& experiment) {
  Case unused;
  if (experiment.has("threads") && !is_swept(experiment.member("threads")))
    read_threads(experiment, {}, unused);
}

void describe_variant(Reader& reader) {
  Case decided;
  read_members(reader, {}, {}, true, decided);
}

std::optional<Case> decide_case(const VariantText& text, PlanContext& context) {
  const std::size_t before = context.issues.size();
  const Paths paths{.base_dir = context.options.base_dir,
                    .images_dir = context.options.images_dir,
                    .probe = context.probe};
  const auto read = [&](const std::vector<StageText>& stages) {
    Specs specs;
    for (const StageText& stage : stages)
      specs.push_back(read_stage(stage, paths, context.resolved, context.issues));
    return specs;
  };
  const Specs specs = read(text.stages), setup = read(text.setup);
  check_names(names_of(text, specs), context.issues);
  Wiring wiring(context.backends, names_peer(text.options));
  wire(text, specs, setup, wiring, context);
  Case decided = wiring.take();
  const std::size_t known = sources_of(decided) + decided.stages.size();
  const bool has_all_stages = text.whole && known == text.stages.size();
  read_options(text.options, context, has_all_stages, decided);
  if (!text.whole || context.issues.size() > before) return std::nullopt;
  if (!decided.peer.empty())
    check_peer_case(text, decided, context.issues);
  else if (decided.graph)
    check_graph(text, decided, context.issues);
  check_registrations(text, decided, context.issues);
  check_saves(text, decided, context.issues);
  check_lanes(text, decided, context.issues);
  if (decided.stages.empty())
    context.issues.push_back({text.options.pointer, "has no stage after its source"});
  if (context.issues.size() > before) return std::nullopt;
  return decided;
}

}  // namespace normbench

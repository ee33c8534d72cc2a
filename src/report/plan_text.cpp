#include "report/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "core/units.h"
#include "plan/label.h"
#include "plan/memory.h"
#include "plan/sweep.h"

namespace normbench {
namespace {

/// The widths of the columns in a stage's line: op, kernel (`row`), place and output. If the screen
/// is too narrow for columns, all are 0.
struct StageColumns {
  int op = 0, row = 0, place = 0, out = 0;
};
StageColumns stage_columns(std::size_t width) {
  if (width >= 90) return {.op = 11, .row = 16, .place = 4, .out = 36};
  if (width >= 78) return {.op = 9, .row = 9, .place = 4, .out = 35};
  return {};
}

/// Returns the width of the columns before the tensor of a source. With this width, the tensor is
/// in the same column as the outputs of the stages below.
int source_columns(std::size_t width) {
  const auto [op, row, place, out] = stage_columns(width);
  return op == 0 ? 0 : op + row + place + 2;
}

/// Collects lines, broken at `width` columns. A continued line is indented by four more columns.
class Lines {
 public:
  explicit Lines(std::size_t width) : width_(width) {}

  std::size_t width() const { return width_; }
  void add(std::size_t indent, std::string_view text) {
    constexpr std::size_t least = 16;  // minimum number of columns for the text after the indent
    text_ += text.empty() ? "\n" : wrapped(text, indent, std::max(width_, indent + least), 4);
  }
  std::string take() { return std::move(text_); }

 private:
  std::size_t width_;
  std::string text_;
};

std::string count(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// Returns what runs a stage: its kernel, "peer torch" for an external program, or "-" if nothing
/// here can run the stage.
std::string runner_text(const Case& planned, const Stage& stage) {
  if (!planned.peer.empty()) return "peer " + planned.peer;
  return stage.kernel == nullptr ? "-" : std::string(stage.kernel->name);
}

/// Returns the bytes that a stage moves, like "138 MB (fewest 111 MB)". If a peer (an external
/// program) runs it, only the fewest bytes are known.
std::string traffic_text(const Case& planned, const Stage& stage) {
  const std::int64_t moved = stage.cost.moved(), fewest = stage.fewest.moved();
  if (!planned.peer.empty()) return "fewest " + format_bytes(fewest);
  return format_bytes(moved) +
         (moved == fewest ? "" : fmt::format(" (fewest {})", format_bytes(fewest)));
}

/// Returns a text like ", 5 npy files of dataset \"npy-640x480\", mmap, cold page cache", or "" if
/// the stage loads no files.
std::string files_text(const Stage& stage) {
  const Load* const load = load_of(stage.op);
  if (load == nullptr || load->files.empty()) return "";
  std::string text =
      ", " + count(load->files.size(), fmt::format("{} file", name_of(load->storage)));
  if (!load->dataset.empty()) text += fmt::format(" of dataset \"{}\"", load->dataset_name());
  if (load->via == Via::Mmap) text += fmt::format(", {}", name_of(load->via));
  if (load->page_cache == PageCache::Cold)
    text += fmt::format(", {} page cache", name_of(load->page_cache));
  return text;
}

std::string stage_text(const Case& planned, const Stage& stage, const StageColumns& columns) {
  std::string text =
      fmt::format("{:<{}} {:<{}} {:<{}} {:<{}} {}", name_of(stage.op), columns.op,
                  runner_text(planned, stage), columns.row, name_of(stage.place), columns.place,
                  describe(stage.signature.out.front()), columns.out, traffic_text(planned, stage));
  if (stage.cost.link_bytes > 0)
    text += fmt::format(", link {}", format_bytes(stage.cost.link_bytes));
  text += files_text(stage);
  if (!planned.peer.empty() && !stage.forced.empty()) text += ", kernel " + stage.forced;
  if (stage.output != OutputPolicy::Reuse) text += fmt::format(", {}", name_of(stage.output));
  if (stage.label != own_label(stage.op, stage.forced))
    text += fmt::format(", label \"{}\"", stage.label);
  return text;
}

/// Adds a line for each range and each stage. The stages of a range are indented below it.
void add_stages(Lines& lines, const Case& planned) {
  constexpr std::size_t indent = 4, deeper = 2;
  const std::vector<StageRange> ranges = ranges_of(planned.stages);
  auto range = ranges.begin();
  for (std::size_t s = 0; s < planned.stages.size(); ++s) {
    const Stage& stage = planned.stages[s];
    const auto opens = std::ranges::count(ranges, s, &StageRange::first);
    std::size_t depth = stage.ranges.size() - static_cast<std::size_t>(opens);
    for (; range != ranges.end() && range->first == s; ++range)
      lines.add(indent + deeper * depth++, fmt::format("range \"{}\"", range->name));
    lines.add(indent + deeper * depth, stage_text(planned, stage, stage_columns(lines.width())));
  }
}

/// Returns the bytes that all stages of a case move, like "138 MB, link 111 MB". Returns "" if a
/// peer (an external program) runs the case, because its bytes are unknown.
std::string total_text(const Case& planned) {
  if (!planned.peer.empty()) return "";
  std::int64_t bytes = 0, link = 0;
  for (const Stage& stage : planned.stages) {
    bytes += stage.cost.moved();
    link += stage.cost.link_bytes;
  }
  return link == 0 ? format_bytes(bytes)
                   : fmt::format("{}, link {}", format_bytes(bytes), format_bytes(link));
}

/// Returns a text about a pipeline, like "3 in flight, 24 items a turn, lanes load (2 servers),
/// cpu", with a separator at its end. A turn is a timed run of the case. Returns "" if the case is
/// not a pipeline.
std::string pipeline_text(const Case& planned) {
  if (!planned.pipeline) return "";
  std::vector<std::string> lanes;
  for (const Lane& lane : planned.pipeline->lanes) {
    std::string text = lane.name;
    if (lane.servers > 1) text += fmt::format(" ({} servers)", lane.servers);
    if (lane.threads != planned.threads)
      text += fmt::format(" ({})", count(static_cast<std::size_t>(lane.threads), "thread"));
    lanes.push_back(std::move(text));
  }
  return fmt::format("{} in flight, {} a turn, {} {} · ", planned.pipeline->in_flight,
                     count(static_cast<std::size_t>(planned.pipeline->items), "item"),
                     lanes.size() == 1 ? "lane" : "lanes", fmt::join(lanes, ", "));
}

/// Returns how a case's work is submitted to the GPU, and when the host waits for it. Returns "" if
/// the case does not use the GPU, or if several of its items are in flight at once.
std::string submission_text(const Case& planned) {
  if (!planned.uses_gpu() || planned.pipeline) return "";
  std::string text = planned.graph ? "graph · " : "";
  switch (planned.wait) {
    case Wait::Stage:
      return text + "host waits per stage · ";
    case Wait::Iteration:
      return text + "host waits per batch · ";
    case Wait::Turn:
      return text + "host waits per turn · ";
  }
  return text;
}

void add_case(Lines& lines, const Case& planned, bool is_baseline) {
  const std::string work_text =
      planned.peer.empty()
          ? pipeline_text(planned) + submission_text(planned) + "moves " + total_text(planned)
          : "run by peer " + planned.peer;
  lines.add(2, fmt::format("{}{} · {} · {}", planned.variant, is_baseline ? " (baseline)" : "",
                           count(static_cast<std::size_t>(planned.threads), "thread"), work_text));
  for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
    const Value& value = planned.values[i];
    const std::string what = planned.inputs[i].setup ? "made once" : "source";
    lines.add(4, fmt::format("{:<{}} {}",
                             value.name.empty() ? what : fmt::format("{} {}", what, value.name),
                             source_columns(lines.width()), describe(value.desc)));
  }
  add_stages(lines, planned);
  if (planned.skip) lines.add(4, "skipped: " + *planned.skip);
}

/// Adds the commands that start the group's peers (external programs), each on a line.
void add_peers(Lines& lines, const Plan& plan, const Group& group) {
  std::set<std::string> names;
  for (const Case& planned : group.cases) names.insert(planned.peer);
  for (const auto& [name, command] : plan.peers)
    if (names.contains(name))
      lines.add(
          2, fmt::format("peer {} (needs --allow-peers): {}", name, fmt::join(command.argv, " ")));
}

std::string axes_before(const Group& group) {
  return group.point.empty() ? "" : axes_text(group.point) + " · ";
}

/// Returns a text like "332 MB of host memory, 180 MB of device memory".
std::string needed_text(const Sides& bytes) {
  if (bytes == Sides{}) return "nothing can run here";
  const std::string host = format_bytes(bytes.host) + " of host memory";
  return bytes.device == 0
             ? host
             : fmt::format("{}, {} of device memory", host, format_bytes(bytes.device));
}

/// Returns a separator and the settings of the experiment that override those of the config, like
/// "hot cache, to 2 %". If the batch was scaled down, a note about that follows. Returns "" if
/// there is nothing to say.
std::string own_text(const Plan& plan, const Group& group) {
  const Measure measure = plan.measure_of(group);
  std::vector<std::string> said;
  if (group.own.cache) said.push_back(fmt::format("{} cache", name_of(measure.cache)));
  if (group.own.precision) said.push_back("to " + format_percent(measure.precision));
  if (group.own.max_seconds_per_group)
    said.push_back(fmt::format("budget {:g} s", measure.max_seconds_per_group));
  if (group.scaled_from > 0)
    said.push_back(fmt::format("fewer images than the {} asked for, which do not fit in memory",
                               group.scaled_from));
  return said.empty() ? "" : fmt::format(" · {}", fmt::join(said, ", "));
}

/// Returns ids of published experiments, like " (A5, A6)", or "" if there are none.
std::string ids_text(const std::vector<std::string>& ids) {
  return ids.empty() ? "" : fmt::format(" ({})", fmt::join(ids, ", "));
}

std::string meant_at(const Json& point) { return point.empty() ? "" : ", at " + axes_text(point); }

/// Returns the size that a claim states, like ", 3.69x", ", within 1.0 %" or ", grows along batch",
/// or "" if it states none.
std::string size_text(const Claim& claim) {
  if (claim.across)
    return fmt::format(", {} along {}", name_of(claim.across->trend), claim.across->axis);
  if (claim.within) return ", within " + format_percent(*claim.within);
  if (!claim.ratio) return "";
  const auto& [low, high] = *claim.ratio;
  return low == high ? fmt::format(", {:g}x", low) : fmt::format(", {:g}-{:g}x", low, high);
}

/// Adds the ids and claims of the experiment. They are the same at all points of the sweep. Called
/// only for the first point.
void add_claims(Lines& lines, const Group& group) {
  if (!group.ids.empty()) lines.add(2, fmt::format("published as {}", fmt::join(group.ids, ", ")));
  for (const Claim& claim : group.claims)
    lines.add(2, fmt::format("claim{}: {} {} {}{}{}: {}", ids_text(claim.ids), claim.left,
                             name_of(claim.relation), claim.right, size_text(claim),
                             meant_at(claim.point), claim.text));
}

/// Adds the published figures of the group's cases.
void add_figures(Lines& lines, const Group& group) {
  for (const Published& one : group.published) {
    std::vector<std::string> figures;
    const auto add = [&](const std::optional<double>& value, std::string_view unit) {
      if (value) figures.push_back(fmt::format("{:g}{}", *value, unit));
    };
    add(one.wall_ms, " ms wall");
    add(one.device_ms, " ms device");
    add(one.sum_ms, " ms host and device");
    add(one.submitted_ms, " ms until submitted");
    add(one.first_call_ms, " ms first call");
    add(one.speed_up, "x the baseline");
    lines.add(2, fmt::format("published{}: {}{}: {}{}", ids_text(one.ids), one.variant,
                             one.stage.empty() ? "" : ", " + one.stage, fmt::join(figures, ", "),
                             one.items > 1 ? fmt::format(" of {} iterations", one.items) : ""));
  }
}

/// Adds a group (all cases at one point of a sweep), with every stage of every case.
void add_whole(Lines& lines, const Plan& plan, const Group& group, const std::string& memory) {
  lines.add(1, axes_before(group) + memory + own_text(plan, group));
  for (const Case& planned : group.cases)
    add_case(lines, planned, planned.variant == group.baseline);
  add_peers(lines, plan, group);
  std::vector<std::string> names;
  for (const Case& limit : group.limits)
    if (!limit.skip) names.push_back(limit.variant);
  if (!names.empty()) lines.add(2, fmt::format("limits: {}", fmt::join(names, "; ")));
  for (const Case& limit : group.limits)
    if (limit.skip) lines.add(2, fmt::format("no limit {}: {}", limit.variant, *limit.skip));
  add_claims(lines, group);
  add_figures(lines, group);
}

/// The reasons why cases are skipped, by variant.
using Skips = std::map<std::string, std::string>;

Skips skips_of(const Group& group) {
  Skips skips;
  for (const Case& planned : group.cases)
    if (planned.skip) skips.emplace(planned.variant, *planned.skip);
  return skips;
}

/// Adds the text of a group at a later point of a sweep: the bytes that each case moves, and the
/// skipped cases. A case that the first point skips for the same reason is left out.
void add_short(Lines& lines, const Group& group, const Skips& first, const std::string& memory) {
  std::vector<std::string> totals;
  for (const Case& planned : group.cases)
    if (const std::string total = total_text(planned); !total.empty())
      totals.push_back(fmt::format("{} {}", planned.variant, total));
  lines.add(1, fmt::format("{}{}{}{}", axes_before(group), memory,
                           totals.empty() ? "" : " · moves: ", fmt::join(totals, "; ")));
  for (const Case& planned : group.cases) {
    if (!planned.skip) continue;
    const auto same = first.find(planned.variant);
    if (same == first.end() || same->second != *planned.skip)
      lines.add(2, fmt::format("{} skipped: {}", planned.variant, *planned.skip));
  }
  add_figures(lines, group);
}

/// Returns a text like "free: 8.10 GB of host memory (the container allows 8.60 GB)", or "" if the
/// free memory is unknown.
std::string free_text(const Plan& plan) {
  const auto side = [](std::int64_t bytes, std::string_view name, const std::string& note) {
    return bytes == 0 ? ""
                      : fmt::format("{} of {} memory{}", format_bytes(bytes), name,
                                    note.empty() ? "" : fmt::format(" ({})", note));
  };
  const std::string host = side(plan.free_bytes.host, "host", plan.free_notes.host);
  const std::string device = side(plan.free_bytes.device, "device", plan.free_notes.device);
  if (host.empty() && device.empty()) return "";
  return fmt::format("free: {}{}{}", host, host.empty() || device.empty() ? "" : ", ", device);
}

/// Returns the estimated size of results.json if it is 10 MB or more, else "".
std::string document_size_text(const Plan& plan) {
  constexpr double matters = 10e6;
  // A rough estimate of the number of rounds of a case.
  const std::int64_t rounds = plan.measure.quick ? 5 : 20 * plan.measure.processes;
  const auto bytes = static_cast<double>(document_bytes(plan, rounds));
  if (bytes < matters) return "";
  return fmt::format("results.json: about {}, at {} rounds a case", format_bytes(bytes), rounds);
}

void add_head(Lines& lines, const Plan& plan) {
  std::size_t cases = 0, skipped = 0;
  for (const Group& group : plan.groups)
    for (const Case& planned : group.cases) {
      ++cases;
      if (planned.skip) ++skipped;
    }
  double seconds = 0;
  for (const Group& group : plan.groups)
    if (group.runs_here()) seconds += plan.measure_of(group).max_seconds_per_group;
  lines.add(0, plan.about.empty() ? plan.name : plan.name + ": " + plan.about);
  lines.add(0, fmt::format("{}, {} ({} skipped here) · {} cache, {} clock, to {} · "
                           "budget {} s",
                           count(plan.groups.size(), "group"), count(cases, "case"), skipped,
                           name_of(plan.measure.cache), name_of(plan.measure.clock),
                           format_percent(plan.measure.precision), format_significant(seconds, 3)));
  for (const std::string& line : {free_text(plan), document_size_text(plan)})
    if (!line.empty()) lines.add(0, line);
}

}  // namespace

std::string plan_text(const Plan& plan, const Sides& cache_bytes, std::size_t width) {
  Lines lines(width);
  add_head(lines, plan);
  const Group* first = nullptr;  // first group of the current experiment
  Skips skips;                   // skipped cases of `first`
  for (const Group& group : plan.groups) {
    const std::string memory =
        needed_text(memory_bytes(group, plan.measure_of(group), cache_bytes));
    if (first != nullptr && first->experiment == group.experiment) {
      add_short(lines, group, skips, memory);
      continue;
    }
    first = &group;
    skips = skips_of(group);
    lines.add(0, "");
    lines.add(0,
              group.question.empty() ? group.experiment : group.experiment + ": " + group.question);
    add_whole(lines, plan, group, memory);
  }
  return lines.take();
}

}  // namespace normbench

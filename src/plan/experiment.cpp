#include "plan/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/units.h"
#include "plan/composed.h"
#include "plan/config.h"
#include "plan/fit.h"
#include "plan/only.h"

namespace normbench {
namespace {

// An experiment has at most this many cases over all points of its sweep.
constexpr std::size_t most_cases = 100'000;

/// An experiment and its axes, as they are used to plan each point of its sweep.
struct Frame {
  const Json& experiment;
  std::string pointer;
  const Json& written_sweep;  // the sweep in the file, before --set
  std::vector<Axis> sweep, vary;
  std::set<std::string> used;  // axes that the text of the experiment uses
  // The number of images of the source if --fit reduces it. 0: the number in the config.
  std::int64_t batch = 0;
};

/// Returns `Case::variant`, the full name, of the case called `name`. If no case has this name,
/// adds an issue at `pointer` and returns `name`.
std::string resolve(const std::string& name, const std::string& pointer, const Group& group,
                    std::vector<Issue>& issues) {
  if (const Case* found = group.find(name)) return found->variant;
  std::vector<std::string> known;
  for (const Case& one : group.cases) {
    if (std::ranges::find(known, one.written) == known.end()) known.push_back(one.written);
    if (one.variant != one.written) known.push_back(one.variant);
  }
  issues.push_back({pointer, unknown("variant", name, known)});
  return name;
}

/// Reads "point" of a published figure or claim: {axis: value}. Returns null if there is none.
/// Reports unknown axes and values.
Json read_point(Reader& entry, const Frame& frame) {
  if (!entry.has("point")) return {};
  Reader point = entry.object("point");
  const Json& said = entry.member("point");
  if (!said.is_object()) return {};
  std::vector<std::string> known;
  for (const auto* axes : {&frame.sweep, &frame.vary})
    for (const Axis& axis : *axes) {
      known.push_back(axis.name);
      const bool is_swept = axes == &frame.sweep;
      const auto is_wanted = [&](const Json& value) { return value == said.at(axis.name); };
      const Json& written = value_at(frame.written_sweep, "/" + pointer_token(axis.name));
      if (said.contains(axis.name) && std::ranges::none_of(axis.values, is_wanted) &&
          !(is_swept && written.is_array() && std::ranges::any_of(written, is_wanted)))
        point.complain_at(axis.name,
                          fmt::format("{} is not a value of the axis (known: {})",
                                      said.at(axis.name).dump(), Json(axis.values).dump()));
    }
  for (const auto& [name, value] : said.items())
    if (std::ranges::find(known, name) == known.end())
      point.complain_at(name, unknown("axis", name, known));
  return said;
}

/// Returns the first case called `said` whose axes agree with `point`; null if there is none.
const Case* case_at(const std::string& said, const Json& point, const Group& group) {
  const auto found = std::ranges::find_if(group.cases, [&](const Case& one) {
    return (one.written == said || one.variant == said) && agree(point, one.axes);
  });
  return found == group.cases.end() ? nullptr : &*found;
}

std::optional<double> read_figure(Reader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key, 1, 1e-9, 1e12);
}

void read_baseline(Reader& experiment, Group& group) {
  if (!group.cases.empty()) group.baseline = group.cases.front().variant;
  if (!experiment.has("baseline")) return;
  const std::string said = experiment.text("baseline", group.baseline);
  group.baseline = resolve(said, experiment.pointer_to("baseline"), group, experiment.issues());
}

void check_stage(Reader& published, const std::string& stage, const Case& meant) {
  std::vector<std::string> labels;
  for (const Stage& one : meant.stages) labels.push_back(one.label);
  if (!stage.empty() && !labels.empty() && std::ranges::find(labels, stage) == labels.end())
    published.complain_at("stage", unknown("stage", stage, labels));
}

/// If a published figure is about one stage ("stage"), reports members that are allowed only for a
/// whole variant.
void check_parts(Reader& reader, const Published& published) {
  if (!published.stage.empty() && published.speed_up)
    reader.complain_at("speed_up", "cannot be given for a \"stage\"");
  if (!published.stage.empty() && published.submitted_ms)
    reader.complain_at("submitted_ms",
                       "goes with the whole variant (a \"stage\" takes other times)");
  if (!published.stage.empty() && published.first_call_ms)
    reader.complain_at("first_call_ms",
                       "goes with the whole variant (first calls of stages are not known)");
}

/// Reads "ids" of a published figure or claim. Without "ids" returns the ids of the experiment.
/// Reports ids that the experiment does not list.
std::vector<std::string> read_ids(Reader& entry, const Group& group) {
  std::vector<std::string> ids = entry.texts("ids", group.ids);
  for (const std::string& id : ids)
    if (std::ranges::find(group.ids, id) == group.ids.end())
      entry.complain_at("ids", unknown("id of the experiment", id, group.ids));
  return ids;
}

/// Reads "published" of the experiment, and adds to the group the figures for the group's point of
/// the sweep.
void read_published(Reader& experiment, const Frame& frame, Group& group) {
  experiment.each_object("published", [&](Reader& reader) {
    const std::string said = reader.text("variant", "");
    Published published;
    published.point = read_point(reader, frame);
    published.ids = read_ids(reader, group);
    published.stage = reader.text("stage", "");
    published.wall_ms = read_figure(reader, "wall_ms");
    published.device_ms = read_figure(reader, "device_ms");
    published.sum_ms = read_figure(reader, "sum_ms");
    published.submitted_ms = read_figure(reader, "submitted_ms");
    published.first_call_ms = read_figure(reader, "first_call_ms");
    published.speed_up = read_figure(reader, "speed_up");
    published.items = reader.integer("items", 0, 1);
    check_parts(reader, published);
    published.where = reader.text("where", "");
    if (!reader.require("variant", "whose figure is it?")) return;
    if (!published.wall_ms && !published.device_ms && !published.sum_ms &&
        !published.submitted_ms && !published.first_call_ms && !published.speed_up)
      reader.complain(
          "no figure (wall_ms, device_ms, sum_ms, submitted_ms, first_call_ms or speed_up)");
    published.variant = resolve(said, reader.pointer_to("variant"), group, reader.issues());
    const Case* meant = case_at(said, published.point, group);
    if (published.submitted_ms && meant && (!meant->peer.empty() || !meant->uses_gpu()))
      reader.complain_at("submitted_ms",
                         "is measured only for variants on the GPU, and for no peer");
    if (!meant || !agree(published.point, group.point)) return;
    published.variant = meant->variant;
    check_stage(reader, published.stage, *meant);
    group.published.push_back(published);
  });
}

/// Reads "ratio": a number, like 3.69, or a range, like [3.5, 4.0].
std::optional<ClaimedRatio> read_ratio(Reader& claim) {
  if (!claim.has("ratio")) return std::nullopt;
  const std::vector<double> said = claim.numbers("ratio", {});
  if (said.empty() || said.size() > 2 || said.front() <= 1 || said.front() > said.back() ||
      said.back() > 1e6) {
    claim.complain_at(
        "ratio",
        "expected a number above 1, at most 1e6, or [low, high] (the slower side's time over "
        "the faster one's)");
    return std::nullopt;
  }
  return ClaimedRatio{.low = said.front(), .high = said.back()};
}

/// Returns true for a number and for a size [height, width].
bool is_numeric(const Json& value) {
  return value.is_number() ||
         (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number());
}

/// Reads "across" of a claim: an axis and a trend, like {"threads": "shrinks"}.
std::optional<ClaimedTrend> read_trend(Reader& claim, const Frame& frame) {
  claim.takes("across", {{"type", "object"},
                         {"minProperties", 1},
                         {"maxProperties", 1},
                         {"additionalProperties", {{"enum", all_words<Trend>()}}}});
  if (!claim.has("across")) return std::nullopt;
  const Json& said = claim.member("across");
  if (!said.is_object() || said.size() != 1) {
    claim.complain_at("across", "expected one axis: {\"batch\": \"grows\"}");
    return std::nullopt;
  }
  Reader reader = claim.object("across");
  ClaimedTrend trend{.axis = said.begin().key(), .trend = Trend::Stays};
  trend.trend = reader.word(trend.axis, trend.trend);
  std::vector<std::string> known;
  for (const Axis& axis : frame.sweep) known.push_back(axis.name);
  const auto axis = std::ranges::find(frame.sweep, trend.axis, &Axis::name);
  if (axis == frame.sweep.end())
    reader.complain_at(trend.axis, unknown("axis of the sweep", trend.axis, known));
  else if (!std::ranges::all_of(axis->values, is_numeric))
    reader.complain_at(trend.axis, "the axis has values that are no numbers and no sizes");
  return trend;
}

/// Reports members of a claim that its relation or its other members do not allow.
void check_size(Reader& reader, const Claim& claim) {
  const bool is_equal = claim.relation == Relation::Equal;
  if (is_equal && reader.has("ratio"))
    reader.complain_at("ratio", "goes with \"<\" and \">\" (\"=\" takes \"within\": 0.01 for 1 %)");
  if (is_equal && claim.across) reader.complain_at("across", "goes with \"<\" and \">\"");
  if (!is_equal && claim.within)
    reader.complain_at("within", "goes with \"=\" (\"<\" and \">\" take \"ratio\")");
  if (claim.across && claim.point.is_object() && claim.point.contains(claim.across->axis))
    reader.complain_at("point", "must not set the axis of \"across\"");
  if (!is_equal && claim.across && claim.ratio)
    reader.complain_at("ratio", "does not go with \"across\" (write two claims)");
}

void read_claims(Reader& experiment, const Frame& frame, Group& group) {
  experiment.each_object("claims", [&](Reader& reader) {
    const std::string text = reader.text("text", "");
    Claim claim;
    claim.ids = read_ids(reader, group);
    claim.point = read_point(reader, frame);
    claim.ratio = read_ratio(reader);
    if (reader.has("within")) claim.within = reader.number("within", 0, 0);
    claim.across = read_trend(reader, frame);
    reader.takes("expects",
                 {{"type", "array"},
                  {"prefixItems",
                   {{{"type", "string"}}, {{"enum", all_words<Relation>()}}, {{"type", "string"}}}},
                  {"minItems", 3},
                  {"maxItems", 3}});
    const std::vector<std::string> expects = reader.texts("expects", {});
    if (reader.require("text", "the claim in words") && reader.member("text") == "")
      reader.complain_at("text", "is empty (the claim in words)");
    const auto relation = expects.size() == 3 ? parse_word<Relation>(expects[1]) : std::nullopt;
    if (!relation)
      return reader.complain_at("expects", "expected [variant, \"<\" or \">\" or \"=\", variant]");
    const std::string at = reader.pointer_to("expects");
    const auto side = [&](std::size_t i) {
      const Case* meant = case_at(expects[i], claim.point, group);
      return meant ? meant->variant
                   : resolve(expects[i], fmt::format("{}/{}", at, i), group, reader.issues());
    };
    claim.text = text;
    claim.left = side(0);
    claim.relation = *relation;
    claim.right = side(2);
    check_size(reader, claim);
    if (claim.left == claim.right)
      reader.complain_at(
          "expects", fmt::format("compares \"{}\" with itself (name two variants)", claim.left));
    group.claims.push_back(std::move(claim));
  });
}

/// The name and the text of a variant in the config.
struct WrittenVariant {
  const std::string& name;
  const Json& text;
};

/// Plans a variant with these axis values. Returns a case without a name; after a mistake, an empty
/// case. Adds the axes that the variant uses to `used`.
Case plan_variant(const Frame& frame, const WrittenVariant& written, const Combination& values,
                  std::set<std::string>& used, PlanContext& context) {
  const VariantPlace place{.defaults = context.defaults,
                           .experiment = frame.experiment,
                           .pointer = frame.pointer,
                           .batch = frame.batch};
  const std::size_t before = context.issues.size();
  Substitution axes(values.assignment, context.issues, values.places);
  const VariantText text =
      complete_variant(place, written.name, written.text, axes, context.issues);
  Case planned = decide_case(text, context).value_or(Case{});
  axes.relocate(std::span(context.issues).subspan(before));
  used.insert(axes.used().begin(), axes.used().end());
  return planned;
}

/// The names that the cases of a group have so far, and the files that they load.
class Taken {
 public:
  /// Returns true if another case has the name of `planned`.
  bool has_name(const Case& planned) const { return names_.contains(planned.variant); }

  /// Returns the index of the first case that loads a file of `planned` with another `page_cache`
  /// (cold or warm) than `planned`. Returns nothing if there is none.
  std::optional<std::size_t> loads_otherwise(const Case& planned) const {
    std::optional<std::size_t> first;
    const Load* const own = planned.loader();
    if (own == nullptr) return first;
    for (const auto& [page_cache, files] : files_) {
      if (page_cache == own->page_cache) continue;
      for (const std::string& file : own->files)
        if (const auto found = files.find(file); found != files.end())
          first = std::min(first.value_or(found->second), found->second);
    }
    return first;
  }

  /// Adds a case. `index` is its index in the group.
  void add(const Case& planned, std::size_t index) {
    names_.insert({planned.written, planned.variant});
    if (const Load* const load = planned.loader())
      for (const std::string& file : load->files) files_[load->page_cache].emplace(file, index);
  }

 private:
  std::set<std::string> names_;
  // For each `page_cache` setting and each file: the index of the first case that loads the file
  // with this setting.
  std::map<PageCache, std::unordered_map<std::string, std::size_t>> files_;
};

/// Adds a case to the group. Reports the case if an earlier case has the same name, or loads some
/// of the same files with another `page_cache`.
void add_case(const Frame& frame, Case decided, Taken& taken, Group& group, PlanContext& context) {
  const std::string at = frame.pointer + "/variants/" + pointer_token(decided.written);
  if (taken.has_name(decided))
    context.issues.push_back({at, fmt::format("two variants are called \"{}\"", decided.variant)});
  if (const auto other = taken.loads_otherwise(decided))
    context.issues.push_back(
        {at, fmt::format("loads files cold that \"{}\" loads warm, or the other way round: each "
                         "would spoil the other's (make page_cache an axis of the sweep)",
                         group.cases[*other].variant)});
  taken.add(decided, group.cases.size());
  group.cases.push_back(std::move(decided));
}

/// Returns the axes of `vary` that are in `used`.
std::vector<Axis> varied_axes(const Frame& frame, const std::set<std::string>& used) {
  std::vector<Axis> varied;
  std::ranges::copy_if(frame.vary, std::back_inserter(varied),
                       [&](const Axis& axis) { return used.contains(axis.name); });
  return varied;
}

/// A variant at a point of the sweep, planned with the first value of each `vary` axis.
struct FirstCase {
  WrittenVariant written;
  Combination values;
  Case planned;
  std::set<std::string> used;  // axes that the variant uses
};

FirstCase plan_first(Frame& frame, const WrittenVariant& written, const Combination& point,
                     PlanContext& context) {
  FirstCase first{.written = written, .values = point, .planned = {}, .used = {}};
  for (const Axis& axis : frame.vary) {
    first.values.assignment[axis.name] = axis.values.front();
    first.values.places[axis.name] = axis.pointer + "/0";
  }
  first.planned = plan_variant(frame, written, first.values, first.used, context);
  frame.used.insert(first.used.begin(), first.used.end());
  return first;
}

/// Adds the cases of a variant at a point of the sweep. The variant has one case for each
/// combination of values of the `vary` axes that it uses.
void add_variant(const Frame& frame, FirstCase first, Taken& taken, Group& group,
                 PlanContext& context) {
  const std::string& name = first.written.name;
  const std::vector<Combination> varied = combinations(varied_axes(frame, first.used));
  Combination values = std::move(first.values);
  for (const Combination& axes : varied) {
    values.assignment.update(axes.assignment);
    for (const auto& [axis, place] : axes.places) values.places[axis] = place;
    Case decided = &axes == &varied.front()
                       ? std::move(first.planned)
                       : plan_variant(frame, first.written, values, first.used, context);
    decided.written = name;
    decided.variant =
        axes.assignment.empty() ? name : fmt::format("{} [{}]", name, axes_text(axes.assignment));
    decided.axes = axes.assignment;
    add_case(frame, std::move(decided), taken, group, context);
  }
}

/// If the experiment has too many cases, reports that and returns true. `cases` is the number of
/// cases at one point of the sweep.
bool has_too_many(const Frame& frame, std::size_t cases, PlanContext& context) {
  const std::size_t all = count_combinations(frame.sweep) * cases;
  if (all <= most_cases) return false;
  context.issues.push_back(
      {frame.pointer,
       fmt::format("has {} cases (at most {}: leave out values of \"sweep\" or "
                   "\"vary\", or write several experiments)",
                   format_count(static_cast<std::int64_t>(all)), format_count(most_cases))});
  return true;
}

void read_rest(Reader& reader, const Frame& frame, bool quick, Group& group) {
  group.experiment = reader.text("name", "");
  group.question = reader.text("question", "");
  group.ids = reader.texts("ids", {});
  group.may_differ = reader.word_list<Difference>("may_differ");
  if (reader.has("measure")) group.own = read_own_measure(reader.object("measure"), quick);
  read_baseline(reader, group);
  read_published(reader, frame, group);
  read_claims(reader, frame, group);
}

/// Plans the group at a point of the sweep. If the experiment has too many cases, reports that and
/// returns nothing.
std::optional<Group> plan_point(Frame& frame, const Combination& point, PlanContext& context) {
  Group group;
  group.point = point.assignment;
  std::vector<FirstCase> firsts;
  std::size_t cases = 0;
  for (const auto& [name, variant] : frame.experiment.at("variants").items()) {
    firsts.push_back(plan_first(frame, {.name = name, .text = variant}, point, context));
    cases += count_combinations(varied_axes(frame, firsts.back().used));
  }
  if (has_too_many(frame, cases, context)) return std::nullopt;
  Taken taken;
  for (FirstCase& first : firsts) add_variant(frame, std::move(first), taken, group, context);
  const std::size_t before = context.issues.size();
  Substitution substitution(point.assignment, context.issues, point.places);
  Json rest = Json::object();
  for (const std::string key :
       {"name", "ids", "question", "may_differ", "measure", "baseline", "published", "claims"})
    if (frame.experiment.contains(key))
      rest[key] = substitution.apply(frame.experiment.at(key), frame.pointer + "/" + key);
  frame.used.insert(substitution.used().begin(), substitution.used().end());
  Reader reader(rest, frame.pointer, context.issues);
  read_rest(reader, frame, context.options.quick, group);
  substitution.relocate(std::span(context.issues).subspan(before));
  return group;
}

/// Returns true if a member "batch", "shape" or "source" anywhere in `json` has an axis as its
/// value, like "$batch". --fit must not reduce the batch then, because the batch would differ from
/// the value at the group's point of the sweep.
bool sweeps_batch(const Json& json) {
  if (!json.is_structured()) return false;
  constexpr std::array sweepable{"/batch", "/shape", "/source"};
  if (json.is_object() && std::ranges::any_of(sweepable, [&](const char* member) {
        return value_at(json, member).is_string();
      }))
    return true;
  return std::ranges::any_of(json, sweeps_batch);
}

/// Plans the group at a point of the sweep. If the group does not fit in memory and --fit is given,
/// plans it again with fewer images, and returns that group if it fits. Returns nothing if the
/// experiment has too many cases.
std::optional<Group> plan_fitting(Frame& frame, const Combination& point, PlanContext& context) {
  std::optional<Group> planned = plan_point(frame, point, context);
  if (!planned || !context.options.fit || !context.issues.empty()) return planned;
  const Group& group = *planned;
  const Cache cache = group.own.over(context.measure).cache;
  Group chosen = group;
  keep_chosen(chosen, context.options.only);
  const std::int64_t batch = batch_to_fit(chosen, cache, context.options);
  if (batch == 0 || sweeps_batch(frame.experiment) || sweeps_batch(context.defaults))
    return planned;
  frame.batch = batch;
  Group fitting = plan_point(frame, point, context).value();
  frame.batch = 0;
  fitting.scaled_from = chosen.runnable().front()->images();
  keep_chosen(chosen = fitting, context.options.only);
  return fits(chosen, cache, context.options) ? std::move(fitting) : std::move(planned);
}

/// Reports axes that nothing in the experiment or in `defaults` uses.
void check_used(Reader& reader, const Frame& frame) {
  const auto check = [&](std::string_view key, const std::vector<Axis>& axes) {
    for (const Axis& axis : axes)
      if (!frame.used.contains(axis.name))
        reader.issues().push_back(
            {reader.pointer_to(key) + "/" + axis.name,
             fmt::format("axis \"{0}\" is never used (write \"${0}\")", axis.name)});
  };
  check("sweep", frame.sweep);
  check("vary", frame.vary);
}

/// Removes the issues, from index `before` on, that are at a value like "$axis" with an axis in
/// `wrong`. Such issues only follow from the mistake in this axis.
void drop_followers(const std::set<std::string>& wrong, std::size_t before, PlanContext& context) {
  if (wrong.empty()) return;
  const auto follows = [&](const Issue& issue) {
    const Json& value = value_at(context.config, issue.pointer);
    if (!value.is_string() || !value.get_ref<const std::string&>().starts_with('$')) return false;
    const std::string name = value.get<std::string>().substr(1);
    return wrong.contains(name.substr(0, name.find('.')));
  };
  auto& issues = context.issues;
  const auto first = issues.begin() + static_cast<std::ptrdiff_t>(before);
  issues.erase(std::remove_if(first, issues.end(), follows), issues.end());
}

std::string name_mistake(std::string_view name) {
  if (name.find_first_not_of(' ') == name.npos) return "is empty (tables and sentences name it)";
  return name.front() == ' ' || name.back() == ' ' ? "begins or ends with a blank" : "";
}

/// Reports missing, unknown and contradictory keys of an experiment. Returns true if it has
/// variants.
bool check_keys(Reader& reader) {
  reader.require("name", "it names the experiment in outputs");
  for (const std::string_view key :
       {"ids", "sweep", "vary", "question", "may_differ", "measure", "source", "load", "setup",
        "outputs", "baseline", "published", "claims"})
    reader.has(key);
  check_threads(reader);
  const bool has_variants = reader.require("variants", "an object of pipelines to compare");
  const Json& variants = reader.member("variants");
  if (reader.has("source") && reader.has("load"))
    reader.complain("has both \"source\" and \"load\" (keep one)");
  if (reader.has("setup") && reader.has("load"))
    reader.complain_at("setup", "goes with \"source\" (nothing is loaded before a setup)");
  if (has_variants && !variants.is_object())
    reader.complain_at("variants", wrong_type("an object of variants", variants));
  else if (has_variants && variants.empty())
    reader.complain_at("variants", "has no variants (an object of at least one)");
  const Json& name = reader.member("name");
  const std::string mistake = name.is_string() ? name_mistake(name.get<std::string>()) : "";
  if (!mistake.empty()) reader.complain_at("name", mistake);
  if (variants.is_object())
    for (const auto& [variant, stages] : variants.items())
      if (const std::string wrong = name_mistake(variant); !wrong.empty())
        reader.complain_at("variants", fmt::format("the name \"{}\" {}", variant, wrong));
  reader.finish();
  return variants.is_object() && !variants.empty();
}

}  // namespace

void describe_experiment(Reader& reader) {
  const Json none = Json::object();
  const Frame frame{.experiment = none,
                    .pointer = "",
                    .written_sweep = none,
                    .sweep = {},
                    .vary = {},
                    .used = {}};
  Group group;
  read_rest(reader, frame, false, group);
  check_keys(reader);
}

std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context) {
  std::vector<Group> groups;
  Reader reader(experiment, pointer, context.issues);
  Axes sweep = read_axes(reader, "sweep"), vary = read_axes(reader, "vary");
  const bool is_refused = sweep.too_many || vary.too_many;
  Frame frame{.experiment = experiment,
              .pointer = pointer,
              .written_sweep = value_at(context.written, pointer + "/sweep"),
              .sweep = std::move(sweep.list),
              .vary = std::move(vary.list),
              .used = {}};
  for (const Axis& axis : frame.vary)
    if (std::ranges::find(frame.sweep, axis.name, &Axis::name) != frame.sweep.end())
      reader.complain_at("vary", fmt::format("axis \"{}\" is in sweep too (keep one)", axis.name));
  // If "sweep" or "vary" has too many combinations (`is_refused`), its list of axes is empty here,
  // and planning would report each use of these axes as a further mistake.
  if (!experiment.is_object() || !check_keys(reader) || is_refused) return groups;
  const std::size_t before = context.issues.size();
  for (const Combination& point : combinations(frame.sweep)) {
    std::optional<Group> group = plan_fitting(frame, point, context);
    if (!group) return groups;
    groups.push_back(std::move(*group));
  }
  check_used(reader, frame);
  sweep.wrong.merge(vary.wrong);
  drop_followers(sweep.wrong, before, context);
  return groups;
}

}  // namespace normbench

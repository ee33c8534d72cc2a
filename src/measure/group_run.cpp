#include "measure/group_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <new>
#include <utility>

#include "core/units.h"
#include "document/batch_shape.h"
#include "machine/disturbance.h"
#include "measure/contender.h"
#include "measure/peer/contender.h"

namespace normbench {
namespace {

/// Returns the name of the kernel that runs the stage. If a peer runs the stage, returns the kernel
/// that the config names, or "" if it names none.
std::string kernel_of(const Stage& stage, bool by_peer) {
  if (by_peer) return stage.forced;
  return stage.kernel ? std::string(stage.kernel->name) : "";
}

StageResult stage_result(const Stage& stage, const TensorDesc& out, bool by_peer) {
  return {.op = std::string(name_of(stage.op)),
          .label = stage.label,
          .kernel = kernel_of(stage, by_peer),
          .forced = !stage.forced.empty(),
          .ranges = stage.ranges,
          .place = stage.place,
          .out = out,
          .parameters = stage.parameters,
          .min_bytes = stage.fewest.moved(),
          .min_read_bytes = stage.fewest.read_bytes,
          .bytes = stage.cost.moved(),
          .link_bytes = stage.cost.link_bytes,
          .flops = stage.cost.flops,
          .output = stage.output,
          .rounds_ns = {},
          .resident = stage.resident};
}

CaseResult case_result(const Case& planned) {
  CaseResult result{.variant = planned.variant,
                    .written = planned.written == planned.variant ? "" : planned.written,
                    .axes = planned.axes,
                    .status = planned.skip ? Status::Skipped : Status::Ok,
                    .reason = planned.skip.value_or(""),
                    .skip = planned.skip ? std::optional(planned.skip_kind) : std::nullopt,
                    .threads = planned.threads,
                    .threads_decided = planned.threads_decided,
                    .wait = planned.uses_gpu() ? std::optional(planned.wait) : std::nullopt,
                    .graph = planned.graph,
                    .peer = planned.peer,
                    .resident = planned.resident,
                    .images = planned.images(),
                    .source_bytes = planned.fewest_read_bytes(),
                    .result_bytes = planned.output_bytes(),
                    .source = planned.inputs.empty()
                                  ? std::nullopt
                                  : std::optional(planned.inputs[0].source.desc()),
                    .stages = {},
                    .rounds = {},
                    .check = {},
                    .notes = {}};
  for (std::size_t i = 1; i < planned.inputs.size(); ++i)
    result.more_inputs.push_back(planned.values[i].desc);
  if (!planned.stages.empty() && planned.outputs != std::vector{planned.stages.back().out[0]})
    for (const int value : planned.outputs) result.outputs.push_back(planned.values[value].desc);
  for (const Stage& stage : planned.stages)
    result.stages.push_back(
        stage_result(stage, planned.values[stage.out.front()].desc, !planned.peer.empty()));
  return result;
}

/// Returns true if the stages of a case were timed in its rounds, not in staged turns (separate
/// turns after the rounds).
bool has_stage_times(const CaseResult& result) {
  return std::ranges::any_of(result.stages, [](const StageResult& stage) {
    return !stage.staged && !stage.rounds_ns.empty();
  });
}

/// Returns what the plan contains about the pipeline of a case. `parts` are the limits of the group
/// (cases that measure what the machine can do). If one of these limits runs a lane of this
/// pipeline alone, the result of the lane has the name of that limit.
PipelineResult pipeline_result(const Case& planned, const std::vector<Case>& parts) {
  const Pipeline& pipeline = *planned.pipeline;
  PipelineResult result{.in_flight = pipeline.in_flight, .submit = pipeline.submit};
  if (pipeline.part) {
    result.part_of = pipeline.part->of;
    result.lane = pipeline.part->lane;
  }
  for (const Lane& lane : pipeline.lanes)
    result.lanes.push_back({.name = lane.name,
                            .servers = lane.servers,
                            .threads = lane.threads,
                            .stages = {lane.stages.begin(), lane.stages.end()},
                            .alone = pipeline.part ? "" : lane_alone(parts, planned, lane)});
  return result;
}

/// Returns true if the case loads files, and successive items (batches) have different images.
bool walks_through_files(const Case& planned) {
  const Load* const load = planned.loader();
  return load != nullptr && load->image_count() > load->batch;
}

/// Adds a note of this kind if `items` items (batches) together have fewer images than the dataset.
void note_images_of(CaseResult& result, std::int64_t items, Note::Kind kind) {
  const std::int64_t images = items * result.images;
  if (result.dataset && images < result.dataset->images)
    result.notes.push_back(sentence({.kind = kind, .count = images, .of = result.dataset->images}));
}

/// Stores the properties of the dataset that the case loads in the result of the case. Files that
/// were left out because of `on_error: skip` are not counted.
void note_dataset(Member& member) {
  const Load* const load = member.planned->loader();
  if (load == nullptr) return;
  const ImageWalk walk = load->walk();
  DatasetResult& dataset = member.result->dataset.emplace();
  dataset.images = std::ssize(walk.places());
  dataset.files = std::ssize(walk.files());
  dataset.prepare_seconds = load->prepare_seconds;
  dataset.psnr_db = load->psnr_db;
  for (const std::string& file : walk.files()) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
    if (!unknown) dataset.bytes += static_cast<std::int64_t>(bytes);
  }
  if (load->batch > dataset.images)
    member.result->notes.push_back(
        sentence({.kind = Note::Kind::SmallDataset, .count = dataset.images, .of = load->batch}));
  const Kernel* const kernel = member.planned->stages.front().kernel;
  if (kernel != nullptr && kernel->decodes_smaller)
    member.result->notes.push_back(sentence({.kind = Note::Kind::DecodedSmaller,
                                             .names = {std::string(kernel->name)},
                                             .count = decoded_smaller(*load),
                                             .of = dataset.files}));
  dataset.left_out = broken_files(*load);
  dataset.remarks = remarked_files(*load);
  dataset.beside = load->beside;
}

/// Returns the result of a group before anything has run. It has only data from the plan.
GroupResult empty_result(const Group& group) {
  GroupResult result;
  result.experiment = group.experiment;
  result.question = group.question;
  result.point = group.point;
  result.baseline = group.baseline;
  for (const Case& planned : group.cases) result.cases.push_back(case_result(planned));
  for (const Case& planned : group.limits) result.limits.push_back(case_result(planned));
  for (const auto& [works, results] :
       {std::pair(&group.cases, &result.cases), std::pair(&group.limits, &result.limits)})
    for (std::size_t i = 0; i < works->size(); ++i)
      if ((*works)[i].pipeline) (*results)[i].pipeline = pipeline_result((*works)[i], group.limits);
  result.published = group.published;
  result.claims = group.claims;
  result.ids = group.ids;
  result.may_differ = group.may_differ;
  result.precision = group.own.precision;
  result.cache = group.own.cache;
  result.scaled_from = group.scaled_from;
  return result;
}

/// Makes a contender and prepares it for its first call. Stores the version of a peer in `result`
/// before it prepares the peer, so that the version is known even if the preparation fails.
std::unique_ptr<Contender> make_contender(const Case& planned, const Plan& plan,
                                          GroupMemory& memory, RunContext& context,
                                          std::mt19937_64& random, CaseResult& result) {
  const Range range(&context.recorder, RangeKind::Init, "init");
  if (planned.peer.empty())
    return std::make_unique<CaseContender>(planned, memory, context.backends, context.recorder,
                                           context.clock, random, plan.measure.checked_calls);
  const PeerLimits limits{.turn_seconds = plan.measure.turn_timeout_seconds};
  auto peer = std::make_unique<PeerContender>(planned, plan.peers.at(planned.peer), limits, memory,
                                              context);
  result.peer_version = peer->version();
  peer->prepare();
  return peer;
}

}  // namespace

void Member::end(Status status, const std::string& reason) {
  result->status = status;
  result->reason = reason;
  result->rounds.clear();
  result->cut_rounds.clear();
  for (StageResult& stage : result->stages) {
    stage.rounds_ns.clear();
    stage.calls_ns.clear();
  }
  if (result->pipeline) {
    result->pipeline->fill_ns.clear();
    result->pipeline->drain_ns.clear();
    result->pipeline->latency_ns.clear();
    for (LaneResult& lane : result->pipeline->lanes) {
      lane.busy_ns.clear();
      lane.exposed_ns.clear();
    }
  }
  contender.reset();
}

void Member::judge(const CheckOutcome& outcome) {
  // A check that compared nothing must not replace the results of earlier checks.
  if (outcome.result.held_to == HeldTo::Nothing && outcome.result.ok && result->check.calls > 0)
    return;
  const CheckResult before = std::exchange(result->check, outcome.result);
  result->check.add(before);
  auto& notes = result->notes;
  if (!outcome.note.empty() && std::ranges::find(notes, outcome.note) == notes.end())
    notes.push_back(outcome.note);
  if (!outcome.result.ok) fail(outcome.reason);
}

bool is_one_stage(const Case& planned) {
  return planned.stages.size() == 1 && planned.stages[0].place != Place::Cuda;
}

bool takes_staged_turns(const Member& member) {
  return !is_one_stage(*member.planned) && !member.shape.marks;
}

std::string point_name(const Group& group) {
  return group.point.empty() ? group.experiment
                             : fmt::format("{} {}", group.experiment, group.point.dump());
}

std::map<std::string, std::string> hung_contenders(const RunContext& context, std::size_t group) {
  std::map<std::string, std::string> hung = context.part.hung;
  if (context.journal == nullptr) return hung;
  const auto& kept = context.journal->content().hung;
  if (const auto found = kept.find(group); found != kept.end())
    hung.insert(found->second.begin(), found->second.end());
  return hung;
}

GroupRun::GroupRun(const Plan& plan, std::size_t index, RunContext& context)
    : plan_(plan),
      index_(index),
      context_(context),
      start_ns_(context.clock.now_ns()),
      random_(static_cast<std::uint64_t>(plan.measure.seed) + index +
              (static_cast<std::uint64_t>(context.part.index) << 32)),
      check_random_((std::uint64_t{1} << 63) + static_cast<std::uint64_t>(plan.measure.seed) +
                    index + (static_cast<std::uint64_t>(context.part.index) << 32)),
      result_(empty_result(group())),
      states_(context.backends.at(Place::Cuda), context.clock) {
  enter(group().cases, result_.cases);
  if (!members_.empty() && context_.part.limits && context_.rounds)
    enter(group().limits, result_.limits);
}

void GroupRun::enter(const std::vector<Case>& planned, std::vector<CaseResult>& results) {
  const auto hung = hung_contenders(context_, index_);
  const int first = &planned == &group().cases ? 0 : static_cast<int>(group().cases.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (planned[i].skip) continue;
    Member member{
        .index = first + static_cast<int>(i), .planned = &planned[i], .result = &results[i]};
    if (const auto found = hung.find(planned[i].variant); found != hung.end())
      member.fail(found->second);
    else
      members_.push_back(std::move(member));
  }
}

void GroupRun::take_memory() {
  memory_ = context_.memory;
  if (memory_ != nullptr) return;
  std::vector<const Case*> runnable;
  for (const Member& member : members_) runnable.push_back(member.planned);
  memory_ = &own_memory_.emplace(runnable, plan_.measure_of(group()), context_.backends,
                                 context_.cache_bytes);
}

bool GroupRun::prepare(double clock_cost_ns) {
  take_memory();
  std::size_t done = 0;
  for (Member& member : members_) {
    if (context_.interrupted) return false;
    if (member.is_case(group()) || has_live_case())
      guarded(member, [&] { first_call(member, clock_cost_ns); });
    tell({GroupStep::Kind::Prepared, index_, ++done, members_.size()});
  }
  compare_first_outputs();
  if (!has_live_case())
    skip_limits(NoLimit::NothingRuns);
  else if (!context_.rounds)
    skip_limits(NoLimit::NothingTimed);
  else {
    align_turns();
    leave_out_slow_streams();
    fit_turns();
  }
  return true;
}

void GroupRun::skip_limits(NoLimit why) {
  for (CaseResult& limit : result_.limits) {
    if (limit.status != Status::Ok) continue;
    limit.status = Status::Skipped;
    limit.reason = sentence(why);
  }
}

void GroupRun::first_call(Member& member, double clock_cost_ns) {
  const double start = seconds();
  member.contender =
      make_contender(*member.planned, plan_, *memory_, context_, random_, *member.result);
  if (!member.planned->peer.empty()) peers_seconds_ += seconds() - start;
  member.result->first_call_ns = member.contender->first_call();
  if (context_.part.check) check(member, seconds_for_first_check());
  if (!member.live()) return;
  note_dataset(member);
  if (!context_.rounds) return;
  member.shape = member.contender->shape_of_turns(clock_cost_ns);
  if (const Load* load = member.planned->loader(); load && load->page_cache == PageCache::Cold)
    member.shape.iteration_ns =
        std::max(member.shape.iteration_ns, static_cast<double>(member.result->first_call_ns));
  member.result->bracket_ns = member.shape.bracket_ns;
  if (context_.part.first != nullptr) {
    const GroupResult& first = *context_.part.first;
    const auto index = static_cast<std::size_t>(member.index);
    const std::size_t cases = first.cases.size();
    const CaseResult& same = index < cases ? first.cases[index] : first.limits[index - cases];
    if (same.iterations > 0) member.shape.iterations = same.iterations;
    if (!same.rounds.empty() && !is_one_stage(*member.planned))
      member.shape.marks = has_stage_times(same);
  }
}

const Standard* GroupRun::standard_for(const Case& planned) const {
  const auto found = std::ranges::find_if(
      standards_, [&](const Standard& standard) { return is_standard_for(standard, planned); });
  return found == standards_.end() ? nullptr : &*found;
}

/// Returns how long the check of the next first call may take, in seconds. Half of the time limit
/// of the group is for the checks of first calls. The time that is left of this half is divided
/// equally among the cases that were not checked yet.
double GroupRun::seconds_for_first_check() const {
  const auto is_checked = [&](const Member& member) {
    return member.check_seconds > 0 || !member.is_case(group());
  };
  double left = plan_.measure_of(group()).max_seconds_per_group / 2;
  for (const Member& member : members_) left -= member.check_seconds;
  const auto waiting = std::ranges::count_if(members_, std::not_fn(is_checked));
  return left / static_cast<double>(std::max<std::ptrdiff_t>(1, waiting));
}

void GroupRun::check(Member& member, double seconds_allowed) {
  constexpr double least = 0.1;
  const double start = seconds(), until = start + std::max(least, seconds_allowed);
  CheckOutcome outcome = member.contender->check([&] { return seconds() > until; });
  member.check_seconds = seconds() - start;
  member.image_check_seconds = member.check_seconds;
  if (!member.planned->whole_batch())
    member.image_check_seconds /=
        std::max(1.0, outcome.share * static_cast<double>(member.planned->images()));
  if (outcome.given) {
    member.result->given = outcome.given;
    // What a loader gives counts, not what the config says of it.
    if (const auto shape = batch_shape(*outcome.given);
        shape.size() == 4 && is_own_loader(member.planned->stages.front().op))
      member.result->images = shape.front();
  }
  if (!outcome.output) return member.judge(outcome);
  if (standard_for(*member.planned) != nullptr)
    hold_to_standard(member, *outcome.output);
  else
    member.given = std::move(outcome);  // its output is compared after all first calls
}

bool GroupRun::check_recent(Member& member) {
  if (member.result->check.held_to != HeldTo::Reference) return false;
  const double start = seconds();
  const auto outcome = member.contender->check_recent(check_random_);
  const double took = seconds() - start;
  checks_seconds_ += took;
  member.image_check_seconds = std::max(member.image_check_seconds, took);
  // The next turn counts disturbances from this reading on, so that it does not count those during
  // the check.
  if (device_turn_) device_turn_->until = disturbance_now();
  if (outcome) member.judge(*outcome);
  return outcome.has_value();
}

bool GroupRun::draws_a_call(const Member& member) {
  constexpr std::int64_t first_and_last = 2;
  if (!context_.part.check || !member.is_case(group())) return false;
  if (plan_.measure.checked_calls <= first_and_last) return false;
  const double limit = plan_.measure_of(group()).max_seconds_per_group;
  if (checks_seconds_ + member.image_check_seconds > check_seconds(limit)) return false;
  constexpr double early = 8, often = 3.0 / 8;  // on average 3 of the first 8 rounds
  const double rounds = std::max(early, static_cast<double>(member.result->rounds.size() + 1));
  return std::bernoulli_distribution(often * early / rounds)(check_random_);
}

void GroupRun::hold_to_standard(Member& member, const Tensor64& output) {
  const Standard& standard = *standard_for(*member.planned);
  const CheckOutcome outcome = hold_to(standard, *member.planned, output);
  const bool repeats = standard.planned == member.planned && outcome.result.ok;
  if (!repeats) member.judge(outcome);  // agreeing with its own first output proves nothing
}

const Member* GroupRun::witness_of(const Standard& standard) const {
  const auto agrees = [&](const Member& member) {
    return member.live() && member.planned != standard.planned &&
           is_standard_for(standard, *member.planned) &&
           member.result->check.held_to == HeldTo::Variant;
  };
  const auto found = std::ranges::find_if(members_, agrees);
  return found == members_.end() ? nullptr : &*found;
}

void GroupRun::compare_first_outputs() {
  std::vector<Member*> waiting = live();
  std::erase_if(waiting, [](const Member* member) { return !member->given; });
  std::stable_partition(waiting.begin(), waiting.end(), [&](const Member* member) {
    return member->planned->variant == group().baseline;
  });
  std::vector<Member*> first;  // members whose output became a Standard
  for (Member* member : waiting) {
    if (standard_for(*member->planned) != nullptr) {
      hold_to_standard(*member, *member->given->output);
      continue;
    }
    standards_.push_back({member->planned, std::move(*member->given->output)});
    first.push_back(member);
  }
  for (Member* member : first) {
    CheckOutcome& outcome = *member->given;
    if (const Member* witness = witness_of(*standard_for(*member->planned))) {
      outcome.result = witness->result->check;
      outcome.result.variant = witness->planned->variant;
      outcome.note.clear();
    }
    member->judge(outcome);
  }
  for (Member* member : waiting) member->given.reset();
}

void GroupRun::name_witnesses() {
  for (Member& member : members_) {
    const Standard* const standard = member.live() ? standard_for(*member.planned) : nullptr;
    if (standard == nullptr || standard->planned != member.planned) continue;
    CheckResult& check = member.result->check;
    if (check.held_to != HeldTo::Variant) continue;
    if (const Member* const witness = witness_of(*standard))
      check.variant = witness->planned->variant;
    else
      check = {.ok = true, .held_to = HeldTo::Nothing};
  }
}

void GroupRun::align_turns() {
  const std::vector<Member*> contenders = live();
  if (contenders.empty()) return;
  const auto baseline = std::ranges::find(
      contenders, group().baseline, [](const Member* member) { return member->planned->variant; });
  const std::int64_t its =
      (baseline == contenders.end() ? contenders.front() : *baseline)->shape.iterations;
  const auto about_as_long = [its](const Member* member) {
    const std::int64_t own = member->shape.iterations;
    return !member->planned->pipeline && !is_own_loader(member->planned->stages.front().op) &&
           own > 1 && its > 1 && own <= 2 * its && its <= 2 * own;
  };
  std::int64_t most = its;
  for (const Member* member : contenders)
    if (about_as_long(member)) most = std::max(most, member->shape.iterations);
  std::int64_t most_walking = 0, fewest_cold = std::numeric_limits<std::int64_t>::max();
  for (const Member* member : contenders) {
    fewest_cold = std::min(fewest_cold, member->shape.most_iterations);
    if (walks_through_files(*member->planned))
      most_walking = std::max(most_walking, member->shape.iterations);
  }
  most = std::min(most, fewest_cold);
  most_walking = std::min(most_walking, fewest_cold);
  for (Member* member : contenders) {
    const bool decides = context_.part.first == nullptr && !member->planned->pipeline;
    if (decides && about_as_long(member)) member->shape.iterations = most;
    if (decides && walks_through_files(*member->planned)) member->shape.iterations = most_walking;
  }
}

ContenderTime GroupRun::time_of(const Member& member) const {
  const TurnShape& shape = member.shape;
  ContenderTime time{.iteration = shape.iteration_ns * 1e-9,
                     .beside = shape.beside_ns * 1e-9,
                     .iterations = shape.iterations,
                     .fewest = shape.iterations,
                     .is_staged = takes_staged_turns(member)};
  const std::optional<Pipeline>& pipeline = member.planned->pipeline;
  if (context_.part.first == nullptr) {
    if (pipeline)
      time.fewest = pipeline->in_flight;
    else if (roles_of(member.planned->stages.front().op).starts)
      time.fewest = 1;
  }
  if (!context_.part.check) return time;
  time.last_call = time.iteration * static_cast<double>(pipeline ? time.fewest : 1);
  if (!member.is_case(group())) return time;
  time.last_call += member.check_seconds;
  const auto calls = static_cast<double>(plan_.measure.checked_calls - 2);
  const double limit = plan_.measure_of(group()).max_seconds_per_group;
  const double most = std::max(check_seconds(limit), least_check_seconds);
  if (!pipeline && calls > 0 && member.image_check_seconds <= most)
    time.checks = calls * (member.image_check_seconds + time.turn(1));
  return time;
}

Budget GroupRun::budget_for(const std::vector<Member*>& contenders) const {
  std::vector<ContenderTime> times;
  for (const Member* member : contenders) times.push_back(time_of(*member));
  const Measure measure = plan_.measure_of(group());
  return budget_of({.limit = measure.max_seconds_per_group,
                    .preparing = spent(),
                    .processes = measure.processes},
                   times);
}

std::map<const Member*, std::size_t> GroupRun::stream_ranks() {
  std::vector<Member*> streams = live();
  std::erase_if(streams, [&](const Member* member) {
    return member->is_case(group()) ||
           !std::holds_alternative<Stream>(member->planned->stages.front().op);
  });
  const auto are_alike = [](const Case& a, const Case& b) {
    return a.values == b.values && a.threads == b.threads && a.resident == b.resident &&
           a.stages.front().place == b.stages.front().place;
  };
  const auto order = [](const Member* member) {
    return std::pair(member->shape.iteration_ns, member->index);
  };
  std::map<const Member*, std::size_t> ranks;
  for (const Member* member : streams)
    ranks[member] =
        static_cast<std::size_t>(std::ranges::count_if(streams, [&](const Member* other) {
          return are_alike(*member->planned, *other->planned) && order(other) < order(member);
        }));
  return ranks;
}

void GroupRun::leave_out_slow_streams() {
  constexpr std::size_t fewest = 2;
  const std::vector<Member*> contenders = live();
  if (const GroupResult* const first = context_.part.first) {
    for (Member* member : contenders) {
      if (member->is_case(group())) continue;
      const CaseResult& same =
          first->limits[static_cast<std::size_t>(member->index) - first->cases.size()];
      if (same.status == Status::Skipped) member->skip(same.reason);
    }
    return;
  }
  const GroupForecast whole = budget_for(contenders).forecast;
  if (!is_overrun(whole, plan_.measure_of(group()).max_seconds_per_group)) return;
  const std::map<const Member*, std::size_t> ranks = stream_ranks();
  const auto is_below = [&](const Member* member, std::size_t count) {
    const auto found = ranks.find(member);
    return found == ranks.end() || found->second < count;
  };
  double least = whole.seconds();
  std::size_t kept = contenders.size();
  for (std::size_t count = fewest; count < contenders.size(); ++count) {
    std::vector<Member*> some = contenders;
    std::erase_if(some, [&](const Member* member) { return !is_below(member, count); });
    if (some.size() == contenders.size()) break;
    const double seconds = budget_for(some).forecast.seconds();
    if (seconds >= least) continue;
    kept = count;
    least = seconds;
  }
  for (Member* member : contenders)
    if (!is_below(member, kept)) member->skip(sentence(NoLimit::Slower));
}

bool GroupRun::fit_turns_anew(double rounds_seconds) {
  constexpr double unforeseen = 1.25;
  if (context_.part.first != nullptr) return false;
  const double checking = checks_seconds_ - checks_before_fit_;
  GroupForecast seen = budget_.forecast;
  seen.round_seconds = (rounds_seconds - checking) / static_cast<double>(result_.order.size());
  if (seen.round_seconds * static_cast<double>(seen.fewest_rounds) <= unforeseen * budget_.rounds ||
      seen.seconds() <= most_of_limit * plan_.measure_of(group()).max_seconds_per_group)
    return false;
  const std::vector<Member*> contenders = live();
  const auto is_shortest = [&](const Member* member) {
    return member->shape.iterations <= time_of(*member).fewest;
  };
  if (std::ranges::all_of(contenders, is_shortest)) return false;
  const double slower = seen.round_seconds / budget_.forecast.round_seconds;
  for (Member* member : contenders) {
    member->shape.iteration_ns *= slower;
    member->shape.beside_ns *= slower;
    for (const std::string& note : member->notes_of_fit) std::erase(member->result->notes, note);
  }
  fit_turns();
  return true;
}

void GroupRun::fit_turns() {
  const std::vector<Member*> contenders = live();
  walk_ = {};
  checks_before_fit_ = checks_seconds_;
  budget_ = budget_for(contenders);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Member& member = *contenders[i];
    if (member.wanted == 0) member.wanted = member.shape.iterations;
    member.shape.iterations = iterations_of(time_of(member), budget_.share);
    if (const std::int64_t epoch = member.shape.epoch; epoch > 0 && member.shape.iterations > epoch)
      member.shape.iterations -= member.shape.iterations % epoch;
    member.result->iterations = member.shape.iterations;
    if (!walks_through_files(*member.planned)) continue;
    walk_.add(*member.planned->loader(), member.shape.iterations, member.shape.most_iterations);
    if (!member.contender->takes_first()) walk_.stay();
  }
  for (Member* member : contenders) note_fit(*member);
  walk_.begin(context_.part.rounds);
  context_.observer.turns_fitted(index_, budget_.forecast);
}

void GroupRun::note_fit(Member& member) {
  std::vector<std::string>& notes = member.result->notes;
  const auto before = std::ssize(notes);
  const std::int64_t iterations = member.shape.iterations;
  if (is_own_loader(member.planned->stages.front().op)) {
    const std::int64_t epoch = member.shape.epoch;
    if (iterations < epoch)
      notes.push_back(sentence({.kind = Note::Kind::PartOfAnEpoch,
                                .names = {member.planned->variant},
                                .count = iterations,
                                .of = epoch}));
  } else if (iterations < member.wanted) {
    notes.push_back(
        sentence({.kind = Note::Kind::FewerIterations, .count = iterations, .of = member.wanted}));
  }
  if (!walk_.goes_on()) note_images_of(*member.result, iterations, Note::Kind::ImagesOfATurn);
  member.notes_of_fit.assign(notes.begin() + before, notes.end());
}

void GroupRun::note_images() {
  if (!walk_.goes_on()) return;
  for (const Member* member : live())
    note_images_of(*member->result, walk_.items(), Note::Kind::ImagesOfTurns);
}

Turn GroupRun::turn(Member& member, TurnShape shape, std::size_t number) {
  Recorder& recorder = context_.recorder;
  const Range variant(&recorder, RangeKind::Variant, recorder.intern(member.planned->variant));
  const Range range(&recorder, RangeKind::Step, recorder.intern(fmt::format("#{}", number)));
  const bool on_device = member.planned->uses_gpu();
  const auto last = std::exchange(device_turn_, {});
  const bool follows = on_device && last.has_value();
  // Between two turns on the device, disturbances are read only once. A second reading would make
  // the device idle for longer.
  const Disturbance before = follows ? last->until : disturbance_now();
  if (follows)
    shape.device_awake =
        static_cast<double>(context_.clock.now_ns() - last->end_ns) < device_idle_ns;
  if (walks_through_files(*member.planned)) shape.first = walk_.first();
  Turn turn = member.contender->take_turn(shape, random_);
  if (on_device) device_turn_ = {.end_ns = turn.round.start_ns + turn.round.wall_ns};
  const Disturbance after = disturbance_now();
  if (device_turn_) device_turn_->until = after;
  turn.round.start_ns -= start_ns_;
  turn.round.disturbance = disturbance_between(before, after);
  return turn;
}

Disturbance GroupRun::disturbance_now() const {
  return context_.disturbance ? context_.disturbance() : Disturbance{};
}

void GroupRun::guarded(Member& member, const std::function<void()>& work) {
  try {
    std::optional<Watched> guard;
    if (member.planned->peer.empty())
      guard.emplace(context_.watchdog, index_, member.planned->variant);
    work();
  } catch (const CutShort&) {
    cut_short_ = true;
    member.contender.reset();
  } catch (const CannotRunHere& reason) {
    member.skip(reason.what());
  } catch (const std::bad_alloc&) {
    member.fail(fmt::format("out of memory (it may need {} of host memory)",
                            format_bytes(static_cast<double>(need(*member.planned).host))));
  } catch (const std::exception& error) {
    member.fail(error.what());
  }
}

Sides GroupRun::need(const Case& planned) const {
  const Case* const alone[] = {&planned};
  return memory_need(alone, plan_.measure_of(group()).cache,
                     cold_caches(context_.backends, context_.cache_bytes))
      .total();
}

std::vector<Member*> GroupRun::live() {
  std::vector<Member*> found;
  for (Member& member : members_)
    if (member.live()) found.push_back(&member);
  return found;
}

bool GroupRun::has_live_case() const {
  return std::ranges::any_of(
      members_, [&](const Member& member) { return member.live() && member.is_case(group()); });
}

std::vector<Member*> GroupRun::live_cases() {
  std::vector<Member*> found = live();
  std::erase_if(found, [&](const Member* member) { return !member->is_case(group()); });
  return found;
}

double GroupRun::seconds() const {
  return static_cast<double>(context_.clock.now_ns() - start_ns_) * 1e-9;
}

}  // namespace normbench

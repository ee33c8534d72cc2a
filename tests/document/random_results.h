/// Makes results with random values, for tests that write and read them.
#pragma once

#include <cmath>
#include <limits>
#include <random>

#include "document/results.h"
#include "machine/environment.h"

namespace normbench {

class RandomResults {
 public:
  explicit RandomResults(std::uint64_t seed) : random_(seed) {}

  Results results() {
    return {
        .tool = tool(),
        .environment = {{"host", text()}, {"load", {0.5, 1.25, 2}}, {"governor", nullptr}},
        .config = {{"schema", 1}, {"experiments", Json::array({object()})}},
        .name = text(),
        .about = text(),
        .precision = number(),
        .quick = flag(),
        .cache = word<Cache>(),
        .clock = word<DecidingClock>(),
        .seed = integer(),
        .traced = flag(),
        .interrupted = flag(),
        .unkept = flag(),
        .calibration = flag() ? object() : Json(),
        .groups = list([this] { return group(); }),
        .missing = flag() ? std::optional(list([this] {
          return MissingGroup{
              .experiment = text(), .point = object(), .processes = integer(), .rounds = integer()};
        }))
                          : std::nullopt};
  }

  GroupResult group() {
    GroupResult group{
        .experiment = text(),
        .question = text(),
        .point = object(),
        .baseline = text(),
        .cases = list([this] { return one_case(); }),
        .limits = list([this] { return one_case(); }),
        .order = {},
        .cut_order = {},
        .stop = maybe<Stop>(),
        .condition_before = flag() ? object() : Json(),
        .condition_after = flag() ? object() : Json(),
        .slowest_state_ns = integer(),
        .profile = list([this] { return profile(); }),
        .published = list([this] { return published(); }),
        .claims = list([this] { return claim(); }),
        .ids = list([this] { return text(); }),
        .precision = flag() ? std::optional(number()) : std::nullopt,
        .cache = maybe<Cache>(),
        .may_differ = flag() ? std::vector{word<Difference>()} : std::vector<Difference>(),
        .scaled_from = integer()};
    const std::size_t contenders = group.cases.size() + group.limits.size();
    for (auto* order : {&group.order, &group.cut_order})
      *order = list([&] {
        std::vector<int> round(contenders);
        for (int& contender : round) contender = static_cast<int>(below(contenders));
        return round;
      });
    return group;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool flag() { return below(2) == 1; }
  /// Returns a count of random magnitude. It may be 0.
  std::int64_t integer() { return static_cast<std::int64_t>(random_() >> (15 + below(49))); }
  double number() { return 1e-3 + std::abs(std::normal_distribution(0.0, 1e3)(random_)); }
  double number_or_infinity() {
    return flag() ? number() : std::numeric_limits<double>::infinity();
  }
  std::string text() {
    const std::vector<std::string> texts{"", "a", "quote \" \\ \n", "größer µs", "u8 → f32 [a=1]"};
    return texts[below(texts.size())];
  }
  template <class E>
  E word() {
    const auto all = words(E{});
    return all[below(all.size())].value;
  }
  template <class E>
  std::optional<E> maybe() {
    return flag() ? std::optional(word<E>()) : std::nullopt;
  }
  Json object() {
    Json json = Json::object();
    if (flag()) json["batch"] = below(100);
    if (flag()) json["memory"] = text();
    if (flag()) json["scale"] = 0.1;
    return json;
  }
  template <class F>
  std::vector<std::invoke_result_t<F>> list(F make) {
    std::vector<std::invoke_result_t<F>> values;
    for (auto n = below(4); n > 0; --n) values.push_back(make());
    return values;
  }

  TensorDesc desc() {
    const auto extent = [&] { return static_cast<std::int64_t>(1 + below(9)); };
    if (below(4) == 0)
      return dense(DType::UInt8, Layout::Nchw,
                   {extent(), 3, extent(), extent(), PixelFormat(below(pixel_format_rows.size()))},
                   Memory(below(8)));
    TensorDesc desc =
        dense(DType(below(4)), Layout(below(2)),
              {std::int64_t(below(9)), 3, std::int64_t(below(999)), 5}, Memory(below(8)));
    if (flag()) desc.strides = {1, -2, 3, integer()};
    return desc;
  }
  Round round() {
    return {.wall_ns = 1 + integer(),
            .device_ns = flag() ? integer() : 0,
            .submitted_ns = flag() ? integer() : 0,
            .cpu_ns = integer(),
            .start_ns = integer(),
            .counters = {integer(), 0, integer(), integer()},
            .disturbance = {integer(), flag() ? integer() : 0, integer()},
            .state = {integer(), flag() ? integer() : 0, integer()}};
  }
  StageResult stage() {
    return {.op = text(),
            .label = text(),
            .kernel = text(),
            .forced = flag(),
            .ranges = list([this] { return text(); }),
            .place = word<Place>(),
            .out = desc(),
            .parameters = flag() ? object() : Json(),
            .min_bytes = integer(),
            .min_read_bytes = integer(),
            .bytes = integer(),
            .link_bytes = integer(),
            .flops = integer(),
            .output = word<OutputPolicy>(),
            .rounds_ns = list([this] { return integer(); }),
            .calls_ns = list([this] { return integer(); }),
            .staged = true,
            .resident = flag()};
  }
  DatasetResult dataset() {
    const auto names = [this] { return list([this] { return text(); }); };
    return {.images = 1 + integer(),
            .files = integer(),
            .bytes = integer(),
            .prepare_seconds = number(),
            .psnr_db = number(),
            .left_out = list([&] {
              return BrokenFiles{text(), integer(), names()};
            }),
            .remarks = list([&] {
              return RemarkedFiles{word<Remark>(), integer(), names()};
            }),
            .beside = {.others = list([&] {
                         return OtherPictures{word<PictureKind>(), integer()};
                       }),
                       .in_folders = integer()}};
  }
  CaseResult one_case() {
    return {.variant = text(),
            .written = text(),
            .axes = object(),
            .status = word<Status>(),
            .reason = text(),
            .skip = maybe<Skip>(),
            .threads = 1 + static_cast<int>(below(1 << 30)),
            .threads_decided = flag(),
            .wait = maybe<Wait>(),
            .graph = flag(),
            .dataset = flag() ? std::optional(dataset()) : std::nullopt,
            .resident = flag(),
            .iterations = 1 + integer() / 2,
            .images = integer(),
            .source_bytes = integer(),
            .result_bytes = integer(),
            .source = flag() ? std::optional(desc()) : std::nullopt,
            .more_inputs = list([this] { return desc(); }),
            .outputs = list([this] { return desc(); }),
            .first_call_ns = integer(),
            .bracket_ns = integer(),
            .stages = list([this] { return stage(); }),
            .rounds = list([this] { return round(); }),
            .cut_rounds = list([this] { return round(); }),
            .check = {.ok = flag(),
                      .max_abs_error = number_or_infinity(),
                      .bound = number_or_infinity(),
                      .bound_share = number_or_infinity(),
                      .unchecked_values = integer(),
                      .held_to = word<HeldTo>(),
                      .variant = text()},
            .notes = list([this] { return text(); })};
  }
  ProfileRow row() {
    return {.name = text(),
            .place = word<Place>(),
            .shapes = text(),
            .annotation = flag(),
            .constants = flag(),
            .calls = 1 + integer(),
            .self_cpu_ns = integer(),
            .cpu_ns = integer(),
            .self_device_ns = integer(),
            .device_ns = integer(),
            .min_ns = integer(),
            .p50_ns = integer(),
            .p95_ns = integer(),
            .max_ns = integer(),
            .bytes = integer(),
            .faults = integer()};
  }
  ProfileTimes times() {
    return {.wall_ns = integer(),
            .busy_ns = integer(),
            .copy_ns = integer(),
            .exposed_copy_ns = integer(),
            .overlap_ns = integer(),
            .gaps = integer(),
            .gap_ns = integer()};
  }
  ProfileLosses losses() {
    return {.dropped = integer(),
            .lost_buffers = flag() ? integer() : 0,
            .without_times = integer(),
            .launches = integer(),
            .launched = integer(),
            .without_launch = integer(),
            .before_launch = integer(),
            .most_skew_ns = integer()};
  }
  std::optional<std::int64_t> count() { return flag() ? std::optional(integer()) : std::nullopt; }
  ProfileCounters counters() {
    return {.software = {integer(), integer(), 0, integer()},
            .cycles = count(),
            .instructions = count(),
            .cache_misses = count(),
            .hardware_missing = text(),
            .cpu_joules = flag() ? std::optional(number()) : std::nullopt,
            .gpu_joules = std::nullopt,
            .energy_missing = text()};
  }
  CaseProfile profile() {
    return {.variant = text(),
            .steps = integer(),
            .discarded = integer(),
            .counters = flag() ? std::optional(counters()) : std::nullopt,
            .overhead = number(),
            .clock_error_ns = flag() ? integer() : 0,
            .device_times = maybe<DeviceTimes>(),
            .times = flag() ? times() : ProfileTimes{},
            .losses = flag() ? losses() : ProfileLosses{},
            .rows = list([this] { return row(); })};
  }
  Published published() {
    Published result;
    result.variant = text();
    if (flag()) result.point = object();
    result.where = text();
    result.ids = list([this] { return text(); });
    if (flag()) result.wall_ms = number();
    if (flag()) result.device_ms = number();
    if (flag()) result.sum_ms = number();
    if (flag()) result.submitted_ms = number();
    if (flag()) result.first_call_ms = number();
    if (flag()) result.speed_up = number();
    result.stage = text();
    result.items = integer();
    return result;
  }
  Claim claim() {
    Claim claim;
    claim.text = text();
    claim.left = text();
    claim.relation = word<Relation>();
    claim.right = text();
    claim.ids = list([this] { return text(); });
    if (flag()) claim.point = object();
    if (flag()) claim.ratio = ClaimedRatio{.low = number(), .high = number()};
    if (flag()) claim.within = number();
    if (flag()) claim.across = ClaimedTrend{.axis = text(), .trend = word<Trend>()};
    return claim;
  }

  std::mt19937_64 random_;
};

}  // namespace normbench

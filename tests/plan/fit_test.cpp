#include "plan/fit.h"

#include <gmock/gmock.h>

#include "fake_backends.h"
#include "plan/memory.h"

namespace normbench::fit_test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::StartsWith;

PlanOptions with_free(const Sides& bytes, const SideNotes& notes = {}) {
  PlanOptions options;
  options.free_bytes = bytes;
  options.free_notes = notes;
  return options;
}

Group group_of(const std::string& experiment, const PlanOptions& options,
               const std::string& cache = "hot") {
  const std::string text =
      fakes::config(experiment, fmt::format(R"("measure": {{"cache": "{}"}})", cache));
  return make_plan("c.json", text, fakes::with_gpu(), options).groups.at(0);
}

/// Returns the name of each variant, with the reason why it is skipped, or "".
std::vector<std::pair<std::string, std::string>> skips(const std::vector<Case>& list) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Case& planned : list) found.emplace_back(planned.variant, planned.skip.value_or(""));
  return found;
}

// An image takes 1 MB, and 5 MB together with its output.
const std::string small_and_large = R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]},
  "variants": {"small": [{"op": "cast", "to": "float32"}],
               "large": [{"op": "source", "batch": 1000, "channels": 1, "size": [1000, 1000]},
                         {"op": "cast", "to": "float32"}]})";

TEST(Fit, ACaseThatIsTooLargeByItselfIsSkippedWithTheFigure) {
  const Group group = group_of(
      small_and_large, with_free({.host = 2'000'000'000}, {.host = "the container has no more"}));
  EXPECT_THAT(skips(group.cases),
              ElementsAre(Pair("small", ""),
                          Pair("large",
                               "needs 5.06 GB of host memory, 2.00 GB are free (the container has "
                               "no more)")));
  EXPECT_EQ(group.cases[1].skip_kind, Skip::NoMemory);
  for (const Case& limit : group.limits) EXPECT_EQ(limit.skip, std::nullopt) << limit.variant;
}

TEST(Fit, WhereNothingIsKnownNothingIsSkipped) {
  for (const Sides& free : {Sides{}, Sides{.device = 1}})
    EXPECT_THAT(skips(group_of(small_and_large, with_free(free)).cases),
                ElementsAre(Pair("small", ""), Pair("large", "")));
}

TEST(Fit, OfAGroupThatIsTooLargeTheLargestGoesFirst) {
  // Alone, the cases need 2.16, 3.24 and 2.66 GB. Each has its own source.
  const std::string experiment = R"("variants": {
      "a": [{"op": "source", "batch": 1000, "channels": 1, "size": [1000, 1000]}, "copy"],
      "b": [{"op": "source", "batch": 1500, "channels": 1, "size": [1000, 1000]}, "copy"],
      "c": [{"op": "source", "batch": 1250, "channels": 1, "size": [1000, 1000]}, "copy"]})";
  EXPECT_THAT(skips(group_of(experiment, with_free({.host = 4'000'000'000})).cases),
              ElementsAre(Pair("a", ""),
                          Pair("b",
                               "its group needs 5.31 GB of host memory, "
                               "4.00 GB are free, and this case needs most of it"),
                          Pair("c", "")));
  EXPECT_THAT(skips(group_of(experiment, with_free({.host = 3'500'000'000})).cases),
              ElementsAre(Pair("a", ""), Pair("b", StartsWith("its group needs ")),
                          Pair("c",
                               "its group needs 3.56 GB of host memory, "
                               "3.50 GB are free, and this case needs most of it")));
}

TEST(Fit, OfEqualsTheBaselineStays) {
  const std::string experiment = R"("variants": {
      "a": [{"op": "source", "batch": 1000, "channels": 1, "size": [1000, 1000]}, "copy"],
      "b": [{"op": "source", "batch": 1000, "channels": 1, "size": [1000, 1000],
             "memory": "pageable_huge"}, {"op": "copy", "memory": "pageable_huge"}]})";
  EXPECT_THAT(skips(group_of(experiment, with_free({.host = 3'000'000'000})).cases),
              ElementsAre(Pair("a", ""), Pair("b", StartsWith("its group needs "))));
}

TEST(Fit, WhatColdBuffersAddIsSaid) {
  PlanOptions options = with_free({.host = 1'000'000'000});
  options.cache_bytes = {.host = 1'000'000'000, .device = 1};
  const std::string experiment = R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]},
                                    "variants": {"v": ["copy"]})";
  EXPECT_THAT(skips(group_of(experiment, options, "cold").cases),
              ElementsAre(Pair("v",
                               "needs 4.57 GB of host memory, 1.00 GB are free; 4.51 GB of it are "
                               "copies that exceed the cache (--set cache=hot needs 66.0 MB)")));
  EXPECT_THAT(skips(group_of(experiment, options).cases), ElementsAre(Pair("v", "")));
}

TEST(Fit, FewerImagesAreTakenWhereThatIsAsked) {
  PlanOptions options = with_free({.host = 2'000'000'000});
  options.cache_bytes = {.host = 10'000'000, .device = 1};
  const std::string experiment = R"("source": {"batch": 1000, "channels": 1, "size": [1000, 1000]},
                                    "variants": {"v": [{"op": "cast", "to": "float32"}]})";
  const auto images = [](const Group& group) { return group.cases.at(0).images(); };
  const Group as_asked = group_of(experiment, options, "cold");
  EXPECT_EQ(images(as_asked), 1000);
  EXPECT_EQ(as_asked.cases[0].skip_kind, Skip::NoMemory);
  options.fit = true;
  const Group fitting = group_of(experiment, options, "cold");
  EXPECT_EQ(images(fitting), 31);  // the fewest images of 1 MB that exceed 3 * 10 MB
  EXPECT_EQ(fitting.scaled_from, 1000);
  EXPECT_EQ(fitting.cases[0].skip, std::nullopt);
  EXPECT_EQ(images(group_of(experiment, options, "hot")), 1000);  // hot: no cache to exceed
  const std::string of_a_shape = R"("source": {"dtype": "float32", "shape": [1000, 1, 500, 500]},
                                    "variants": {"v": ["copy"]})";
  EXPECT_EQ(images(group_of(of_a_shape, options, "cold")), 31);
  const std::string swept = R"("sweep": {"n": [1000]},
      "source": {"batch": "$n", "channels": 1, "size": [1000, 1000]},
      "variants": {"v": [{"op": "cast", "to": "float32"}]})";
  EXPECT_EQ(images(group_of(swept, options, "cold")), 1000);  // the sweep fixes the number
  options.free_bytes.host = 20'000'000'000;
  EXPECT_EQ(group_of(experiment, options, "cold").scaled_from, 0);  // 1000 images fit
}

TEST(Fit, DeviceMemoryIsASideOfItsOwn) {
  const std::string experiment = R"("source": {"batch": 1000, "channels": 1, "size": [1000, 1000]},
                                    "variants": {"up": ["h2d"], "stays": ["copy"]})";
  const Group group = group_of(
      experiment, with_free({.host = 20'000'000'000, .device = 500'000'000}, {.device = "of 80"}));
  EXPECT_THAT(skips(group.cases),
              ElementsAre(Pair("up", "needs 1.00 GB of device memory, 500 MB are free (of 80)"),
                          Pair("stays", "")));
}

TEST(Fit, PinnedMemoryIsHostMemory) {
  const std::string experiment =
      R"("source": {"batch": 1000, "channels": 1, "size": [1000, 1000], "memory": "pinned"},
         "variants": {"v": ["h2d"]})";
  EXPECT_THAT(skips(group_of(experiment, with_free({.host = 1'000'000'000})).cases),
              ElementsAre(Pair("v", "needs 1.06 GB of host memory, 1.00 GB are free")));
}

TEST(Fit, LimitsAreLeftOutRatherThanACase) {
  const std::string experiment = R"("source": {"batch": 1000, "channels": 1, "size": [1000, 1000]},
                                    "variants": {"up": ["h2d"]})";
  // The case takes 1.16 GB of host memory. The limit "h2d", a case that measures the link, needs a
  // second source of the same size in pinned memory. So the limit does not fit.
  const PlanOptions options = with_free({.host = 1'500'000'000});
  const Group group = group_of(experiment, options);
  EXPECT_THAT(skips(group.cases), ElementsAre(Pair("up", "")));
  const auto limits = skips(group.limits);
  EXPECT_THAT(limits, testing::Contains(
                          Pair("h2d 1.00 GB pinned", StartsWith("its group needs "))));
  Measure measure;
  measure.cache = Cache::Hot;
  EXPECT_LE(memory_bytes(group, measure, options.cache_bytes).host, options.free_bytes.host);
  EXPECT_THAT(skips(group_of(experiment, with_free({})).limits),
              testing::Contains(Pair("h2d 1.00 GB pinned", "")));
}

/// Does slowly what skip_too_large() must do with a group that is too large. As long as the group
/// needs more memory than is free on the host or on the device, skips the case that needs the most
/// there, and computes the need of the remaining group again.
void skip_one_by_one(Group& group, const PlanOptions& options) {
  const auto need = [&](const std::vector<const Case*>& cases) {
    return memory_need(cases, Cache::Cold, options.cache_bytes).total();
  };
  while (true) {
    const Sides all = need(group.runnable());
    const bool on_host = all.host > options.free_bytes.host;
    if (!on_host && all.device <= options.free_bytes.device) return;
    const auto of_side = [&](const Case& one) {
      const Sides sides = need({&one});
      return on_host ? sides.host : sides.device;
    };
    Case* largest = nullptr;
    for (Case& one : group.cases)
      if (!one.skip && (largest == nullptr || of_side(one) >= of_side(*largest))) largest = &one;
    if (largest == nullptr) return;
    largest->skip = "";
  }
}

TEST(Fit, LargeGroupsLoseTheSameCasesAsOneByOne) {
  const std::string experiment = R"("vary": {"n": [5, 3, 40, 8, 6, 100, 7, 60, 2, 9, 33, 41, 70, 1],
      "to": ["float32", "float16"]},
    "source": {"batch": "$n", "channels": 1, "size": [100, 100]},
    "variants": {"a": [{"op": "cast", "to": "$to"}, "copy"],
                 "as large": ["copy", {"op": "cast", "to": "$to"}],
                 "b": [{"op": "source", "batch": "$n", "channels": 1, "size": [100, 90],
                        "memory": "device"}, {"op": "cast", "to": "$to"}],
                 "c": ["h2d", "d2h"]})";
  const std::string text = fakes::config(experiment, R"("measure": {"cache": "cold"})");
  int skipped = 0;
  for (const std::int64_t host : {150'000'000, 300'000'000, 450'000'000, 900'000'000})
    for (const std::int64_t device : {30'000'000, 90'000'000, 200'000'000}) {
      PlanOptions options = with_free({.host = host, .device = device});
      options.cache_bytes = {.host = 1'000'000, .device = 2'000'000};
      options.all_threads = 1;
      Group group = make_plan("c.json", text, fakes::with_gpu(), {}).groups.at(0);
      group.limits.clear();
      Group expected = group;
      skip_too_large(group, group.cases, Cache::Cold, options);
      for (Case& one : expected.cases)
        if (one.skip = group.find(one.variant)->skip; one.skip && one.skip->starts_with("its"))
          one.skip.reset();
      skip_one_by_one(expected, options);
      for (std::size_t i = 0; i < group.cases.size(); ++i) {
        EXPECT_EQ(group.cases[i].skip.has_value(), expected.cases[i].skip.has_value())
            << group.cases[i].variant << ", " << host << ", " << device;
        skipped += group.cases[i].skip ? 1 : 0;
      }
    }
  EXPECT_GT(skipped, 50);
}

}  // namespace
}  // namespace normbench::fit_test

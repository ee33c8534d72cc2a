#include <gmock/gmock.h>

#include <algorithm>

#include "core/text.h"
#include "example_results.h"
#include "report/profile_report.h"

namespace normbench::profile_text_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string shown(const Results& results, TableKind kind = TableKind::Torch,
                  std::ptrdiff_t most_lines = 40) {
  return shown_profile(experiments(results)[0], results, kind, most_lines);
}

/// Returns the profile that the terminal shows: the first one of the last group.
CaseProfile& profile_of(Results& results) { return results.groups.back().profile[0]; }

TEST(ShownProfile, KeepsSharesAndMeansWithoutADevice) {
  EXPECT_THAT(shown(examples::blog()),
              HasSubstr("Name  Self CPU %   Self CPU  CPU total %  CPU total  CPU time avg  # of "
                        "Calls\n"));
  EXPECT_THAT(shown(examples::blog()), EndsWith("\nSelf CPU time total: 975.822ms\n"));
}

TEST(ShownProfile, DropsThemForDeviceColumns) {
  const std::string text = shown(examples::gpu());
  EXPECT_THAT(text, Not(HasSubstr("%  ")));
  EXPECT_THAT(text, Not(HasSubstr("avg")));
  EXPECT_THAT(text, HasSubstr("\n  Memcpy HtoD (Pinned -> Device) "));
}

TEST(ShownProfile, LeavesOutTheStepsAsTheyLieOverADevicesWork) {
  Results results = examples::gpu();
  std::erase_if(profile_of(results).rows,
                [](const ProfileRow& row) { return row.place == Place::Cpu; });
  EXPECT_THAT(shown(results), Not(HasSubstr("ProfilerStep*")));
}

TEST(ShownProfile, EndsWithTheDevicesTotalItsShareAndItsSource) {
  Results results = examples::gpu();
  EXPECT_THAT(shown(results),
              EndsWith("\nSelf CUDA time total: 20.100ms · GPU busy 40 % · kernel times: CUPTI\n"));
  profile_of(results).device_times = DeviceTimes::CudaEvents;
  profile_of(results).clock_error_ns = 1'200;
  EXPECT_THAT(shown(results), EndsWith("GPU busy 40 % · device times: CUDA events, to within 1.2 "
                                       "us\n"));
}

TEST(ShownProfile, SaysWhatWasLost) {
  Results results = examples::gpu();
  profile_of(results).losses = {.launches = 10, .launched = 8};
  EXPECT_THAT(shown(results), EndsWith("\nLost: 2 of 10 launches have no work in the profile\n"));
}

TEST(ShownProfile, LongNamesGiveWay) {
  Results results = examples::gpu();
  for (ProfileRow& row : profile_of(results).rows) row.name = std::string(200, 'k');
  const std::string text = shown(results);
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
    EXPECT_LE(display_width(text.substr(at, end - at)), 100u);
  EXPECT_THAT(text, HasSubstr("k…  "));
}

TEST(ShownProfile, TakesTheLinesThatThereAre) {
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  const Results results = examples::gpu();
  EXPECT_EQ(lines(shown(results, TableKind::Torch, 9)), 9);
  EXPECT_EQ(lines(shown(results, TableKind::Stats, 9)), 9);
  EXPECT_EQ(lines(shown(results, TableKind::Torch, -5)),
            7);  // title, header, 3 rows, a line for omitted rows, total
}

TEST(ShownProfile, OfPercentiles) {
  const std::string text = shown(examples::blog(), TableKind::Stats);
  EXPECT_THAT(text, HasSubstr("\n  name "));
  EXPECT_THAT(text, HasSubstr("p95"));
  EXPECT_THAT(text, HasSubstr("% of limit"));
}

TEST(ShownProfile, IsNothingWhereNothingWasProfiled) {
  Results results = examples::tie();
  results.groups[0].profile.clear();
  EXPECT_EQ(shown(results), "");
}

}  // namespace
}  // namespace normbench::profile_text_test

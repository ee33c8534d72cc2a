#include <gmock/gmock.h>

#include "report/profile_fixture.h"
#include "report/table_formats.h"

namespace normbench::stats_table_test {
namespace {

using testing::ElementsAre;

TEST(StatsTable, HasPercentilesRatesSharesAndFaults) {
  EXPECT_EQ(stats_table(gpu_profile().rows, {{"h2d", 0.974}}, {.sort_by = ""}),
            "name                                          place  count        min        p50      "
            "  p95  "
            "      max  GB/s  % of limit  faults\n"
            "ProfilerStep*                                 cpu       10  540.000us  560.000us  "
            "590.000us  "
            "600.000us\n"
            "h2d                                           cpu       10  500.000us  540.000us  "
            "550.000us  "
            "560.000us  55.2        97 %   1,234\n"
            "Memcpy HtoD (Pinned -> Device)                cuda      10  500.000us  501.000us  "
            "503.000us  "
            "505.000us  55.2\n"
            "void normalize<unsigned char, float>(\"a, b\")  cuda      10   55.000us   55.200us   "
            "55.900us  "
            " 56.000us\n");
}

std::vector<std::string> titles(const std::vector<ProfileRow>& rows) {
  return stats_cells(rows, {}, {})[0];
}

TEST(StatsTable, LeavesOutColumnsThatSayNothing) {
  ProfileRow row{.name = "sub", .place = Place::Cpu, .shapes = "", .calls = 1, .cpu_ns = 10};
  EXPECT_THAT(titles({row}), ElementsAre("name", "count"));
  row.min_ns = row.p50_ns = row.p95_ns = row.max_ns = 10;
  EXPECT_THAT(titles({row}), ElementsAre("name", "count", "min", "p50", "p95", "max"));
  row.bytes = 10;
  row.faults = 1;
  row.place = Place::Cuda;
  row.shapes = "[[1]]";
  EXPECT_THAT(titles({row}), ElementsAre("name", "place", "shapes", "count", "min", "p50", "p95",
                                         "max", "GB/s", "faults"));
}

TEST(StatsTable, TheLimitOfARowThatIsNotThereIsNotShown) {
  const std::vector<ProfileRow> rows{{.name = "sub", .place = Place::Cpu, .shapes = ""}};
  EXPECT_THAT(stats_cells(rows, {{"div", 1.0}}, {})[0], ElementsAre("name", "count"));
  EXPECT_THAT(stats_cells(rows, {{"sub", 1.0}}, {})[1], ElementsAre("sub", "0", "100 %"));
}

TEST(StatsTable, IsSortedAndCutAsTheOtherTable) {
  const auto cells =
      stats_cells(gpu_profile().rows, {}, {.sort_by = "device_time", .row_limit = 2});
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[1][0], "ProfilerStep*");
  EXPECT_EQ(cells[2][0], "h2d");
}

TEST(StatsTable, NothingGivesNothing) { EXPECT_EQ(stats_table({}, {}, {}), ""); }

TEST(BytesPerNs, AreOfTheDevicesTimeWhereThereIsAny) {
  ProfileRow row{.name = "h2d", .place = Place::Cpu, .shapes = "", .cpu_ns = 50, .bytes = 200};
  EXPECT_EQ(bytes_per_ns(row), 4);
  row.device_ns = 100;
  EXPECT_EQ(bytes_per_ns(row), 2);
}

TEST(BytesPerNs, AreNothingWithoutBytesOrTimes) {
  EXPECT_FALSE(
      bytes_per_ns({.name = "", .place = Place::Cpu, .shapes = "", .cpu_ns = 50}).has_value());
  EXPECT_FALSE(
      bytes_per_ns({.name = "", .place = Place::Cpu, .shapes = "", .bytes = 50}).has_value());
}

}  // namespace
}  // namespace normbench::stats_table_test

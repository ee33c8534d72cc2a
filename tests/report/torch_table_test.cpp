#include "report/torch_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "core/issue.h"
#include "source_dir.h"

namespace normbench::torch_table_test {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/golden/" + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ProfileRow cpu_row(std::string name, std::int64_t calls, std::int64_t self_ns,
                   std::int64_t total_ns) {
  ProfileRow row;
  row.name = std::move(name);
  row.place = Place::Cpu;
  row.calls = calls;
  row.self_cpu_ns = self_ns;
  row.cpu_ns = total_ns;
  return row;
}

ProfileRow device_row(std::string name, std::int64_t calls, std::int64_t total_ns) {
  ProfileRow row;
  row.name = std::move(name);
  row.place = Place::Cuda;
  row.calls = calls;
  row.self_device_ns = row.device_ns = total_ns;
  return row;
}

/// Returns the rows of one op, its launches, its kernel and its copy, in the order of PyTorch's
/// tables.
std::vector<ProfileRow> device_rows() {
  std::vector<ProfileRow> rows{
      cpu_row("nb::normalize", 10, 1'822'400, 3'911'700),
      cpu_row("cudaLaunchKernel", 10, 2'089'300, 2'089'300),
      device_row("void nb::normalize_kernel<unsigned char, float, 4>(unsigned char const*, float*)",
                 10, 401'400),
      device_row("Memcpy HtoD (Pinned -> Device)", 10, 411'200)};
  rows[0].device_ns = 812'600;
  return rows;
}

TableOptions by(const std::string& sort_by, std::int64_t row_limit = -1) {
  return {.sort_by = sort_by, .row_limit = row_limit};
}

std::vector<ProfileRow> host_rows() {
  return {cpu_row("ProfilerStep*", 10, 194'000, 971'402'000),
          cpu_row("sub", 10, 500'272'000, 500'272'000),
          cpu_row("div", 10, 470'936'000, 470'936'000)};
}

TEST(TorchTable, DeviceColumnsToTheByte) {
  EXPECT_EQ(torch_table(device_rows(), by("cuda_time_total", 3)), golden("torch_table_cuda.txt"));
}

TEST(TorchTable, HostOnlyToTheByte) {
  EXPECT_EQ(
      torch_table(host_rows(), by("")),
      "-----------------  ------------  ------------  ------------  ------------  ------------  "
      "------------  \n"
      "             Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg  "
      "  # of Calls  \n"
      "-----------------  ------------  ------------  ------------  ------------  ------------  "
      "------------  \n"
      "    ProfilerStep*         0.02%     194.000us       100.00%     971.402ms      97.140ms  "
      "          10  \n"
      "              sub        51.50%     500.272ms        51.50%     500.272ms      50.027ms  "
      "          10  \n"
      "              div        48.48%     470.936ms        48.48%     470.936ms      47.094ms  "
      "          10  \n"
      "-----------------  ------------  ------------  ------------  ------------  ------------  "
      "------------  \n"
      "Self CPU time total: 971.402ms\n");
}

/// Returns the names of the rows of a table, from top to bottom.
std::vector<std::string> order(const std::string& sort_by, std::int64_t row_limit = -1) {
  const std::string table = torch_table(host_rows(), by(sort_by, row_limit));
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string name : {"ProfilerStep*", "sub", "div"})
    if (const auto at = table.find(" " + name); at != std::string::npos)
      found.emplace_back(at, name);
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (const auto& [at, name] : found) names.push_back(name);
  return names;
}

TEST(TorchTable, SortsDescendingAndStably) {
  using testing::ElementsAre;
  EXPECT_THAT(order(""), ElementsAre("ProfilerStep*", "sub", "div"));
  EXPECT_THAT(order("self_cpu_time_total"), ElementsAre("sub", "div", "ProfilerStep*"));
  EXPECT_THAT(order("cpu_time_total"), ElementsAre("ProfilerStep*", "sub", "div"));
  EXPECT_THAT(order("cpu_time"), ElementsAre("ProfilerStep*", "sub", "div"));
  EXPECT_THAT(order("count"), ElementsAre("ProfilerStep*", "sub", "div"));
  EXPECT_THAT(order("cuda_time_total"), ElementsAre("ProfilerStep*", "sub", "div"));
  EXPECT_THAT(order("self_cpu_time_total", 1), ElementsAre("sub"));
  EXPECT_THAT(order("self_cpu_time_total", 0), ElementsAre());
}

TEST(TorchTable, CudaInASortKeyMeansTheDevice) {
  for (const std::string key : {"time", "time_total"})
    EXPECT_EQ(torch_table(device_rows(), by("cuda_" + key)),
              torch_table(device_rows(), by("device_" + key)));
  EXPECT_EQ(torch_table(device_rows(), by("self_cuda_time_total")),
            torch_table(device_rows(), by("self_device_time_total")));
}

TEST(TorchTable, AnUnknownSortKeyNamesTheKnownOnes) {
  try {
    torch_table(host_rows(), by("cpu_tiem"));
    FAIL();
  } catch (const Invalid& error) {
    EXPECT_STREQ(error.what(),
                 "unknown sort_by \"cpu_tiem\" (known: cpu_time, cpu_time_total, "
                 "self_cpu_time_total, device_time, device_time_total, self_device_time_total, "
                 "cpu_memory_usage, self_cpu_memory_usage, device_memory_usage, "
                 "self_device_memory_usage, count)");
  }
}

/// Returns the cells of line `index` of a table, without padding.
std::vector<std::string> cells(const std::string& table, int index) {
  std::istringstream lines(table);
  std::string line;
  for (int i = 0; i <= index; ++i) std::getline(lines, line);
  std::vector<std::string> result;
  std::istringstream words(line);
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

TEST(TorchTable, UnitsChangeAtAThousand) {
  const auto time_of = [](std::int64_t ns) {
    return cells(torch_table(std::vector{cpu_row("x", 1, ns, ns)}, by("")), 3).at(2);
  };
  EXPECT_EQ(time_of(0), "0.000us");
  EXPECT_EQ(time_of(999'999), "999.999us");
  EXPECT_EQ(time_of(1'000'000), "1.000ms");
  EXPECT_EQ(time_of(999'999'999), "1000.000ms");
  EXPECT_EQ(time_of(1'000'000'000), "1.000s");
}

TEST(TorchTable, AShareOfNothingIsNan) {
  EXPECT_EQ(cells(torch_table(std::vector{cpu_row("x", 1, 0, 0)}, by("")), 3).at(1), "NaN");
}

TEST(TorchTable, NamesOf52CharactersAreCut) {
  const auto name_of_length = [](std::size_t length) {
    std::string name;
    for (std::size_t i = 0; i < length; ++i) name += "ü";
    return cells(torch_table(std::vector{cpu_row(name, 1, 1, 1)}, by("")), 3).at(0);
  };
  std::string kept;
  for (int i = 0; i < 51; ++i) kept += "ü";
  EXPECT_EQ(name_of_length(51), kept);
  EXPECT_EQ(name_of_length(52), kept + "ü...");
  EXPECT_EQ(name_of_length(53), kept + "ü...");
}

TEST(TorchTable, ShapesHaveAColumnWhereThereAreAny) {
  std::vector<ProfileRow> rows{cpu_row("x", 1, 1, 1), cpu_row("y", 1, 1, 1)};
  rows[1].shapes = "[[1,3,4,4]]";
  const std::string table = torch_table(rows, by(""));
  EXPECT_THAT(table, testing::HasSubstr("  # of Calls     Input Shapes  \n"));
  EXPECT_THAT(table, testing::HasSubstr("           1      [[1,3,4,4]]  \n"));
  EXPECT_THAT(table, testing::HasSubstr("           1               []  \n"));
}

TEST(TorchTable, LongShapesAreCut) {
  std::vector<ProfileRow> rows{cpu_row("x", 1, 1, 1)};
  rows[0].shapes = std::string(100, '1');
  EXPECT_EQ(cells(torch_table(rows, by("")), 3).at(7), std::string(80, '1'));
}

TEST(TorchTable, NamesAreWholeWhereNoWidthIsGiven) {
  const std::string name(70, 'n');
  const std::string table = torch_table(std::vector{cpu_row(name, 1, 1, 1)}, {.max_name_width = 0});
  EXPECT_THAT(table, testing::HasSubstr("\n    " + name + "  "));
  EXPECT_THAT(table, testing::StartsWith(std::string(74, '-') + "  "));
}

TEST(TorchTable, AnnotationsOfADeviceAreNotInItsTotal) {
  std::vector<ProfileRow> rows = device_rows();
  rows.push_back(device_row("ProfilerStep*", 10, 1'625'200));
  rows.back().annotation = true;
  const std::string table = torch_table(rows, by(""));
  EXPECT_THAT(table, testing::EndsWith("Self CUDA time total: 812.600us\n"));
  EXPECT_THAT(cells(table, 7), testing::Contains("200.00%"));
}

TEST(TorchTable, DeviceTimeWithoutDeviceRowsIsThatOfTheHostRows) {
  std::vector<ProfileRow> rows = host_rows();
  rows[1].self_device_ns = rows[1].device_ns = 5'012'000;
  EXPECT_THAT(torch_table(rows, by("")), testing::EndsWith("Self CUDA time total: 5.012ms\n"));
}

/// Returns rows of random kinds with random times.
std::vector<ProfileRow> random_rows(std::mt19937& random) {
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  const auto any_ns = [&] { return below(1 << below(31)); };
  const bool device = below(2) == 1;
  std::vector<ProfileRow> rows;
  for (auto n = 1 + below(12); n > 0; --n) {
    if (device && below(2) == 1) {
      rows.push_back(device_row("kernel" + std::to_string(n), 1 + below(9), any_ns()));
      rows.back().annotation = below(4) == 0;
    } else {
      const std::int64_t self_ns = any_ns();
      rows.push_back(cpu_row("op" + std::to_string(n), 1 + below(9), self_ns, self_ns + any_ns()));
      if (device) rows.back().device_ns = any_ns();
    }
  }
  return rows;
}

/// Sums the shares in the column `title`, over the rows for which `counts` returns true.
double sum_of_shares(std::span<const ProfileRow> rows,
                     const std::vector<std::vector<std::string>>& cells, const std::string& title,
                     bool (*counts)(const ProfileRow&)) {
  const auto column = std::ranges::find(cells[0], title) - cells[0].begin();
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (counts(rows[i])) sum += std::stod(cells[i + 1][static_cast<std::size_t>(column)]);
  return sum;
}

TEST(TorchTable, SelfTimesOfAnyRowsSumToTheTotal) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::vector<ProfileRow> rows = random_rows(random);
    const auto cells = torch_cells(rows, by(""));
    const AllRows totals = all_rows(rows);
    const double rounding = 0.00501 * static_cast<double>(rows.size());
    const auto all = [](const ProfileRow&) { return true; };
    const auto work = [](const ProfileRow& row) {
      return row.place == Place::Cuda && !row.annotation;
    };
    if (totals.self_cpu_ns > 0) {
      EXPECT_NEAR(sum_of_shares(rows, cells, "Self CPU %", all), 100, rounding);
    }
    if (totals.has_device && totals.device_ns() > 0) {
      EXPECT_NEAR(sum_of_shares(rows, cells, "Self CUDA %", work), 100, rounding);
    }
  }
}

TEST(TorchTable, DeviceColumnsOfAnyRowsAreThereWithDeviceTimeAlone) {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const std::vector<ProfileRow> rows = random_rows(random);
    const bool device =
        std::ranges::any_of(rows, [](const ProfileRow& row) { return row.self_device_ns > 0; });
    const std::string table = torch_table(rows, by(""));
    for (const std::string text : {"Self CUDA %", "CUDA time avg", "Self CUDA time total: "})
      EXPECT_EQ(table.find(text) != std::string::npos, device) << text << "\n" << table;
    for (const auto& line : torch_cells(rows, by(""))) EXPECT_EQ(line.size(), device ? 11u : 7u);
  }
}

TEST(TorchTable, AnyRowsAreSortedAndCut) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    const std::vector<ProfileRow> rows = random_rows(random);
    const auto limit = static_cast<std::int64_t>(random() % 14);
    const auto shown = shown_rows(rows, by("self_cpu_time_total", limit));
    EXPECT_EQ(shown.size(), std::min(rows.size(), static_cast<std::size_t>(limit)));
    EXPECT_TRUE(std::ranges::is_sorted(shown, std::ranges::greater(), &ProfileRow::self_cpu_ns));
    EXPECT_EQ(torch_cells(rows, by("self_cpu_time_total", limit)).size(), shown.size() + 1);
  }
}

TEST(TorchTable, TheTopRowsGiveTheTableOfAll) {
  std::mt19937 random(5);
  for (int i = 0; i < 20; ++i) {
    std::vector<ProfileRow> rows;
    while (rows.size() < 3000)
      for (const ProfileRow& row : random_rows(random)) rows.push_back(row);
    for (const char* sort_by : {"", "self_cpu_time_total", "count"})
      for (const std::int64_t limit : {-1, 0, 1, 100}) {
        TableOptions options = by(sort_by, limit);
        TopRows top(options);
        for (const ProfileRow& row : rows) top.add(row);
        const std::string expected = torch_table(rows, options);
        const std::vector<ProfileRow> kept = top.take(options.rest);
        EXPECT_EQ(kept.size(), limit < 0 ? rows.size() : static_cast<std::size_t>(limit));
        EXPECT_EQ(torch_table(kept, options), expected) << sort_by << " " << limit;
      }
  }
}

TEST(TorchTable, Memory) {
  ProfileRow row = cpu_row("aten::empty", 2, 5'000, 5'000);
  row.cpu_memory = 3 << 19;
  row.self_cpu_memory = -1023;
  EXPECT_THAT(torch_cells(std::vector{row, cpu_row("x", 1, 1, 1)}, by("")),
              testing::ElementsAre(
                  testing::ElementsAre("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total",
                                       "CPU time avg", "CPU Mem", "Self CPU Mem", "# of Calls"),
                  testing::Contains("1.50 MB"), testing::Contains("0 B")));
  row.self_device_memory = row.device_memory = std::int64_t{5} << 30;
  const auto cells = torch_cells(std::vector{row}, by(""));
  EXPECT_THAT(cells[0], testing::Contains("Self CUDA Mem"));
  EXPECT_THAT(cells[1], testing::IsSupersetOf({"1.50 MB", "-1023 B", "5.00 GB"}));
}

TEST(TorchTable, RangesThatMayEndOnAnotherThreadHaveNoShare) {
  ProfileRow row = cpu_row("gloo:all_reduce", 2, 0, 5'000);
  row.async = true;
  EXPECT_EQ(torch_cells(std::vector{row, cpu_row("x", 1, 9, 9)}, by(""))[1],
            (std::vector<std::string>{"gloo:all_reduce", "0.00%", "0.000us", "0", "5.000us",
                                      "2.500us", "2"}));
}

TEST(TorchTable, NothingGivesNothing) { EXPECT_EQ(torch_table({}, by("")), ""); }

}  // namespace
}  // namespace normbench::torch_table_test

#include "trace/profile_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/issue.h"

namespace normbench {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file(std::string(NORMBENCH_SOURCE_DIR) + "/tests/golden/" + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ProfileRow cpu_row(std::string name, std::int64_t calls, std::int64_t self_ns,
                   std::int64_t total_ns) {
  ProfileRow row;
  row.name = std::move(name);
  row.place = "cpu";
  row.calls = calls;
  row.self_cpu_ns = self_ns;
  row.cpu_ns = total_ns;
  return row;
}

ProfileRow device_row(std::string name, std::int64_t calls, std::int64_t total_ns) {
  ProfileRow row;
  row.name = std::move(name);
  row.place = "cuda";
  row.calls = calls;
  row.self_device_ns = row.device_ns = total_ns;
  return row;
}

/// The rows of one op with its copy and its kernel, as torch lists them.
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

std::vector<ProfileRow> host_rows() {
  return {cpu_row("ProfilerStep*", 10, 194'000, 971'402'000),
          cpu_row("sub", 10, 500'272'000, 500'272'000),
          cpu_row("div", 10, 470'936'000, 470'936'000)};
}

TEST(TorchTable, DeviceColumnsToTheByte) {
  EXPECT_EQ(torch_table(device_rows(), "cuda_time_total", 3), golden("torch_table_cuda.txt"));
}

TEST(TorchTable, HostOnlyToTheByte) {
  EXPECT_EQ(
      torch_table(host_rows(), "", -1),
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

/// The names in the order in which a table lists them.
std::vector<std::string> order(const std::string& sort_by, std::int64_t row_limit = -1) {
  const std::string table = torch_table(host_rows(), sort_by, row_limit);
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
    EXPECT_EQ(torch_table(device_rows(), "cuda_" + key, -1),
              torch_table(device_rows(), "device_" + key, -1));
  EXPECT_EQ(torch_table(device_rows(), "self_cuda_time_total", -1),
            torch_table(device_rows(), "self_device_time_total", -1));
}

TEST(TorchTable, AnUnknownSortKeyNamesTheKnownOnes) {
  try {
    torch_table(host_rows(), "cpu_tiem", -1);
    FAIL();
  } catch (const Invalid& error) {
    EXPECT_STREQ(error.what(),
                 "unknown sort_by \"cpu_tiem\" (known: cpu_time, cpu_time_total, "
                 "self_cpu_time_total, device_time, device_time_total, self_device_time_total, "
                 "count)");
  }
}

/// The cells of line `index` of a table, without the padding.
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
    return cells(torch_table(std::vector{cpu_row("x", 1, ns, ns)}, "", -1), 3).at(2);
  };
  EXPECT_EQ(time_of(0), "0.000us");
  EXPECT_EQ(time_of(999'999), "999.999us");
  EXPECT_EQ(time_of(1'000'000), "1.000ms");
  EXPECT_EQ(time_of(999'999'999), "1000.000ms");
  EXPECT_EQ(time_of(1'000'000'000), "1.000s");
}

TEST(TorchTable, AShareOfNothingIsNan) {
  EXPECT_EQ(cells(torch_table(std::vector{cpu_row("x", 1, 0, 0)}, "", -1), 3).at(1), "NaN");
}

TEST(TorchTable, NamesOf52CharactersAreCut) {
  const auto name_of_length = [](std::size_t length) {
    std::string name;
    for (std::size_t i = 0; i < length; ++i) name += "ü";
    return cells(torch_table(std::vector{cpu_row(name, 1, 1, 1)}, "", -1), 3).at(0);
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
  const std::string table = torch_table(rows, "", -1);
  EXPECT_THAT(table, testing::HasSubstr("  # of Calls     Input Shapes  \n"));
  EXPECT_THAT(table, testing::HasSubstr("           1      [[1,3,4,4]]  \n"));
}

TEST(TorchTable, DeviceTimeWithoutDeviceRowsIsThatOfTheHostRows) {
  std::vector<ProfileRow> rows = host_rows();
  rows[1].self_device_ns = rows[1].device_ns = 5'012'000;
  EXPECT_THAT(torch_table(rows, "", -1), testing::EndsWith("Self CUDA time total: 5.012ms\n"));
}

TEST(TorchTable, NothingGivesNothing) { EXPECT_EQ(torch_table({}, "", -1), ""); }

}  // namespace
}  // namespace normbench

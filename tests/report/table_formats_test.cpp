#include "report/table_formats.h"

#include <gmock/gmock.h>

#include "core/issue.h"
#include "report/profile_fixture.h"

namespace normbench::table_formats_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const LimitShares kLimits{{"h2d", 0.974}};

std::string made(TableKind kind, TableFormat format, const TableOptions& options = {}) {
  return profile_table(gpu_profile(), kLimits, kind, format, options);
}

TEST(ProfileTable, AsTextIsTheTableAndTheFooters) {
  const CaseProfile profile = gpu_profile();
  std::string footers;
  for (const std::string& line : profile_footers(profile)) footers += line + "\n";
  EXPECT_EQ(made(TableKind::Torch, TableFormat::Text), torch_table(profile.rows, {}) + footers);
  EXPECT_EQ(made(TableKind::Stats, TableFormat::Text),
            stats_table(profile.rows, kLimits, {}) + footers);
}

TEST(ProfileTable, SaysHowManyRowsAreLeftOut) {
  EXPECT_THAT(made(TableKind::Torch, TableFormat::Text, {.row_limit = 3}),
              HasSubstr("Self CUDA time total: 5.564ms\n1 more row (row_limit is 3)\nWall"));
  EXPECT_THAT(made(TableKind::Stats, TableFormat::Text, {.row_limit = 0}),
              HasSubstr("4 more rows (row_limit is 0)\n"));
  EXPECT_THAT(made(TableKind::Stats, TableFormat::Text, {.row_limit = 4}),
              testing::Not(HasSubstr("more row")));
}

TEST(ProfileTable, AsMarkdown) {
  EXPECT_THAT(
      made(TableKind::Torch, TableFormat::Markdown, {.row_limit = 1}),
      StartsWith("| Name | Self CPU % | Self CPU | CPU total % | CPU total | CPU time avg | "
                 "Self CUDA | Self CUDA % | CUDA total | CUDA time avg | \\# of Calls |\n"
                 "|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
                 "| ProfilerStep\\* | 3.39% | 190.000us | 100.00% | 5.610ms | 561.000us | "
                 "0.000us | 0.00% | 5.564ms | 556.400us | 10 |\n"
                 "\n"
                 "- Self CPU time total: 5.610ms\n"
                 "- Self CUDA time total: 5.564ms\n"
                 "- 3 more rows (row\\_limit is 1)\n"
                 "- Wall time of 10 steps: 5.610ms\n"));
  EXPECT_THAT(made(TableKind::Stats, TableFormat::Markdown),
              HasSubstr("| void normalize&lt;unsigned char, float\\>(\"a, b\") | cuda | 10 | "
                        "55.000us | 55.200us | 55.900us | 56.000us |  |  |  |\n"));
}

TEST(ProfileTable, AsCsvOfTorchsColumns) {
  EXPECT_EQ(made(TableKind::Torch, TableFormat::Csv, {.sort_by = ""}),
            "name,place,annotation,shapes,calls,self_cpu_ns,cpu_ns,self_device_ns,device_ns\r\n"
            "ProfilerStep*,cpu,true,,10,190000,5610000,0,5564000\r\n"
            "h2d,cpu,false,,10,5420000,5420000,5012000,5012000\r\n"
            "Memcpy HtoD (Pinned -> Device),cuda,false,,10,0,0,5012000,5012000\r\n"
            "\"void normalize<unsigned char, float>(\"\"a, b\"\")\",cuda,false,,10,0,0,552000,"
            "552000\r\n");
}

TEST(ProfileTable, AsCsvOfTheStatistics) {
  const std::string csv = made(TableKind::Stats, TableFormat::Csv, {.sort_by = ""});
  EXPECT_THAT(csv, StartsWith("name,place,annotation,shapes,calls,min_ns,p50_ns,p95_ns,max_ns,"
                              "bytes,bytes_per_ns,of_limit,faults\r\n"));
  EXPECT_THAT(csv,
              HasSubstr("\r\nProfilerStep*,cpu,true,,10,540000,560000,590000,600000,,,,0\r\n"));
  EXPECT_THAT(csv, testing::ContainsRegex("\r\nh2d,cpu,false,,10,500000,540000,550000,560000,"
                                          "276480000,55\\.1[0-9]*,0\\.974,1234\r\n"));
}

TEST(ProfileTable, AsJson) {
  std::vector<Issue> issues;
  const Json json = parse_json(made(TableKind::Torch, TableFormat::Json), issues);
  EXPECT_TRUE(issues.empty());
  EXPECT_EQ(json["rows"].size(), 4u);
  EXPECT_EQ(json["rows"][0].dump(),
            R"({"name":"ProfilerStep*","place":"cpu","annotation":true,"shapes":"","calls":10,)"
            R"("self_cpu_ns":190000,"cpu_ns":5610000,"self_device_ns":0,"device_ns":5564000})");
  EXPECT_EQ(json["totals"].dump(), R"({"self_cpu_ns":5610000,"device_ns":5564000})");
  EXPECT_EQ(json["steps"], 10);
  EXPECT_EQ(json["discarded"], 2);
  EXPECT_EQ(json["overhead"], 1.03);
  EXPECT_EQ(json["device_times"], "CUPTI");
  EXPECT_EQ(json["clock_error_ns"], 400);
  EXPECT_EQ(json["times"].dump(),
            R"({"wall_ns":5610000,"busy_ns":5464000,"copy_ns":5012000,"exposed_copy_ns":4912000,)"
            R"("overlap_ns":100000,"gaps":10,"gap_ns":46000})");
  EXPECT_EQ(json["losses"]["dropped"], 0);
}

TEST(ProfileTable, ValuesThatAreNotKnownAreNull) {
  CaseProfile profile{.variant = "",
                      .rows = {{.name = "sub", .place = Place::Cpu, .shapes = "", .calls = 1}}};
  EXPECT_EQ(profile_values(profile, {}, TableKind::Stats, {})[0].dump(),
            R"({"name":"sub","place":"cpu","annotation":false,"shapes":"","calls":1,"min_ns":null,)"
            R"("p50_ns":null,"p95_ns":null,"max_ns":null,"bytes":null,"bytes_per_ns":null,)"
            R"("of_limit":null,"faults":0})");
}

TEST(ProfileTable, OfNothing) {
  const CaseProfile nothing{.variant = "", .rows = {}};
  for (const TableKind kind : {TableKind::Torch, TableKind::Stats}) {
    EXPECT_EQ(profile_table(nothing, {}, kind, TableFormat::Text, {}), "");
    EXPECT_EQ(profile_table(nothing, {}, kind, TableFormat::Csv, {}), "");
    EXPECT_THAT(profile_table(nothing, {}, kind, TableFormat::Json, {}),
                StartsWith("{\n \"rows\": [],"));
  }
}

TEST(ProfileTable, AnUnknownSortKeyIsSaidInEveryFormat) {
  for (const TableFormat format :
       {TableFormat::Text, TableFormat::Csv, TableFormat::Json, TableFormat::Markdown})
    EXPECT_THROW(made(TableKind::Stats, format, {.sort_by = "x"}), Invalid);
}

/// Parses CSV as in RFC 4180. Returns the rows.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      rows.back().emplace_back();
    else if (!quoted && c == '\r')
      rows.push_back({""}), ++i;
    else
      rows.back().back() += c;
  }
  rows.pop_back();
  return rows;
}

TEST(CsvText, IsReadBackWhateverTheTextIs) {
  const std::vector<std::string> texts{"",    "a,b",   "\"",   "\"\"",       "a\nb", "a\r\nb",
                                       " a ", "größe", "=1+1", "\",\",\"\n", "\r"};
  for (const std::string& a : texts)
    for (const std::string& b : texts) {
      const Json row = {{"first, quoted", a}, {"second", b}};
      const std::vector<Json> rows(1, row);
      EXPECT_EQ(read_csv(csv_text(rows)),
                (std::vector<std::vector<std::string>>{{"first, quoted", "second"}, {a, b}}));
    }
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_text(Json("a\xff")), "\"a\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace normbench::table_formats_test

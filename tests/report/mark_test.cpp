#include "report/mark.h"

#include <gmock/gmock.h>

#include "compared.h"
#include "example_results.h"
#include "plan/schema.h"
#include "report/comparison.h"
#include "report/html/report_html.h"
#include "report/profile_report.h"
#include "report/report.h"

namespace normbench::mark_test {
namespace {

/// Returns the kind of the file with the content `text`, as its first 4096 bytes tell it.
std::optional<Written> kind(const std::string& text) { return written_as(text.substr(0, 4096)); }

TEST(Mark, ReportsAreKnownInAllFormats) {
  const Analysed documents[] = {Analysed(examples::blog()), Analysed(examples::blog())};
  const Analysed& document = documents[0];
  for (const Report& report : reports())
    for (const std::size_t width : {40, 100}) {
      const std::string text = report.render(document, Screen{.width = width});
      EXPECT_EQ(kind(text), report.name == "json" ? Written::Results : Written::Derived)
          << report.name;
    }
  EXPECT_EQ(kind(html_report(documents)), Written::Derived);
  const std::string json = report_named("json").render(document, Screen{});
  EXPECT_EQ(kind("[\n" + json + ",\n" + json + "]\n"), Written::ResultsList);
  EXPECT_EQ(kind(to_json(document.results()).dump()), Written::Results);
}

TEST(Mark, ComparisonsAreKnownInAllFormats) {
  const Results one = examples::timed_run({{"fused", {1000}}});
  const Comparison comparison = compare(std::vector{one}, std::vector{one}, 0.02);
  for (const ComparisonReport& report : comparison_reports())
    EXPECT_EQ(kind(report.render(comparison, Screen{})), Written::Derived) << report.name;
}

TEST(Mark, ProfilerTablesOfDocumentsAreKnownInAllFormats) {
  const Analysed document(examples::blog());
  for (const auto& table : words(TableKind{}))
    for (const auto& format : words(TableFormat{}))
      EXPECT_EQ(kind(profile_report(document, table.value, format.value)), Written::Derived)
          << table.name << ' ' << format.name;
}

TEST(Mark, OtherFilesAreNot) {
  EXPECT_EQ(kind(config_schema({}).dump(1)), Written::Derived);
  EXPECT_EQ(kind("{\"journal\":1,\"header\":{"), Written::Journal);
  for (const char* other : {"",
                            "mine\n",
                            "normbench\n",
                            "normbench is nice\n",
                            "# normbench\n",
                            "{}",
                            "[]",
                            "[1, 2]",
                            R"({"schema": 1, "name": "a config", "experiments": []})",
                            R"({"schema": 1, "tool": {"name": "other"}})",
                            R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": []})",
                            R"({"context": {}, "benchmarks": []})",
                            "<html><head><title>normbench</title></head>",
                            "<testsuites name=\"pytest\">",
                            "name,place\n",
                            "12 monkeys\n",
                            "### A heading\n",
                            "-----  -----\n Name  Self CPU\n",
                            "name,count,mean,min,p50,p95,max\n",
                            "3 regressed tests I have to look at tomorrow\n",
                            "Re: Profile of the applicant\n",
                            "normbench 2 is out\n",
                            "Re: Profile of the applicant\n-----  -----\n Name  Age\n",
                            "### Re: Profile of the applicant\n\n| Name | Age |\n|:--|--:|\n",
                            "### normbench: how I use it\n",
                            "a,name,place,annotation,shapes,calls,b\n",
                            "| Name | Self CPU % | Self CPU |\n",
                            "My <testsuites name=\"normbench \"\n",
                            R"({"rows": [], "why": "self_cpu_ns", "self_cpu_ns": 1})",
                            R"({"a": {"b": 1, "tool": {"name": "normbench"}}})",
                            "\x7f"
                            "ELF"})
    EXPECT_EQ(kind(other), std::nullopt) << other;
}

}  // namespace
}  // namespace normbench::mark_test

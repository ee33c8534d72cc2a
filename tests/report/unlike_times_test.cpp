/// Tests the tables: if the times in a row contradict the speed-up of the row, the row must say so.
#include <gmock/gmock.h>

#include <regex>

#include "compared.h"
#include "example_results.h"
#include "report/answer.h"
#include "report/comparison.h"
#include "report/html/report_html.h"
#include "report/report.h"

namespace normbench::unlike_times_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void take(Round& round, std::int64_t ms) { round.wall_ns = round.cpu_ns = ms * 1'000'000; }

/// Returns a document with the cases "base" and "other". Their rounds take these times in ms,
/// repeated.
Results in_states(const std::vector<std::int64_t>& base_ms,
                  const std::vector<std::int64_t>& other_ms) {
  Results results = examples::make_results("states", {GroupResult{}});
  GroupResult& group = results.groups[0];
  group.experiment = "form";
  group.cases = {examples::make_case({"base", 2}), examples::make_case({"other", 2})};
  group.baseline = "base";
  for (std::size_t i = 0; i < group.cases[0].rounds.size(); ++i) {
    take(group.cases[0].rounds[i], base_ms[i % base_ms.size()]);
    take(group.cases[1].rounds[i], other_ms[i % other_ms.size()]);
  }
  return results;
}

/// Returns a document in which the machine changes between rounds: the rounds' speed-ups are 0.5,
/// 0.5 and 4, but the median time of each case is 2 ms.
Analysed changing() { return Analysed(in_states({1, 2, 4}, {2, 4, 1})); }

/// Returns a document in which every round has a speed-up of 2.
Analysed steady() { return Analysed(in_states({2, 4, 8}, {1, 2, 4})); }

std::string answer(const Analysed& analysed, TableFormat format) {
  return answer_report({&analysed, 1}, {}, format, Screen{});
}

/// Returns the text with one blank for each run of blanks and line ends.
std::string in_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

constexpr const char* kWhy = "compares turns that are neighbours in time";

TEST(UnlikeTimes, AreSaidInTheRowOfEachTable) {
  for (const std::string& text :
       {terminal(changing(), Screen{}), answer(changing(), TableFormat::Text),
        answer(changing(), TableFormat::Markdown), html_report(changing())})
    EXPECT_THAT(in_one_line(text), AllOf(HasSubstr("(by ms 1.00x)"), HasSubstr(kWhy)));
  EXPECT_THAT(in_one_line(table(changing())), AllOf(HasSubstr("), by ms 1.000 "), HasSubstr(kWhy)));
}

TEST(UnlikeTimes, AreNotSaidOfTimesThatAgree) {
  for (const std::string& text :
       {terminal(steady(), Screen{}), answer(steady(), TableFormat::Text),
        answer(steady(), TableFormat::Markdown), html_report(steady()), table(steady())})
    EXPECT_THAT(in_one_line(text), AllOf(Not(HasSubstr("by ms")), Not(HasSubstr(kWhy))));
}

TEST(UnlikeTimes, HaveAMemberForPrograms) {
  const Json rows = Json::parse(answer(changing(), TableFormat::Json));
  EXPECT_EQ(rows[1]["speed_up"], 0.5);
  EXPECT_EQ(rows[1]["speed_up_by_times"], 1);
  EXPECT_THAT(rows[1]["remark"], HasSubstr("neighbours in time"));
  EXPECT_EQ(rows[0]["remark"], "");
  EXPECT_THAT(answer(changing(), TableFormat::Csv),
              AllOf(HasSubstr(",speed_up_by_times,"), HasSubstr("neighbours in time")));
  EXPECT_EQ(document(changing())["groups"][0]["cases"][1]["ratio"]["of_medians"], 1);
  EXPECT_EQ(Json::parse(answer(steady(), TableFormat::Json))[1]["remark"], "");
}

/// Returns a comparison of runs on a machine whose speed changes from run to run. In each pair of
/// runs, the time about doubles or falls to about a quarter, but the medians of both sides are
/// equal.
Comparison compared() {
  const std::vector<std::int64_t> base{100, 200, 400, 110, 210, 410};
  const std::vector<std::int64_t> now{200, 400, 100, 210, 410, 110};
  examples::Pairs pairs;
  for (std::size_t run = 0; run < base.size(); ++run) {
    const int minute = static_cast<int>(2 * run);
    const auto times = [](std::int64_t ns) { return std::vector<std::int64_t>(10, ns); };
    pairs.base.push_back(examples::timed_run({{"a", times(base[run])}}, minute));
    pairs.now.push_back(examples::timed_run({{"a", times(now[run])}}, minute + 1));
  }
  return compare(pairs.base, pairs.now, {});
}

TEST(UnlikeTimes, AreSaidInTheRowOfAComparison) {
  for (const std::string& text :
       {comparison_text(compared(), Screen{}), comparison_markdown(compared()),
        comparison_html(compared())})
    EXPECT_THAT(in_one_line(text),
                AllOf(HasSubstr("+93 % (by ms 0.0 %)"), HasSubstr("neighbours in time")));
  const Json one = Json::parse(comparison_json(compared()))["cases"][0];
  EXPECT_EQ(one["ratio_of_medians"], 1);
  EXPECT_GT(one["ratio"]["value"], 1.9);
}

}  // namespace
}  // namespace normbench::unlike_times_test

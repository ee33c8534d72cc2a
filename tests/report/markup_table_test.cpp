#include "report/markup_table.h"

#include <gmock/gmock.h>

namespace normbench::markup_table_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns a table with characters that markup has to escape. The cells of the last column are
/// Markdown already, and are not escaped in Markdown.
MarkupTable example() {
  return {.columns = {{"case"}, {"claim", Align::Unsaid}, {"*change", Align::Right, true}},
          .rows = {{{"a|b\n<i>"}, {"x"}, {"1 [2]"}}, {{"REGRESSED", Ink::Bad}, {"y"}, {"3"}}}};
}

TEST(MarkupTable, MarkdownEscapesWhatIsNotMarkdownAndMakesWhatIsBadBold) {
  EXPECT_EQ(example().markdown(),
            "| case | claim | \\*change |\n"
            "|:--|---|--:|\n"
            "| a\\|b\\\\n&lt;i\\> | x | 1 [2] |\n"
            "| **REGRESSED** | y | 3 |\n");
}

TEST(MarkupTable, HtmlEscapesAllTextAndMarksRowsThatAreBad) {
  MarkupTable table = example();
  table.rows[0][1].markup = html::Element{"svg"}.empty();
  const std::string html = table.html_table("All <cases>").source();
  EXPECT_THAT(html, HasSubstr("<caption>All &lt;cases&gt;</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">a|b&#10;&lt;i&gt;</th>"));
  EXPECT_THAT(html, HasSubstr("<td data-title=\"claim\"><svg/></td>"));
  EXPECT_THAT(html, HasSubstr("<td data-title=\"*change\" class=\"number\">1 [2]</td>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"wrong\"><th scope=\"row\"><strong>REGRESSED</strong>"));
}

TEST(MarkupTable, AScreenHasOneLineARowWithColoursWhereItHasThem) {
  const auto on = [](const Screen& screen, std::size_t columns) {
    return columns_text(example().text_columns(screen, columns), 2);
  };
  EXPECT_EQ(on({}, 3),
            "  case       claim  *change\n"
            "  a|b\\n<i>   x        1 [2]\n"
            "  REGRESSED  y            3\n");
  EXPECT_THAT(on({}, 2), Not(HasSubstr("*change")));
  EXPECT_THAT(on({.colour = true}, 3), HasSubstr(painted("REGRESSED", Ink::Bad, {.colour = true})));
}

}  // namespace
}  // namespace normbench::markup_table_test

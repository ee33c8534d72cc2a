#include "report/op_text.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ops/op.h"
#include "plan/schema.h"

namespace normbench::op_text_test {
namespace {

using testing::HasSubstr;

TEST(OpText, OfAnOpHasItsFieldsWithWhatTheyTake) {
  EXPECT_THAT(op_text("crop", Screen{}),
              testing::StartsWith("crop: cut a window out of every image\n"
                                  "  size                 [2 values: whole number from 1]\n"
                                  "  at                   [2 values: whole number from 0]\n"
                                  "\nAs every stage it may have\n"));
  EXPECT_THAT(op_text("crop", Screen{}), HasSubstr("  output=reuse         reuse, fresh, "));
  EXPECT_THAT(op_text("normalize", Screen{}),
              HasSubstr("  flip=none            none, horizontal, vertical, both\n"));
  EXPECT_THAT(op_text("copy", Screen{}), HasSubstr("(no fields of its own)"));
}

TEST(OpText, ListsEveryOpWithItsFields) {
  const std::string text = op_list_text(Screen{});
  for (const std::string& op : op_names()) EXPECT_THAT(text, HasSubstr("  " + op + " "));
  EXPECT_THAT(text,
              HasSubstr("cut a window out of every image\n                       size, at\n"));
  EXPECT_THAT(text, HasSubstr("axis=horizontal\n"));
}

// op_text() and config_schema() both ask the readers of the ops, so they must name the same fields.
TEST(OpText, HasTheFieldsOfTheSchema) {
  const Json schema = config_schema({});
  for (const std::string& op : op_names()) {
    const std::string text = op_text(op, Screen{.width = 200});
    for (const auto& [name, member] : schema["$defs"][op]["properties"].items()) {
      if (name == "op") continue;
      EXPECT_THAT(text, testing::ContainsRegex("\n  " + name + "[ =]")) << op;
    }
  }
}

}  // namespace
}  // namespace normbench::op_text_test

#include "report/report.h"

#include <gtest/gtest.h>

#include "core/issue.h"

namespace normbench::report_test {
namespace {

TEST(Reports, AreFoundByName) {
  EXPECT_EQ(report_named("table").file, "table.txt");
  EXPECT_EQ(report_named("json").file, "results.json");
  try {
    report_named("tex");
    FAIL();
  } catch (const Invalid& invalid) {
    EXPECT_STREQ(invalid.what(), "unknown format \"tex\" (known: text, table, html, json)");
  }
}

}  // namespace
}  // namespace normbench::report_test

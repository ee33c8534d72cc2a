#include "ops/compute.h"

#include <gmock/gmock.h>

#include "core/issue.h"

namespace normbench::compute_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Compute read(const Json& json, std::vector<std::string>& mistakes) {
  std::vector<Issue> issues;
  Reader reader(json, "/0", issues);
  const Compute op = Compute::read(reader);
  reader.finish();
  mistakes.clear();
  for (const Issue& issue : issues) mistakes.push_back(issue.pointer + ": " + issue.text);
  return op;
}

TEST(ComputeRead, TakesATimeOfTheBatchOrOfAnImage) {
  std::vector<std::string> mistakes;
  EXPECT_EQ(read({{"ms", 1.5}}, mistakes).ns(4), 1.5e6);
  EXPECT_THAT(mistakes, ElementsAre());
  EXPECT_EQ(read({{"ms_per_image", 1.5}, {"fill", 0.25}}, mistakes).ns(4), 6e6);
  EXPECT_THAT(mistakes, ElementsAre());
}

TEST(ComputeRead, ReportsMistakes) {
  std::vector<std::string> mistakes;
  read(Json::object(), mistakes);
  EXPECT_THAT(mistakes, ElementsAre(HasSubstr("/0: no \"ms\" or \"ms_per_image\"")));
  read({{"ms", 1}, {"ms_per_image", 1}}, mistakes);
  EXPECT_THAT(mistakes, ElementsAre("/0/ms_per_image: cannot be combined with \"ms\" (keep one)"));
  read({{"ms", 0}, {"fill", 1.5}}, mistakes);
  EXPECT_THAT(mistakes, ElementsAre(HasSubstr("/0/ms: "), HasSubstr("/0/fill: ")));
  read({{"ms_per_image", -1}, {"fill", 0}}, mistakes);
  EXPECT_THAT(mistakes, ElementsAre(HasSubstr("/0/ms_per_image: "), HasSubstr("/0/fill: ")));
}

}  // namespace
}  // namespace normbench::compute_test

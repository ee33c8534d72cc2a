/// Every config of the repository is planned on this build's backends.
#include <gmock/gmock.h>

#include <filesystem>

#include "plan/plan.h"

namespace normbench {
namespace {

TEST(Configs, AreAllPlannedAndExplained) {
  const Backends backends = make_backends();
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(NORMBENCH_SOURCE_DIR) + "/configs")) {
    SCOPED_TRACE(entry.path().filename());
    if (entry.path().extension() != ".json") continue;
    PlanOptions options;
    options.base_dir = entry.path().parent_path().string();
    EXPECT_NO_THROW({
      const Plan plan = make_plan(entry.path().string(), backends, options);
      EXPECT_EQ(plan.name, entry.path().stem());
      EXPECT_THAT(plan.groups, testing::Not(testing::IsEmpty()));
      EXPECT_THAT(explain(plan, 32 << 20), testing::StartsWith(plan.name));
    });
  }
}

}  // namespace
}  // namespace normbench

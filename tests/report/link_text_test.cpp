#include "report/link_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "example_results.h"
#include "report/experiment_lines.h"

namespace normbench::link_text_test {
namespace {

/// Returns the GPU example, changed to a PCIe link of this generation and width. The copies of the
/// example reach 54.9 GB/s.
Results on_link(int generation, int width) {
  Results results = examples::gpu();
  Json& pcie = results.environment["gpu"]["pcie"];
  pcie["generation"] = generation;
  pcie["width"] = width;
  return results;
}

std::string warning(const Results& results) {
  return link_warning(experiments(results)[0], results);
}

constexpr const char* kWarning =
    "Warning: copies of pinned memory reach 54.9 GB/s to the GPU, 45 % of what PCIe 6.0 x16 carries "
    "(121 GB/s): a virtual machine may have a part of a GPU's link, or others use it, too; what "
    "crosses it may be faster elsewhere.";

TEST(LinkWarning, IsOfALinkOfWhichLittleIsThere) {
  EXPECT_EQ(warning(on_link(5, 16)), "");
  EXPECT_EQ(warning(on_link(6, 16)), kWarning);
  Results idle = on_link(6, 16);
  idle.environment["gpu"]["pcie"]["measured"] = "idle";
  EXPECT_EQ(warning(idle), "");
}

TEST(LinkWarning, IsInTheReport) {
  const Results results = on_link(6, 16);
  const auto lines = experiment_lines(experiments(results)[0], results).trust;
  EXPECT_EQ(std::ranges::count(lines, kWarning), 1);
}

TEST(LinkText, OfCopiesThatTakeAnotherLinkSaysSo) {
  const Results results = on_link(4, 4);
  const GroupResult* const groups[] = {&results.groups[0]};
  EXPECT_EQ(link_speed_text(*link_speed(results, groups)),
            "copies of pinned memory reach 54.9 GB/s to the GPU, 697 % of what PCIe 4.0 x4 carries "
            "(7.88 GB/s): they go over another link");
  EXPECT_EQ(warning(results), "");
}

TEST(LinkText, SaysWhatALinkCouldBe) {
  EXPECT_EQ(negotiated_text({{"generation", 4}, {"width", 8}}), "PCIe 4.0 x8");
  EXPECT_EQ(negotiated_text(
                {{"generation", 4}, {"width", 8}, {"max_generation", 5}, {"max_width", 16}}),
            "PCIe 4.0 x8 (could be PCIe 5.0 x16)");
  EXPECT_EQ(negotiated_text(
                {{"generation", 5}, {"width", 16}, {"max_generation", 5}, {"max_width", 16}}),
            "PCIe 5.0 x16");
  EXPECT_EQ(negotiated_text({{"generation", nullptr}, {"max_generation", 5}, {"max_width", 16}}),
            "");
}

}  // namespace
}  // namespace normbench::link_text_test

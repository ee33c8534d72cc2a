#include "analysis/link_speed.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "example_results.h"

namespace normbench::link_speed_test {
namespace {

Json machine(const Json& pcie) { return {{"gpu", {{"pcie", pcie}}}}; }

Json under_load(int generation, int width) {
  return machine({{"generation", generation}, {"width", width}, {"measured", "under load"}});
}

MachineLimit copy(const std::string& op, std::int64_t bytes, double bytes_per_second) {
  MachineLimit limit;
  limit.op = op;
  limit.bytes = bytes;
  const double ns = static_cast<double>(bytes) * 1e9 / bytes_per_second;
  limit.ns = Interval{ns, ns, ns};
  return limit;
}

constexpr std::int64_t kLarge = 256 << 20;

/// Returns the bandwidth of a PCIe link, in MB/s.
double carried(int generation, int width) {
  return link_speed(under_load(generation, width), {copy("h2d", kLarge, 1e9)})->bytes_per_second /
         1e6;
}

TEST(LinkSpeed, IsOfLanesAndTheirEncoding) {
  EXPECT_NEAR(carried(1, 16), 4'000, 1);
  EXPECT_NEAR(carried(2, 1), 500, 1);
  EXPECT_NEAR(carried(3, 16), 15'754, 1);
  EXPECT_NEAR(carried(4, 8), 15'754, 1);
  EXPECT_NEAR(carried(4, 16), 31'508, 1);
  EXPECT_NEAR(carried(5, 16), 63'015, 1);
  EXPECT_NEAR(carried(6, 16), 121'000, 1);
}

TEST(LinkSpeed, IsThatOfTheFastestLargeCopyEachWay) {
  const auto speed =
      link_speed(under_load(5, 16), {copy("h2d", kLarge, 20e9), copy("h2d", kLarge, 55e9),
                                     copy("d2h", kLarge, 50e9), copy("h2d", 1 << 20, 60e9),
                                     copy("exchange", kLarge, 90e9), copy("stream", kLarge, 80e9)});
  ASSERT_TRUE(speed);
  EXPECT_NEAR(speed->up, 55e9, 1);
  EXPECT_NEAR(speed->down, 50e9, 1);
  EXPECT_NEAR(speed->share(), 50 / 63.015, 1e-4);
  EXPECT_FALSE(speed->is_low());
  EXPECT_FALSE(speed->is_another());
}

TEST(LinkSpeed, BelowThreeFifthsIsLow) {
  const auto share = [](double up, double down) {
    return *link_speed(under_load(5, 16), {copy("h2d", kLarge, up * 63.0154e9),
                                           copy("d2h", kLarge, down * 63.0154e9)});
  };
  EXPECT_TRUE(share(0.25, 0.9).is_low());
  EXPECT_TRUE(share(0.9, 0.59).is_low());
  EXPECT_FALSE(share(0.61, 0.61).is_low());
  EXPECT_TRUE(share(7, 7).is_another());
}

TEST(LinkSpeed, OfOneDirectionIsItsOwn) {
  const auto speed = link_speed(under_load(5, 16), {copy("d2h", kLarge, 63.0154e9 / 2)});
  EXPECT_EQ(speed->up, 0);
  EXPECT_NEAR(speed->share(), 0.5, 1e-4);
}

TEST(LinkSpeed, IsUnknownWithoutALinkOrACopy) {
  const std::vector<MachineLimit> copies = {copy("h2d", kLarge, 55e9)};
  EXPECT_TRUE(link_speed(under_load(5, 16), copies));
  EXPECT_FALSE(link_speed(under_load(5, 16), {}));
  EXPECT_FALSE(link_speed(under_load(5, 16), {copy("h2d", 1 << 20, 55e9)}));
  EXPECT_FALSE(link_speed(under_load(9, 16), copies));
  EXPECT_FALSE(link_speed(machine(nullptr), copies));
  EXPECT_FALSE(link_speed({{"gpu", nullptr}}, copies));
  EXPECT_FALSE(
      link_speed(machine({{"generation", 1}, {"width", 16}, {"measured", "idle"}}), copies));
  EXPECT_FALSE(link_speed(
      machine({{"generation", nullptr}, {"width", 16}, {"measured", "under load"}}), copies));
}

TEST(LinkSpeed, OfADocumentIsThatOfItsLimits) {
  const Results results = examples::gpu();
  const GroupResult* const groups[] = {&results.groups[0]};
  const auto speed = link_speed(results, groups);
  ASSERT_TRUE(speed);
  EXPECT_NEAR(speed->up, 55.3e9, 0.5e9);
  EXPECT_EQ(speed->down, 0);
}

}  // namespace
}  // namespace normbench::link_speed_test

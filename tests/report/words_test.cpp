#include "report/words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace normbench::words_test {
namespace {

TEST(Words, ValuesOfAnAxis) {
  EXPECT_EQ(axis_value(Json("uint8")), "uint8");
  EXPECT_EQ(axis_value(Json(64)), "64");
  EXPECT_EQ(axis_value(Json::parse("[720, 1280]")), "720x1280");
  EXPECT_EQ(axis_value(Json::parse(R"({"h": 3, "w": "all"})")), "3/all");
  EXPECT_EQ(axis_value(Json::parse(R"({"output": "fresh", "name": "stock"})")), "stock");
}

TEST(Words, WhatNoiseHides) {
  EXPECT_EQ(hidden_text(0.0931), "differences below 9.3 % cannot be seen here");
  EXPECT_EQ(hidden_text(0.86), "differences below 86 % cannot be seen here");
  EXPECT_EQ(hidden_text(4.27), "differences below 5.3x cannot be seen here");
  EXPECT_EQ(hidden_text(9.5), "too noisy to tell");
}

TEST(Words, PointsOfASweep) {
  EXPECT_EQ(point_text(Json::parse(R"({"batch": 64, "size": [720, 1280]})")),
            "batch=64, size=720x1280");
  EXPECT_EQ(point_text(Json::parse(R"({"allocation": {"name": "neither faults"}})")),
            "allocation=neither faults");
  EXPECT_EQ(point_text(Json::object()), "");
}

}  // namespace
}  // namespace normbench::words_test

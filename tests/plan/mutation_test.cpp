/// Tests that damaged configs are either planned or refused with BadInput.
#include <gtest/gtest.h>

#include <random>

#include "fake_backends.h"
#include "report/plan_text.h"

namespace normbench::mutation_test {
namespace {

const std::string valid = R"({
  "schema": 1, "name": "where", "about": "a", "measure": {"precision": 0.02, "seed": 3},
  "profile": {"active": 3}, "peers": {"p": ["x"]},
  "defaults": {"source": {"size": [72, 128]}, "normalize": {"mean": [1, 2, 3], "std": [4, 5, 6]}},
  "experiments": [
    {"name": "place", "question": "q", "sweep": {"batch": [1, 10], "s": [{"h": 2, "w": 3}]},
     "vary": {"memory": ["pageable", "pinned"], "to": ["float16", "float32"]},
     "source": {"batch": "$batch", "memory": "$memory", "size": ["$s.h", "$s.w"]},
     "baseline": "CPU", "threads": "all",
     "variants": {
       "CPU": [{"op": "cast", "to": "$to", "output": "fresh", "as": "x"},
               {"op": "sub", "in": "x", "output": "in_place"}, "div"],
       "send": ["normalize", "h2d", {"op": "cast", "to": "float16", "place": "cuda"}, "d2h"],
       "crop": {"stages": [{"op": "source", "dtype": "float32", "layout": "nhwc", "size": [72, 128]},
                           {"op": "crop", "size": [10, 10], "at": [1, 1]}, "flip",
                           {"op": "resize", "size": [5, 6]}, {"op": "layout", "to": "nchw"},
                           {"op": "normalize", "kernel": "fused", "scale": 2,
                            "crop": {"size": [2, 2]}}],
                "threads": 2, "graph": false, "in_flight": 2, "submit": "one"},
       "calls": [{"op": "source", "memory": "pageable"}, {"op": "register", "as": "r"}, {"op": "h2d", "as": "d"},
                 {"op": "unregister", "in": ["d", "r"]}, {"op": "launch", "count": 2}, "sync",
                 {"op": "pin", "in": "source", "memory": "mapped", "output": "fresh"}],
       "graph": {"stages": [{"op": "source", "memory": "device"},
                            {"op": "cast", "to": "float32", "output": "reuse"}],
                 "graph": true, "wait": "iteration"},
       "load": [{"op": "load", "batch": 3}, {"op": "stream", "read": 2, "write": 5}]},
     "published": [{"variant": "CPU", "point": {"batch": 1, "to": "float16"}, "wall_ms": 2}],
     "claims": [{"text": "t", "expects": ["CPU", "<", "send"]}]}]})";

/// Plans the config `text`. Returns false if it is refused with BadInput.
bool is_planned(const std::string& text, const Backends& backends) {
  try {
    plan_text(make_plan("c.json", text, backends, {}), {.host = 1 << 20, .device = 1 << 20});
    return true;
  } catch (const BadInput& bad) {
    EXPECT_FALSE(bad.issues.empty());
    return false;
  }
}

/// Adds the JSON pointers of `value` and of all values in it to `pointers`.
void collect(const Json& value, const std::string& pointer, std::vector<std::string>& pointers) {
  pointers.push_back(pointer);
  if (!value.is_structured()) return;
  std::size_t i = 0;
  for (const auto& [key, member] : value.items())
    collect(member, pointer + "/" + (value.is_array() ? std::to_string(i++) : pointer_token(key)),
            pointers);
}

TEST(Mutation, DamagedBytesAreRefusedOrPlanned) {
  const Backends& backends = fakes::without_gpu();
  ASSERT_TRUE(is_planned(valid, backends));
  std::mt19937 random(1);
  const std::string alphabet = "{}[]\",:$0123456789.-eE \\\nabxz\xff\x01";
  for (int round = 0; round < 3000; ++round) {
    std::string text = valid;
    for (int damage = std::uniform_int_distribution(1, 3)(random); damage > 0; --damage) {
      const auto at = std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
      const char byte =
          alphabet[std::uniform_int_distribution<std::size_t>(0, alphabet.size() - 1)(random)];
      switch (std::uniform_int_distribution(0, 2)(random)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text[at] = byte;
          break;
        default:
          text.insert(at, 1, byte);
      }
    }
    SCOPED_TRACE(text);
    EXPECT_NO_FATAL_FAILURE(is_planned(text, backends));
  }
}

TEST(Mutation, DamagedValuesAreRefusedOrPlanned) {
  for (const Backends* backends : {&fakes::without_gpu(), &fakes::with_gpu()}) {
    const Json original = Json::parse(valid);
    std::vector<std::string> pointers;
    collect(original, "", pointers);
    std::vector<Json> values{nullptr,
                             true,
                             -1,
                             0,
                             1,
                             3,
                             1e300,
                             2147483647,
                             9223372036854775807,
                             "",
                             "$to",
                             "$s.h",
                             "$s",
                             "$batch",
                             "$nope",
                             "cast",
                             "h2d",
                             "source",
                             Json::array(),
                             Json::object()};
    for (const std::string& pointer : pointers)
      values.push_back(original.at(Json::json_pointer(pointer)));
    std::mt19937 random(2);
    for (int round = 0; round < 1500; ++round) {
      Json damaged = original;
      for (int damage = std::uniform_int_distribution(1, 2)(random); damage > 0; --damage) {
        const Json::json_pointer at(
            pointers[std::uniform_int_distribution<std::size_t>(0, pointers.size() - 1)(random)]);
        if (damaged.contains(at))
          damaged[at] =
              values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
      }
      SCOPED_TRACE(damaged.dump());
      EXPECT_NO_FATAL_FAILURE(is_planned(damaged.dump(), *backends));
    }
  }
}

}  // namespace
}  // namespace normbench::mutation_test

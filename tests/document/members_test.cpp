#include "document/members.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

#include "document/field_schema.h"

namespace normbench::members::members_test {
namespace {

enum class Colour { Red, Blue };
constexpr auto words(Colour) {
  return std::to_array<Word<Colour>>({{Colour::Red, "red"}, {Colour::Blue, "blue"}});
}

constexpr auto kInnerList =
    std::to_array<Member>({{"colour", kWord<Colour>, {"The colour"}}, {"any", kAny, {"Anything"}}});
constexpr Members kInner{"inner", "An inner object", kInnerList};

std::string schema_text_of(const Kind& kind) {
  Json definitions;
  return schema_of(kind, definitions).dump();
}

TEST(Members, AKindHasItsSchema) {
  EXPECT_EQ(schema_text_of(kText), R"({"type":"string"})");
  EXPECT_EQ(schema_text_of(kFlag), R"({"type":"boolean"})");
  EXPECT_EQ(schema_text_of(kWhole), R"({"type":"integer"})");
  EXPECT_EQ(schema_text_of(kNumber), R"({"type":["number","null"]})");
  EXPECT_EQ(schema_text_of(kAny), "{}");
  EXPECT_EQ(schema_text_of(kAnyObject), R"({"type":"object"})");
  EXPECT_EQ(schema_text_of(kWord<Colour>), R"({"enum":["red","blue"]})");
}

TEST(Members, OnlyTheWholeMemberMayBeNull) {
  EXPECT_EQ(schema_text_of(or_null(list_of(kNumber))),
            R"({"type":["array","null"],"items":{"type":"number"}})");
  EXPECT_EQ(schema_text_of(list_of(kNumber)), R"({"type":"array","items":{"type":"number"}})");
  EXPECT_EQ(schema_text_of(map_of(list_of(kWhole))),
            R"({"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}})");
  EXPECT_EQ(schema_text_of(or_null(kWord<Colour>)), R"({"enum":["red","blue",null]})");
  EXPECT_EQ(schema_text_of(or_null(object_of(kInner))),
            R"({"anyOf":[{"$ref":"#/$defs/inner"},{"type":"null"}]})");
}

TEST(Members, AnObjectIsDefinedWithItsMembers) {
  Json definitions;
  EXPECT_EQ(schema_of(object_of(kInner), definitions).dump(), R"({"$ref":"#/$defs/inner"})");
  EXPECT_EQ(definitions.dump(),
            R"({"inner":{"type":"object","description":"An inner object","properties":{)"
            R"("colour":{"enum":["red","blue"],"description":"The colour"},)"
            R"("any":{"description":"Anything"}}}})");
}

TEST(Members, ADescriptionHasTheUnit) {
  EXPECT_EQ(described(Json::object(), {"How long", "ns"}).dump(),
            R"({"description":"How long [ns]"})");
}

TEST(FieldSchema, SaysWhatTheReaderRequires) {
  const Json definitions = field_definitions();
  EXPECT_EQ(definitions.at("case").at("required").dump(), R"(["variant","status"])");
  EXPECT_EQ(definitions.at("rounds").at("required").dump(), R"(["wall_ns"])");
  EXPECT_FALSE(definitions.at("tensor").contains("required"));
  const Json& error = definitions.at("check").at("properties").at("max_abs_error");
  EXPECT_EQ(error.at("type").dump(), R"(["number","null"])");
  EXPECT_EQ(definitions.at("group").at("properties").at("stop").at("enum").dump(),
            R"(["precision","time",""])");
}

}  // namespace
}  // namespace normbench::members::members_test

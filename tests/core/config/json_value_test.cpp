#include "core/config/json_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/config_node.hpp"
#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(std::string_view text) {
  try {
    (void)parse_json(text, "x.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseJson, TakesCommentsAndKeepsTheOrderOfKeys) {
  const JsonValue value = parse_json("{\"b\": 1, // one\n /* two */ \"a\": [true, null, 1.5]}", "");
  const auto& object = std::get<JsonValue::Object>(value.data);
  EXPECT_EQ(object[0].first, "b");
  EXPECT_EQ(object[1].first, "a");
  EXPECT_EQ(std::get<JsonValue::List>(object[1].second.data).size(), 3u);
}

TEST(ParseJson, ErrorsNameLineAndColumn) {
  // The second line ends behind its eighth letter, where a value should follow.
  EXPECT_THAT(error_of("{\n\"nodes\":}"), StartsWith("x.json:line 2, column 9: is not JSON: "));
  EXPECT_THAT(error_of(""), StartsWith("x.json:line 1, column 1: is not JSON: "));
  EXPECT_THAT(error_of("{} {}"), HasSubstr("column 4"));
}

TEST(ParseJson, ADuplicateKeyIsAnErrorAtItsPointer) {
  EXPECT_EQ(error_of(R"({"a": [{}, {"b/c": 1, "b/c": 2}]})"),
            "x.json:/a/1/b~1c: appears twice (keep one of the two)");
}

TEST(ParseJson, DeepNestingIsRefused) {
  EXPECT_EQ(error_of(std::string(100'000, '[')),
            "x.json: is nested deeper than 64 levels (is this the right file?)");
  EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "");
}

TEST(ParseJson, TooManyValuesAreRefused) {
  std::string text = "[0";
  for (int i = 0; i < 4'000'001; ++i) text += ",0";
  EXPECT_THAT(error_of(text + "]"), HasSubstr("more than 4000000 values"));
}

TEST(ParseJson, WhatIsNotUtf8IsRefusedInPrintableWords) {
  const std::string error = error_of("{\"a\": \"\xff\xfe\"}");
  EXPECT_THAT(error, StartsWith("x.json:line 1, column 8: is not JSON: "));
  for (const char c : error) EXPECT_TRUE(c >= ' ' && c <= '~') << error;
}

TEST(ParseJson, NumbersBeyondTheRangeAreNotCutOff) {
  EXPECT_EQ(parse_json("9223372036854775807", "").data.index(), 2u);
  EXPECT_EQ(std::get<double>(parse_json("9223372036854775808", "").data), 0x1p63);
  EXPECT_NE(error_of("1e999"), "");
}

TEST(JsonText, ReadsBackToTheSameValue) {
  constexpr std::string_view kText = R"({
  "plain": [1, -2, 0.1, 1e+300, true, null, "a\"\\\n\u0001ä"],
  "nested": [
    {},
    {
      "x": []
    }
  ]
})";
  const JsonValue value = parse_json(kText, "");
  EXPECT_EQ(to_text(value), kText);
  EXPECT_EQ(parse_json(to_text(value), ""), value);
}

TEST(JsonText, LongListsAreWrapped) {
  JsonValue list = JsonValue::list();
  for (int i = 0; i < 40; ++i) list.push({std::int64_t{100}});
  EXPECT_THAT(to_text(list), StartsWith("[\n  100,\n  100,"));
}

TEST(ConfigNode, KnowsItsFileAndPointer) {
  const ConfigNode root = ConfigNode::parse(R"({"a": [{"b~c": 2}]})", "x.json");
  const ConfigNode node = root.find("a")->elements()[0].find("b~c").value();
  EXPECT_EQ(node.file(), "x.json");
  EXPECT_EQ(node.pointer(), "/a/0/b~0c");
  EXPECT_EQ(node.integer(), 2);
  EXPECT_EQ(node.number(), 2.0);
  EXPECT_FALSE(node.text());
  EXPECT_EQ(node.kind_name(), "a whole number");
  EXPECT_FALSE(root.find("z"));
}

TEST(ConfigNode, OutlivesItsRoot) {
  ConfigNode node = [] { return *ConfigNode::parse(R"({"a": "kept"})", "").find("a"); }();
  EXPECT_EQ(node.text(), "kept");
}

}  // namespace
}  // namespace railyard::core

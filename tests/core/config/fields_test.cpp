#include "core/config/fields.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace railyard {
namespace {

enum class Port { qsfp, osfp };

struct Cable {
  Bytes buffer;
  double price = 1.5;
};

struct Nic {
  std::string model;
  Bandwidth rate;
  Time latency = Time::nanoseconds(600);
  int ports = 1;
  std::uint8_t lanes = 4;
  bool rdma = true;
  Port port = Port::osfp;
  Cable cable{.buffer = Bytes(9), .price = 2.0};
  std::optional<Bytes> mtu;
  std::array<int, 2> slots{};
  std::map<std::string, Bandwidth> limits;
  std::vector<Nic> behind;
};

}  // namespace

template <>
struct core::EnumNames<Port> {
  static constexpr std::array<std::pair<Port, std::string_view>, 2> table{
      {{Port::qsfp, "qsfp"}, {Port::osfp, "osfp"}}};
};

template <>
struct core::Fields<Cable> {
  static constexpr std::string_view name = "Cable", doc = "What is plugged in.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("buffer", &Cable::buffer, core::FieldOptions{.maximum = 1024}, "bytes in flight");
    field("price", &Cable::price, core::FieldOptions{.minimum = 0}, "in dollars");
  }
};

template <>
struct core::Fields<Nic> {
  static constexpr std::string_view name = "Nic", doc = "A network card.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("model", &Nic::model, "as the vendor calls it");
    field("rate", &Nic::rate, core::required, "rate per direction");
    field("latency", &Nic::latency, "of the card");
    field("ports", &Nic::ports, core::FieldOptions{.minimum = 1, .maximum = 4}, "ports");
    field("lanes", &Nic::lanes, "lanes of a port");
    field("rdma", &Nic::rdma, "whether it does RDMA");
    field("port", &Nic::port, "kind of the ports");
    field("cable", &Nic::cable, "its cable");
    field("mtu", &Nic::mtu, "largest payload");
    field("slots", &Nic::slots, "bus and slot");
    field("limits", &Nic::limits, "rate limits by class");
    field("behind", &Nic::behind, "cards that share its slot");
  }
  static void check(const Nic& nic, core::Problems& problems) {
    if (nic.ports > 1 && nic.port == Port::osfp)
      problems.add("ports", "must be 1 where the port is osfp");
  }
};

namespace core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The problems of a text, one line each.
std::vector<std::string> problems_of(std::string_view text) {
  try {
    (void)read_config_text<Nic>(text, "nic.json");
  } catch (const InputError& error) {
    std::vector<std::string> lines;
    for (const Diagnostic& diagnostic : error.diagnostics()) lines.push_back(to_text(diagnostic));
    return lines;
  }
  return {};
}

constexpr std::string_view kFull = R"({
  // A comment, and free keys.
  "$schema": "nic.schema.json",
  "// source": "data sheet, page 2",
  "model": "cx7",
  "rate": "400 Gb/s",
  "latency": "1.5 us",
  "ports": 2,
  "lanes": 8,
  "rdma": false,
  "port": "qsfp",
  "cable": {"price": 20},
  "mtu": "4 KiB",
  "slots": [3, -1],
  "limits": {"bulk": "10 GB/s", "control": "1 Gb/s"},
  "behind": [{"rate": "100 Gb/s", "behind": [{"rate": "1 Gb/s"}]}]
})";

TEST(ReadConfig, FillsEveryKindOfMember) {
  const Nic nic = read_config_text<Nic>(kFull, "nic.json");
  EXPECT_EQ(nic.model, "cx7");
  EXPECT_EQ(nic.rate, Bandwidth::gigabits_per_second(400));
  EXPECT_EQ(nic.latency, Time::nanoseconds(1500));
  EXPECT_EQ(nic.ports, 2);
  EXPECT_EQ(nic.lanes, 8);
  EXPECT_FALSE(nic.rdma);
  EXPECT_EQ(nic.port, Port::qsfp);
  EXPECT_EQ(nic.cable.price, 20.0);
  EXPECT_EQ(nic.cable.buffer, Bytes(9)) << "the default of the holder, not of Cable";
  EXPECT_EQ(nic.mtu, Bytes(4096));
  EXPECT_EQ(nic.slots, (std::array<int, 2>{3, -1}));
  EXPECT_EQ(nic.limits.at("bulk"), Bandwidth::gigabytes_per_second(10));
  ASSERT_EQ(nic.behind.size(), 1u);
  ASSERT_EQ(nic.behind[0].behind.size(), 1u);
  EXPECT_EQ(nic.behind[0].behind[0].rate, Bandwidth::gigabits_per_second(1));
}

TEST(ReadConfig, KeysThatAreLeftOutKeepTheirDefault) {
  const Nic nic = read_config_text<Nic>(R"({"rate": "1 Gb/s"})", "nic.json");
  EXPECT_EQ(nic.latency, Time::nanoseconds(600));
  EXPECT_EQ(nic.ports, 1);
  EXPECT_TRUE(nic.rdma);
  EXPECT_FALSE(nic.mtu);
}

TEST(ReadConfig, ReportsAllProblemsAtOnceWithTheirPointers) {
  EXPECT_THAT(
      problems_of(R"({
        "rte": "400 Gb/s", "latency": 2, "ports": 9, "lanes": 300, "rdma": 1, "port": "osfpp",
        "cable": {"price": -1, "buffer": "2 KiB"}, "mtu": "-4 KiB", "slots": [1],
        "limits": {"a/b": "0 Gb/s"}, "behind": [{"rate": "fast"}, []]})"),
      ElementsAre(
          "nic.json:/rte: 'rte' is not a key of Nic (did you mean 'rate'?)",
          "nic.json:/latency: '2' has no unit; write a time as '2 us' or '150 ns'",
          "nic.json:/ports: must be at most 4, not 9",
          "nic.json:/lanes: must be at most 255, not 300",
          "nic.json:/rdma: must be true or false, not a whole number",
          "nic.json:/port: 'osfpp' is not one of qsfp, osfp (did you mean 'osfp'?)",
          "nic.json:/cable/price: must be at least 0",
          "nic.json:/cable/buffer: must be at most 1024 B",
          "nic.json:/mtu: must not be negative, as '-4 KiB' is",
          "nic.json:/slots: must contain 2 values, not 1",
          "nic.json:/limits/a~1b: must be more than zero, not '0 Gb/s'",
          "nic.json:/behind/0/rate: 'fast' is not a bandwidth; write it as '400 Gb/s' or '50 GB/s'",
          "nic.json:/behind/1: must be an object (Nic), not a list",
          "nic.json: the key 'rate' is missing (rate per direction: a bandwidth such as '400 "
          "Gb/s')"));
}

TEST(ReadConfig, ChecksAcrossFieldsPointIntoTheirObject) {
  EXPECT_THAT(problems_of(R"({"rate": "1 Gb/s", "behind": [{"rate": "1 Gb/s", "ports": 2}]})"),
              ElementsAre("nic.json:/behind/0/ports: must be 1 where the port is osfp"));
}

TEST(ReadConfig, ARootThatIsNoObjectIsAnError) {
  EXPECT_THAT(problems_of("[1]"), ElementsAre("nic.json: must be an object (Nic), not a list"));
  EXPECT_THAT(problems_of("{\"rate\": null}"),
              ElementsAre("nic.json:/rate: must be a bandwidth such as '400 Gb/s', not null"));
}

TEST(WriteConfig, LeavesOutDefaultsAndReadsBack) {
  const Nic nic = read_config_text<Nic>(R"({"rate": "50 GB/s", "cable": {"buffer": "0 B"}})", "");
  const std::string text = write_config(nic, "nic.schema.json");
  EXPECT_EQ(text, R"({
  "$schema": "nic.schema.json",
  "rate": "400 Gb/s",
  "cable": {
    "buffer": "0 B"
  }
}
)");
  EXPECT_EQ(read_config_text<Nic>(text, "").cable.buffer, Bytes(0));
}

TEST(WriteConfig, RoundTripsEveryKindOfMember) {
  const std::string once = write_config(read_config_text<Nic>(kFull, ""), "");
  EXPECT_EQ(write_config(read_config_text<Nic>(once, ""), ""), once);
  for (const char* key : {"model", "rate", "latency", "ports", "lanes", "rdma", "port", "price",
                          "mtu", "slots", "limits", "behind"})
    EXPECT_THAT(once, HasSubstr(fmt::format("\"{}\"", key)));
}

TEST(JsonSchema, DefinesEachStructOnceAndClosesIt) {
  const JsonValue schema = parse_json(json_schema<Nic>(), "schema");
  EXPECT_EQ(*schema.find("$ref"), JsonValue::text("#/$defs/Nic"));
  const JsonValue* definitions = schema.find("$defs");
  ASSERT_NE(definitions, nullptr);
  EXPECT_EQ(std::get<JsonValue::Object>(definitions->data).size(), 2u);
  const JsonValue* nic = definitions->find("Nic");
  EXPECT_EQ(*nic->find("additionalProperties"), JsonValue{false});
  const JsonValue* keys = nic->find("properties");
  EXPECT_EQ(*keys->find("behind")->find("items")->find("$ref"), JsonValue::text("#/$defs/Nic"));
  EXPECT_EQ(*keys->find("ports")->find("maximum"), JsonValue{std::int64_t{4}});
  EXPECT_EQ(*keys->find("ports")->find("default"), JsonValue{std::int64_t{1}});
  EXPECT_EQ(*keys->find("slots")->find("maxItems"), JsonValue{std::int64_t{2}});
}

TEST(JsonSchema, PatternsTakeWhatTheReaderTakes) {
  const std::regex rate(bandwidth_pattern(), std::regex::ECMAScript);
  for (const char* text : {"400 Gb/s", "50GB/s", " 1.5 Tb/s ", "400", "400 gb/s", "400 Gb",
                           "x Gb/s", ".5 Gb/s", "5. Gb/s", ". Gb/s", ""})
    EXPECT_EQ(std::regex_match(text, rate), parse_bandwidth(text).value.has_value()) << text;
}

TEST(DocsTable, ListsKeysOfTheStructAndOfThoseInIt) {
  const std::string page = docs_table<Nic>();
  EXPECT_THAT(page, HasSubstr("## Nic\n\nA network card.\n"));
  EXPECT_THAT(page, HasSubstr("| `rate` | a bandwidth such as '400 Gb/s' | required | rate per"));
  EXPECT_THAT(page,
              HasSubstr("| `latency` | a time such as '2 us' | `\"600 ns\"` | of the card |"));
  EXPECT_THAT(page, HasSubstr("### Cable\n"));
  EXPECT_EQ(page.find("## Nic", 5), std::string::npos) << "once, though it holds itself";
}

}  // namespace
}  // namespace core
}  // namespace railyard

#include "placement/serving/service/arrivals.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"

namespace railyard::placement::serving {
namespace {

std::vector<Request> read(const std::string& name, const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(file) << text;
  return read_request_trace(file.string());
}

std::string error_of(const std::string& name, const std::string& text) {
  try {
    (void)read(name, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Arrivals, ReadsAzuresColumnsAndClock) {
  const auto requests = read("azure.csv",
                             "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                             "2023-11-16 23:59:59.5000000,374,44\n"
                             "2023-11-17 00:00:01.7500000,396,109\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_DOUBLE_EQ(requests[0].arrival, 0);
  EXPECT_NEAR(requests[1].arrival, 2.25, 1e-6);
  EXPECT_EQ(requests[1].input, 396);
  EXPECT_EQ(requests[1].output, 109);
}

TEST(Arrivals, ReadsBurstGptWithoutFailedRequests) {
  const auto requests =
      read("burst.csv",
           "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
           "5,ChatGPT,472,18,490,Conversation log\n"
           "45,ChatGPT,1087,0,1087,Conversation log\n"
           "118,GPT-4,417,276,693,Conversation log\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_DOUBLE_EQ(requests[1].arrival, 113);
}

TEST(Arrivals, ReadsMooncakeLines) {
  const auto requests = read(
      "mooncake.jsonl",
      "{\"timestamp\": 1000, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0]}\n"
      "{\"timestamp\": 4000, \"input_length\": 7322, \"output_length\": 490, \"hash_ids\": [0]}\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_DOUBLE_EQ(requests[1].arrival, 3);
  EXPECT_EQ(requests[0].input, 6758);
}

TEST(Arrivals, ErrorsGiveLineAndColumn) {
  const std::string wrong =
      error_of("wrong.csv", "arrival_s,input_tokens,output_tokens\n0,12,3\n1,x,4\n");
  EXPECT_NE(wrong.find("line 3, column 'input_tokens'"), std::string::npos) << wrong;
  const std::string columns = error_of("columns.csv", "a,b,c\n1,2,3\n");
  EXPECT_NE(columns.find("TIMESTAMP,ContextTokens,GeneratedTokens"), std::string::npos) << columns;
}

TEST(Arrivals, ReadsPrefixesOfPrompts) {
  const auto requests = read("prefixes.csv",
                             "arrival_s,input_tokens,output_tokens,prefix_blocks\n"
                             "0,1600,44,0-2\n"
                             "1,1200,10,0 14-15\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].prefix, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(requests[1].prefix, (std::vector<std::uint32_t>{0, 14, 15}));
  // One block of 512 of the second prompt is in the first: 512 of 2,800 tokens.
  EXPECT_NEAR(largest_cached_share(requests), 512.0 / 2800, 1e-12);
  const auto mooncake =
      read("prefixes.jsonl", R"({"timestamp": 0, "input_length": 900, "output_length": 5, )"
                             R"("hash_ids": [7, 8]})"
                             "\n");
  EXPECT_EQ(mooncake[0].prefix, (std::vector<std::uint32_t>{7, 8}));
}

TEST(Arrivals, NamesTheLineOfABadPrefix) {
  const std::string heading = "arrival_s,input_tokens,output_tokens,prefix_blocks\n";
  for (const char* bad : {"x", "3-1", "1-", "1,2x", "-4", "1;2"})
    EXPECT_NE(error_of("bad_prefix.csv", heading + "0,1600,44," + bad + "\n").find("line 2"),
              std::string::npos)
        << bad;
}

}  // namespace
}  // namespace railyard::placement::serving

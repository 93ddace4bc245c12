#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"
#include "placement/serving/service/request_trace.hpp"

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

TEST(Arrivals, ReadsShareGptsConversations) {
  // Four characters per token. The second prompt is the conversation before it: 8 + 12 + 4.
  const auto requests =
      read("share.json", R"([{"id":"a","conversations":[{"from":"human","value":"12345678"},)"
                         R"({"from":"gpt","value":"123456789012"},)"
                         R"({"from":"human","value":"1234"},{"from":"gpt","value":"12345"}]}])");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].input, 2);
  EXPECT_EQ(requests[0].output, 3);
  EXPECT_EQ(requests[1].input, 6);
  EXPECT_EQ(requests[1].output, 2);
  EXPECT_NE(
      error_of("turn.json", R"([{"conversations":[{"from":"human"}]}])").find("/0/conversations/0"),
      std::string::npos);
}

TEST(Arrivals, RatesByWindowBecomeArrivals) {
  // 2 per second for 100 s, none for 100 s, 4 per second for a last window of 100 s; evenly spaced.
  const auto requests = changing_arrivals({{.start = 0, .rate = 2, .cv = 0},
                                           {.start = 100, .rate = 0, .cv = 0},
                                           {.start = 200, .rate = 4, .cv = 0}},
                                          {.input = 10, .output = 5});
  // Arrivals at 0.5, 1.0, ... 99.5 (that at 100 falls behind the window), then from 200.25 to
  // 299.75: the request that was due at 100 has half a gap of load left.
  int before = 0, silent = 0, after = 0;
  for (const Request& r : requests) ++(r.arrival < 100 ? before : r.arrival < 200 ? silent : after);
  EXPECT_EQ(before, 199);
  EXPECT_EQ(silent, 0);
  EXPECT_NEAR(after, 400, 1);
  EXPECT_EQ(requests.front().input, 10);
}

TEST(Arrivals, ReadsRatesOfAPool) {
  const auto file = std::filesystem::path(testing::TempDir()) / "rates.csv";
  std::ofstream(file) << "pool,window_start_s,requests_per_s,interarrival_cv_weighted\n"
                         "a,0,1.5,2\na,600,3,1\nb,0,9,1\n";
  EXPECT_TRUE(holds_rate_windows(file.string()));
  const auto windows = read_rate_windows(file.string(), "a");
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_DOUBLE_EQ(windows[1].start, 600);
  EXPECT_DOUBLE_EQ(windows[0].rate, 1.5);
  EXPECT_DOUBLE_EQ(windows[0].cv, 2);
  EXPECT_THROW((void)read_rate_windows(file.string(), ""), InputError);
  EXPECT_THROW((void)read_rate_windows(file.string(), "c"), InputError);
  std::ofstream(file) << "window_start_s,requests_per_s\n0,fast\n";
  try {
    (void)read_rate_windows(file.string(), "");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2, column 'requests_per_s'"), std::string::npos);
  }
}

}  // namespace
}  // namespace railyard::placement::serving

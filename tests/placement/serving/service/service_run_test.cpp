#include "placement/serving/service/service_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "placement/serving/service/arrivals.hpp"

namespace railyard::placement::serving {
namespace {

TEST(ServiceRun, OneAtATimeWaitsAsAnMD1Queue) {
  // Steps of 1 s, one request each: mean wait rho / (2 (1 - rho)) s (Pollaczek and Khinchine), plus
  // the step. rho 0.3: 0.2143.
  const auto requests =
      random_arrivals({.rate = 0.3, .requests = 200'000, .input = 1, .output = 1, .seed = 7});
  const ServiceResult run = run_service(requests, {.replica = {.max_sequences = 1, .blocks = 10}},
                                        [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.ttft().mean - 1, 0.3 / 1.4, 0.02 * 0.3 / 1.4);
  // Little: 0.3 per second that stay 1.2143 s.
  EXPECT_NEAR(run.mean_in_system, 0.3 * 1.2143, 0.01);
}

TEST(ServiceRun, EveryRequestIsServedUnderPressure) {
  // 40 blocks for 8 replicas' worth of work: preemptions, and all tokens still come.
  const auto requests = random_arrivals({.rate = 30,
                                         .cv = 2,
                                         .requests = 2000,
                                         .input = 100,
                                         .output = 60,
                                         .spread = 0.8,
                                         .seed = 3});
  const ServiceResult run = run_service(
      requests,
      {.replicas = 3, .replica = {.token_budget = 128, .max_sequences = 32, .blocks = 40}},
      [](const StepBatch& b) { return 0.01 + 1e-4 * b.tokens(); });
  EXPECT_GT(run.preemptions, 0);
  EXPECT_EQ(run.shed, 0);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_GE(run.requests[i].first_token, run.requests[i].scheduled) << i;
    EXPECT_GE(run.requests[i].last_token, run.requests[i].first_token) << i;
  }
  // Twice the same.
  const ServiceResult again = run_service(
      requests,
      {.replicas = 3, .replica = {.token_budget = 128, .max_sequences = 32, .blocks = 40}},
      [](const StepBatch& b) { return 0.01 + 1e-4 * b.tokens(); });
  EXPECT_EQ(run.latency().p99, again.latency().p99);
}

TEST(ServiceRun, ClientsOfAClosedLoopSendTheNextWhenOneIsDone) {
  // Two clients, requests of one step each: 10 requests take 5 steps.
  const auto requests = random_arrivals({.requests = 10, .input = 4, .output = 1});
  const ServiceResult run = run_service(requests, {.replica = {.blocks = 100}, .concurrency = 2},
                                        [](const StepBatch&) { return 1.0; });
  EXPECT_DOUBLE_EQ(run.duration, 5);
  EXPECT_DOUBLE_EQ(run.mean_in_system, 2);
}

TEST(ServiceRun, GapsHaveTheAskedVariation) {
  for (const double cv : {0.0, 0.5, 1.0, 3.0}) {
    const auto requests = random_arrivals({.rate = 4, .cv = cv, .requests = 100'000, .seed = 5});
    double sum = 0, squares = 0;
    for (std::size_t i = 1; i < requests.size(); ++i) {
      const double gap = requests[i].arrival - requests[i - 1].arrival;
      sum += gap;
      squares += gap * gap;
    }
    const double n = static_cast<double>(requests.size() - 1), mean = sum / n;
    EXPECT_NEAR(mean, 0.25, 0.01) << cv;
    EXPECT_NEAR(std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean, cv, 0.05 * cv + 1e-6)
        << cv;
  }
}

/// A pool of one replica that computes a prompt in 1 s, and sends its KV cache in 0.5 s and 10 ms
/// per token.
ServiceOptions pools(int decoders) {
  const ReplicaOptions replica{
      .token_budget = 64, .max_sequences = 8, .block_tokens = 16, .blocks = 100};
  return {.replicas = decoders,
          .replica = replica,
          .prefill = {.replicas = 1,
                      .replica = replica,
                      .seconds = [](const StepBatch&) { return 1.0; },
                      .network = [] { return std::make_unique<NicTransfers>(0.5, 0.01); }}};
}

TEST(ServiceRun, APromptsCacheCrossesTheNetworkBeforeItDecodes) {
  // Prompt 0 to 1, transfer of 10 tokens to 1.6, two decodes to 3.6. The client gets the first
  // token with the second, at 2.6.
  const ServiceResult run = run_service({{.arrival = 0, .input = 10, .output = 3}}, pools(1),
                                        [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[0].ttft(), 2.6, 1e-12);
  EXPECT_NEAR(run.requests[0].last_token, 3.6, 1e-12);
  EXPECT_NEAR(run.requests[0].tpot(), 0.5, 1e-12);
}

TEST(ServiceRun, AFirstTokenMayLeaveOnAdmission) {
  ServiceOptions options = pools(1);
  options.replica.first_on_admission = true;
  const ServiceResult run = run_service({{.arrival = 0, .input = 10, .output = 3}}, options,
                                        [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[0].ttft(), 1.6, 1e-12);
  EXPECT_NEAR(run.requests[0].tpot(), 1, 1e-12);
}

/// The second of two requests, whose replica that decodes looks for requests before every
/// look_steps-th step. The first one decodes from 1.6 on in steps of 1 s.
double second_ttft(int look_steps) {
  ServiceOptions options = pools(1);
  options.replica.first_on_admission = true;
  options.prefill.look_steps = look_steps;
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 9}, {.arrival = 1.7, .input = 10, .output = 3}},
      options, [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[0].ttft(), 1.6, 1e-12);  // an idle replica looks at once
  return run.requests[1].ttft();
}

TEST(ServiceRun, AReplicaThatDecodesReservesBeforeThePrompt) {
  // Received at 2.6, prompt to 3.6, transfer to 4.2, admitted at 4.6.
  EXPECT_NEAR(second_ttft(1), 4.6 - 1.7, 1e-12);
  // Received at 3.6, one step later.
  EXPECT_NEAR(second_ttft(2), 5.6 - 1.7, 1e-12);
  // The prompt does not wait where nothing is reserved: 1.7 to 2.7, 3.3, admitted at 3.6.
  EXPECT_NEAR(second_ttft(0), 3.6 - 1.7, 1e-12);
}

TEST(ServiceRun, WithoutAPlaceToDecodeAPromptWaits) {
  // The first request decodes from 1.6 to 3.6; then the second one's prompt runs to 4.6, and its
  // cache arrives at 5.2.
  ServiceOptions options = pools(1);
  options.replica.first_on_admission = true;
  options.replica.max_sequences = 1;
  options.prefill.look_steps = 1;
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 3}, {.arrival = 0, .input = 10, .output = 3}}, options,
      [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[1].ttft(), 5.2, 1e-12);
}

TEST(ServiceRun, FirstTokensWaitForAPlaceToDecode) {
  // Both prompts end at 1, the caches arrive at 1.6 and 2.2. One sequence decodes at a time: the
  // first from 1.6 to 3.6, the second from then on, so its first tokens come at 4.6.
  ServiceOptions options = pools(1);
  options.replica.max_sequences = 1;
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 3}, {.arrival = 0, .input = 10, .output = 3}}, options,
      [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[1].ttft(), 4.6, 1e-12);
}

TEST(ServiceRun, FrontEndsTakeTurnsEachForItself) {
  // Each of five front ends alternates between two replicas, so that its share differs by one at
  // most, and the replicas' shares by five.
  const std::vector<Request> requests(1001, {.input = 10, .output = 2});
  for (const int routers : {1, 5}) {
    const ServiceResult run = run_service(requests,
                                          {.replicas = 2,
                                           .router = RouterPolicy::round_robin,
                                           .routers = routers,
                                           .replica = {.blocks = 1000}},
                                          [](const StepBatch&) { return 1.0; });
    int difference = 0;
    for (const Served& served : run.requests) difference += served.replica == 0 ? 1 : -1;
    EXPECT_LE(std::abs(difference), routers);
    EXPECT_EQ(run.shed, 0);
  }
}

TEST(ServiceRun, AReplicaSendsOneCacheAtATime) {
  // Both prompts end at 1. The first cache arrives at 1.6, the second at 2.2, at the other replica,
  // which decodes from then on.
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 3}, {.arrival = 0, .input = 10, .output = 3}},
      pools(2), [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[0].last_token, 3.6, 1e-12);
  EXPECT_NEAR(run.requests[1].last_token, 4.2, 1e-12);
  EXPECT_NE(run.requests[0].replica, run.requests[1].replica);
}

TEST(ServiceRun, WhatFitsIntoNoDecoderIsShedOnArrival) {
  const ServiceResult run = run_service({{.arrival = 0, .input = 10, .output = 1600}}, pools(1),
                                        [](const StepBatch&) { return 1.0; });
  EXPECT_EQ(run.shed, 1);
}

TEST(ServiceRun, ClientsOfPoolsSendWhenTheirAnswerIsComplete) {
  // Three requests of one client, 3.6 s each.
  const std::vector<Request> requests(3, {.input = 10, .output = 3});
  ServiceOptions options = pools(1);
  options.concurrency = 1;
  const ServiceResult run = run_service(requests, options, [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.duration, 3 * 3.6, 1e-9);
}

TEST(ServiceRun, AFrontendTakesInOneRequestAfterAnother) {
  // Two requests are sent at 0. The network takes 0.25 s each way, the server 0.5 s and 0.01 s per
  // token: the first reaches the engine at 0.25 + 0.6, the second at 1.45. Steps of 1 s: from 0.85
  // to 1.85 and from then on, so tokens leave at 1.85 and 2.85 and are seen 0.25 s later.
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 1}, {.arrival = 0, .input = 10, .output = 1}},
      {.replica = {.blocks = 100},
       .frontend = {.request = 0.5, .input_token = 0.01, .latency = 0.25}},
      [](const StepBatch&) { return 1.0; });
  EXPECT_NEAR(run.requests[0].ttft(), 2.1, 1e-12);
  EXPECT_NEAR(run.requests[1].ttft(), 3.1, 1e-12);
  EXPECT_NEAR(run.mean_in_system, (2.1 + 3.1) / 3.1, 1e-12);
}

TEST(ServiceRun, APrefixAwareRouterReturnsToTheReplicaThatHasThePrefix) {
  // Four replicas; by load the first of the idle ones would be chosen.
  const ReplicaOptions replica{
      .token_budget = 4096, .max_sequences = 8, .block_tokens = 16, .blocks = 400};
  std::vector<Request> requests{{.arrival = 0, .input = 600, .output = 200, .prefix = {5}},
                                {.arrival = 0, .input = 600, .output = 200, .prefix = {9}},
                                {.arrival = 10, .input = 600, .output = 2, .prefix = {9}}};
  const auto seconds = [](const StepBatch&) { return 1.0; };
  ServiceOptions options{.replicas = 4, .router = RouterPolicy::prefix_aware, .replica = replica};
  EXPECT_EQ(run_service(requests, options, seconds).requests[2].replica, 1);
  options.router = RouterPolicy::least_requests;
  EXPECT_EQ(run_service(requests, options, seconds).requests[2].replica, 2);
}

TEST(ServiceRun, CopiesOfAttentionStepTogether) {
  // Steps take a second per token. Two requests at 0 on the two copies of a replica: prompts of 4
  // and 1 tokens, so both first tokens come at 4 s, with 2.5 tokens per copy. The second request
  // ends there; the other's next token comes at 5 s, with half a token per copy.
  const std::vector<Request> requests{{.input = 4, .output = 2}, {.input = 1, .output = 1}};
  std::vector<double> means;
  const auto seconds = [&](const StepBatch& b) {
    means.push_back(b.mean_tokens);
    return b.tokens();
  };
  const ServiceOptions options{.copies = 2, .replica = {.blocks = 10}};
  const ServiceResult run = run_service(requests, options, seconds);
  EXPECT_DOUBLE_EQ(run.requests[0].first_token, 4);
  EXPECT_DOUBLE_EQ(run.requests[1].first_token, 4);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 5);
  EXPECT_EQ(means, (std::vector<double>{2.5, 2.5, 0.5}));
  EXPECT_EQ(run.requests[1].replica, 0);
  EXPECT_EQ(run.steps, 2);
}

}  // namespace
}  // namespace railyard::placement::serving

#include "apps/plan/serve/serve_flags.hpp"

#include "apps/plan/candidate_flags.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kFooter = R"(
Finds the cheapest deployment of a model that serves the given traffic within the latency limits. Each
split of the model over GPUs (tensor, pipeline and expert parallelism) gets the fewest replicas that are
fast enough by formula. A simulation of continuous batching then computes the 99th percentiles of the
latencies, and replicas are added until the latencies are within the limits (docs/models/serving.md).

TTFT: arrival to first token, queueing included. TPOT: (last token - first token) / (tokens - 1).
ttft_ms and tpot_ms are 99th percentiles over requests. batch is the mean number of running sequences of a
replica. kv_cache_GB and memory_GB are per GPU. All times include the safety margin (--margin).
saturation_per_s is the predicted highest rate;
80 % of measured runs at high load lie between saturation_low_per_s and saturation_high_per_s.

Exit codes: 0 done; 1 no deployment meets the limits: the nearest is printed; 2 wrong input.

Examples:
  railyard plan serve --model llama3_70b --candidates dgx_h100_ndr400,hgx_h200_ndr400 --rate 50/s --input 2000
    --output 300 --ttft 500ms --tpot 40ms
  railyard plan serve --model llama3_8b --candidates rtx_pro_6000_8 --gpus 1 --tp 1 --weights bf16
    --trace measured.csv --calibrate rtx_pro_6000.json
  railyard plan serve --model llama3_8b --candidates dgx_a100_hdr200 --weights bf16 --trace requests.csv --ttft 1s)";

void add_traffic(FlagSet app, ServeFlags& flags) {
  app = app.under("Traffic and limits");
  app.add_option("--rate", flags.rate,
                 "Request rate of all replicas together, per second or minute: 50/s, 300/min. "
                 "Required without --trace [rate of the trace]")
      .type_name("RATE");
  app.add_option("--input", flags.input,
                 "Number of tokens per prompt. Required without --trace [mean of the trace]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--output", flags.output,
                 "Number of tokens per answer. Required without --trace [mean of the trace]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--cv", flags.cv,
                 "Coefficient of variation of the time between arrivals, 0 to 10: 0 is a constant "
                 "time, 1 is Poisson, others are gamma distributed [1]")
      .check(in_range(0.0, 10.0))
      .type_name("CV");
  app.add_option("--trace", flags.trace,
                 "Trace of requests, in place of random arrivals: CSV "
                 "(arrival_s,input_tokens,output_tokens; Azure; BurstGPT), Mooncake .jsonl, or "
                 "ShareGPT .json (requires --rate). Also request rates by time window (ServeGen: "
                 "window_start_s,requests_per_s; requires --input and --output). --rate rescales "
                 "the times of a trace")
      .type_name("FILE");
  app.add_option("--pool", flags.pool, "Pool to read from a trace of rates with several pools")
      .type_name("NAME");
  app.add_option("--ttft", flags.ttft, "Limit of the time to first token at p99: 500ms [no limit]")
      .type_name("TIME");
  app.add_option("--tpot", flags.tpot, "Limit of the time per output token at p99: 40ms [no limit]")
      .type_name("TIME");
}

void add_cache_and_drafts(FlagSet app, ServeFlags& flags) {
  app = app.under("Caches, drafts and pools");
  app.add_option("--prefix-hits", flags.prefix_hits,
                 "Share of each prompt that the KV cache already contains, 0 to 99 per cent [0; "
                 "simulated if the trace contains prefix_blocks or hash_ids]")
      .check(in_range(0.0, 99.0))
      .type_name("PERCENT");
  app.add_option("--router", flags.router,
                 "Policy that selects the replica of a request: least_requests, round_robin, or "
                 "prefix_aware (the replica with the longest cached prefix, if this is at least "
                 "half of the prompt and the replica's queue is at most 32 requests longer than "
                 "the shortest) [least_requests]")
      .check(one_of({"least_requests", "round_robin", "prefix_aware"}))
      .type_name("POLICY");
  app.add_option("--draft-tokens", flags.draft_tokens,
                 "Number of tokens that speculative decoding drafts per step, 0 to 16 [0: off]")
      .check(in_range(0, 16))
      .type_name("N");
  app.add_option("--acceptance", flags.acceptance,
                 "Probability that the model accepts a drafted token, 0 to 0.99. Required with "
                 "--draft-tokens")
      .check(in_range(0.0, 0.99))
      .type_name("P");
  app.add_option("--draft-model", flags.draft_model,
                 "Draft model: a name in configs/models, or a file [one layer of the model, as in "
                 "EAGLE and MTP]")
      .type_name("MODEL");
  app.add_flag("--disaggregate", flags.disaggregate,
               "Also plan separate pools of replicas for prompts and for decoding. The NICs carry "
               "the KV caches between them");
}

void add_scaling(FlagSet app, ServeFlags& flags) {
  app = app.under("Autoscaling");
  app.add_option("--autoscale", flags.autoscale,
                 "Start and stop replicas with the load, as the horizontal pod autoscaler of "
                 "Kubernetes does. N is the smallest number of replicas. Requires --trace. The "
                 "cost is that of the mean number of replicas [off: all replicas run all the time]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--scale-target", flags.scale_target,
                 "Target of autoscaling: number of requests per replica, waiting and running. "
                 "Required with --autoscale")
      .check(positive_number())
      .type_name("N");
  app.add_option("--startup", flags.startup,
                 "Time from the decision to start a replica to its first request [60s]")
      .type_name("TIME");
}

void add_engine(FlagSet app, ServeFlags& flags) {
  app = app.under("Engine");
  app.add_option("--engine", flags.engine, "Inference engine: vllm, sglang or trtllm [vllm]")
      .check(one_of({"vllm", "sglang", "trtllm"}))
      .type_name("NAME");
  app.add_option("--weights", flags.weights,
                 "Format of the weights: bf16, fp8, int8, int4 or nvfp4 [fp8]")
      .check(one_of({"bf16", "fp8", "int8", "int4", "nvfp4"}))
      .type_name("FORMAT");
  app.add_option("--kv", flags.kv, "Format of the KV cache: bf16, fp8, int8, int4 or nvfp4 [bf16]")
      .check(one_of({"bf16", "fp8", "int8", "int4", "nvfp4"}))
      .type_name("FORMAT");
  app.add_option("--max-sequences", flags.max_sequences,
                 "Largest number of concurrent sequences per replica [256]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--token-budget", flags.token_budget,
                 "Largest number of tokens in a step, prompts and decodes together [8192]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--swap-space", flags.swap_space,
                 "Host memory per GPU for the KV caches of preempted requests: 16GiB [0: KV caches "
                 "are computed again]")
      .type_name("SIZE");
  app.add_flag("--no-graphs", flags.no_graphs, "Launch kernels one by one, without CUDA graphs");
  app.add_option("--efficiency", flags.efficiency,
                 "Times and efficiencies of a step on this machine, a file that --calibrate wrote "
                 "[values fitted to measured runs on H100 and B200]")
      .type_name("FILE");
  app.add_option(
         "--calibrate", flags.calibrate,
         "Fit times and efficiencies of a step to measured requests and write FILE for "
         "--efficiency; makes no plan. Requires --trace with ttft_ms and tpot_ms, the exact "
         "number of --gpus, and --tp (and --ep) of the measured deployment")
      .type_name("FILE");
}

}  // namespace

void add_serve_flags(FlagSet app, ServeFlags& flags) {
  app.add_option(
         "--model", flags.model,
         "Model to serve: a name in configs/models, a model file, or a config.json of Hugging "
         "Face")
      .type_name("MODEL")
      .required();
  add_candidates_flag(app, flags.candidates);
  app.add_option("--gpus", flags.gpus,
                 "Largest number of GPUs to use per candidate [the whole cluster]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--max-pp", flags.pp,
                 "Largest pipeline parallelism to try, 1 to 8. Predictions above 1 were not "
                 "compared with measured runs [1]")
      .check(in_range(1, 8))
      .type_name("N");
  app.add_option(
         "--tp", flags.tp,
         "Sizes of tensor parallelism to try, powers of two: 1,2,4 [all up to the GPUs of a node]")
      .delimiter(',')
      .check(positive_number())
      .type_name("N,...");
  app.add_option("--ep", flags.ep,
                 "Sizes of expert parallelism to try: 1 (experts are sharded like other weights), "
                 "the tensor parallelism, or larger ones with data-parallel attention: 8, 32, 72 "
                 "[all that fit 1, 2, 4, 8, ... nodes]")
      .delimiter(',')
      .check(positive_number())
      .type_name("N,...");
  app.add_option("--redundant-experts", flags.redundant_experts,
                 "Number of copies of popular experts per layer, placed as EPLB does. The sum of "
                 "experts and copies must be divisible by --ep [0 for --ep up to 8; for larger "
                 "ones one additional expert per GPU]")
      .check(in_range(0, 4096))
      .type_name("N");
  (void)add_rent_flag(app, flags.price);
  app.add_option("--margin", flags.margin,
                 "Safety margin added to predicted times, 0 to 100 per cent [so large that the "
                 "replicas saturate at saturation_low_per_s]")
      .check(in_range(0.0, 100.0))
      .type_name("PERCENT");
  app.add_option("--seed", flags.seed, "Random seed for arrivals [1]").type_name("N");
  add_traffic(app, flags);
  add_engine(app, flags);
  add_cache_and_drafts(app, flags);
  add_scaling(app, flags);
  app.add_option("--emit", flags.emit,
                 "Folder for files that start the cheapest deployment: engine arguments and a "
                 "Kubernetes manifest")
      .type_name("DIR");
  app.add_option("--requests", flags.requests,
                 "Write each simulated request of the best deployment as CSV: arrival, lengths, "
                 "replica, TTFT, TPOT, latency ('-': standard output)")
      .type_name("FILE");
  app.add_option("--timeline", flags.timeline,
                 "Write the best deployment over time as CSV: queue, batch, use of the KV cache, "
                 "computed tokens and power ('-': standard output)")
      .type_name("FILE");
  app.add_option("--step-trace", flags.step_trace,
                 "Write each step of the best deployment's replicas as a trace for "
                 "ui.perfetto.dev (Chrome trace JSON; '-': standard output)")
      .type_name("FILE");
  add_output_flags(app, flags.out);
  app.footer(kFooter);
}

}  // namespace railyard::apps

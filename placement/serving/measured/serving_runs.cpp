#include "placement/serving/measured/serving_runs.hpp"

#include <fmt/format.h>

#include <map>

#include "core/diagnostic.hpp"
#include "placement/serving/measured/mapped_row.hpp"

namespace railyard::placement::serving {
namespace {

Engine engine_of(const std::string& backend) {
  const auto engine = core::parse_enum<Engine>(backend);
  if (!engine.value) throw InputError("", "column backend", engine.error);
  return *engine.value;
}

/// `d` with the sizes of columns that begin with `pool`: "", "prefill_" or "decode_".
Deployment with_sizes(Deployment d, const MappedRow& row, const std::string& pool) {
  d.tp = row.count(pool + "tp_size");
  d.pp = row.count(pool + "pp_size");
  d.attention_dp = row.count(pool + "attention_dp_size");
  d.ep = row.count(pool + "moe_ep_size");
  d.redundant_experts = static_cast<int>(row.number(pool + "redundant_experts", 0));
  return d;
}

ServingRun run_of(const MappedRow& row) {
  const bool has_pools = row.text("mode") == "disagg";
  ServingRun run{.model = row.model, .cluster = row.cluster};
  Deployment& d = run.deployment;
  d = with_sizes(d, row, has_pools ? "decode_" : "");
  d.engine = engine_of(row.text("backend"));
  d.formats.mlp = row.format("gemm_quant_mode", NumberFormat::bf16);
  d.formats.experts = row.format("moe_quant_mode", d.formats.mlp);
  d.formats.attention = row.format("attention_format", d.formats.mlp);
  d.formats.kv = row.format("kv_format", NumberFormat::bf16);
  d.lays_out_scales = row.is_second("expert_scales", "once", "each_step");
  d.token_budget = static_cast<int>(row.number("token_budget", d.token_budget));
  d.hold = {.steps = static_cast<int>(row.number("hold_steps", 0)),
            .tokens = static_cast<int>(row.number("hold_tokens", 0)),
            .is_periodic = row.text("hold") == "periodic"};
  if (has_pools) {
    run.replicas = row.count("decode_num_workers");
    run.prefill = {.deployment = with_sizes(d, row, "prefill_"),
                   .replicas = row.count("prefill_num_workers")};
    Deployment& prompts = run.prefill->deployment;
    prompts.token_budget =
        static_cast<int>(row.number("prefill_token_budget", prompts.token_budget));
    prompts.max_sequences =
        static_cast<int>(row.number("prefill_max_sequences", prompts.max_sequences));
    prompts.hold = {};
    run.frontends = static_cast<int>(row.number("frontends", 0));
    run.max_sequences = static_cast<int>(row.number("decode_max_sequences", 0));
    d.hold = {.steps = static_cast<int>(row.number("decode_hold_steps", 0)), .is_periodic = true};
  }
  const double share = row.number("length_share", 1);
  run.length_share = share;
  run.native_client = row.text("client") == "perf_analyzer";
  run.waiting_clients = static_cast<int>(row.number("waiting_clients", 0));
  run.load = {.concurrency = row.number("concurrency", row.number("batch_size", 0)) /
                             (d.attention_dp * run.replicas),
              .input = share * row.number("isl", 0),
              .output = share * row.number("osl", 0),
              .equal_lengths = share == 1};
  if (const double spare = row.number("spare_tokens", 0); spare > 0)
    d.token_budget = static_cast<int>(row.number("isl", 0) + run.load.concurrency + spare);
  run.measured_ttft = row.number("silicon_ttft_ms", 0) / 1e3;
  run.measured_tpot = row.number("silicon_tpot_ms", 0) / 1e3;
  const std::string gemm = row.text("gemm_quant_mode"), moe = row.text("moe_quant_mode");
  run.group = fmt::format("{} {} {} {}{}{}", row.model, row.text("system"), row.text("backend"),
                          gemm.empty() ? "bf16" : gemm, moe.empty() || moe == gemm ? "" : "/" + moe,
                          has_pools ? " pools" : "");
  return run;
}

}  // namespace

double ServingRun::tokens_per_s_per_gpu(double ttft, double tpot) const {
  return clients() * load.output / (ttft + (load.output - 1) * tpot) / gpus();
}

ServingRuns serving_runs(const ServingMap& map, const std::vector<MeasuredRows>& tables) {
  MappedRows mapped = mapped_rows(map, {.model = "model_path", .machine = "system"}, tables);
  ServingRuns found;
  std::map<std::string, bool> has_experts;
  for (const auto& [name, config] : map.models)
    if (!has_experts.contains(config)) has_experts[config] = read_model(config).moe.has_value();
  for (const MappedRow& row : mapped.rows) {
    ServingRun run = run_of(row);
    run.has_experts = has_experts.at(row.model);
    const auto has_ranks = [](const Deployment& d) { return d.expert_ranks() % d.ep == 0; };
    const bool is_whole = run.load.concurrency > 0 && run.load.input > 0 && run.load.output > 1 &&
                          run.measured_tpot > 0 && has_ranks(run.deployment) &&
                          (!run.prefill || has_ranks(run.prefill->deployment));
    if (is_whole)
      found.runs.push_back(std::move(run));
    else
      ++mapped.left_out["no concurrency, lengths or times, or ranks that experts do not divide"];
  }
  found.left_out = mapped.reasons();
  return found;
}

}  // namespace railyard::placement::serving

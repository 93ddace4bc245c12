#include "placement/serving/measured/serving_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement::serving {
namespace {

/// A rule with its expressions compiled.
struct ReadyRule {
  const ServingRule* rule;
  std::vector<std::pair<std::string, std::regex>> when;
};

std::vector<ReadyRule> ready(const ServingMap& map) {
  std::vector<ReadyRule> rules;
  for (const ServingRule& rule : map.rules) {
    ReadyRule& one = rules.emplace_back(ReadyRule{&rule, {}});
    for (const auto& [column, text] : rule.when) {
      try {
        one.when.emplace_back(column, std::regex(text, std::regex::icase));
      } catch (const std::regex_error&) {
        throw InputError(map.name, "/rules", fmt::format("'{}' is no regular expression", text),
                         "");
      }
    }
  }
  return rules;
}

/// A row's cells, with what rules set.
class Row {
 public:
  explicit Row(MeasuredCells cells) : cells_(std::move(cells)) {}
  [[nodiscard]] std::string text(const std::string& column) const {
    const auto at = cells_.find(column);
    return at == cells_.end() ? std::string() : at->second;
  }
  [[nodiscard]] double number(const std::string& column, double otherwise) const {
    const std::string cell = text(column);
    if (cell.empty()) return otherwise;
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
      throw InputError("", "column " + column, fmt::format("'{}' is not a number", cell), "");
    return value;
  }
  /// At least 1: sources write 0 for a dimension that is not used.
  [[nodiscard]] int count(const std::string& column) const {
    return std::max(1, static_cast<int>(number(column, 1)));
  }
  [[nodiscard]] NumberFormat format(const std::string& column, NumberFormat otherwise) const {
    const std::string cell = text(column);
    if (cell.empty()) return otherwise;
    if (cell.starts_with("fp8")) return NumberFormat::fp8;
    if (cell == "bf16" || cell == "float16") return NumberFormat::bf16;
    if (cell.starts_with("int8")) return NumberFormat::int8;
    if (cell.starts_with("int4") || cell.starts_with("w4a16")) return NumberFormat::int4;
    if (cell == "nvfp4" || cell.starts_with("w4a")) return NumberFormat::nvfp4;
    throw InputError("", "column " + column, fmt::format("'{}' is no format", cell),
                     "bf16, fp8, int8, int4 or nvfp4");
  }
  /// Applies the rules; the reason where the row is left out.
  std::optional<std::string> apply(const std::vector<ReadyRule>& rules) {
    for (const ReadyRule& one : rules) {
      const bool matches = std::ranges::all_of(one.when, [&](const auto& condition) {
        return std::regex_search(text(condition.first), condition.second);
      });
      if (!matches) continue;
      if (!one.rule->reason.empty()) return one.rule->reason;
      for (const auto& [column, value] : one.rule->set) cells_[column] = value;
    }
    return std::nullopt;
  }

 private:
  MeasuredCells cells_;
};

/// Lengths drawn from [1 - s, 1] of the longest, s = 2 (1 - share), spread the ends of requests
/// that began together over about s · sqrt(rounds) of their time; five rounds are the middle of a
/// run.
constexpr double kBunching = 1 / (2 * 2.236);

const std::string* named(const TextMap& names, const std::string& text) {
  const std::string last = text.substr(text.find('/') + 1);
  const auto at = names.find(last);
  return at == names.end() ? nullptr : &at->second;
}

Engine engine_of(const std::string& backend) {
  if (backend == "vllm") return Engine::vllm;
  if (backend == "sglang") return Engine::sglang;
  if (backend == "trtllm") return Engine::trtllm;
  throw InputError("", "column backend", fmt::format("'{}' is no engine", backend),
                   "vllm, sglang or trtllm");
}

ServingRun run_of(const Row& row, const std::string& model, const std::string& cluster) {
  ServingRun run{.model = model, .cluster = cluster};
  Deployment& d = run.deployment;
  d.tp = row.count("tp_size");
  d.pp = row.count("pp_size");
  d.attention_dp = row.count("attention_dp_size");
  d.ep = row.count("moe_ep_size");
  d.engine = engine_of(row.text("backend"));
  d.formats.mlp = row.format("gemm_quant_mode", NumberFormat::bf16);
  d.formats.experts = row.format("moe_quant_mode", d.formats.mlp);
  d.formats.attention = row.format("attention_format", d.formats.mlp);
  d.formats.kv = row.format("kv_format", NumberFormat::bf16);
  d.token_budget = static_cast<int>(row.number("token_budget", d.token_budget));
  d.hold = {.steps = static_cast<int>(row.number("hold_steps", 0)),
            .tokens = static_cast<int>(row.number("hold_tokens", 0)),
            .is_periodic = row.text("hold") == "periodic"};
  const double share = row.number("length_share", 1);
  run.length_share = share;
  run.load.bunching = kBunching / (1 - run.share());
  run.waiting_clients = static_cast<int>(row.number("waiting_clients", 0));
  run.load = {
      .concurrency = row.number("concurrency", row.number("batch_size", 0)) / d.attention_dp,
      .input = share * row.number("isl", 0),
      .output = share * row.number("osl", 0),
      .burst = row.text("protocol") == "burst"};
  run.measured_ttft = row.number("silicon_ttft_ms", 0) / 1e3;
  run.measured_tpot = row.number("silicon_tpot_ms", 0) / 1e3;
  const std::string gemm = row.text("gemm_quant_mode"), moe = row.text("moe_quant_mode");
  run.group =
      fmt::format("{} {} {} {}{}", model, row.text("system"), row.text("backend"),
                  gemm.empty() ? "bf16" : gemm, moe.empty() || moe == gemm ? "" : "/" + moe);
  return run;
}

}  // namespace

double ServingRun::share() const { return length_share < 1 ? length_share : kExactLengths; }

double ServingRun::tokens_per_s_per_gpu(double ttft, double tpot) const {
  const double requests = load.concurrency * deployment.attention_dp;
  return requests * load.output / (ttft + (load.output - 1) * tpot) / deployment.gpus();
}

ServingRuns serving_runs(const ServingMap& map, const std::vector<MeasuredRows>& tables) {
  const std::vector<ReadyRule> rules = ready(map);
  ServingRuns found;
  std::map<std::string, int> left_out;
  std::map<std::string, bool> has_experts;
  for (const auto& [name, config] : map.models)
    if (!has_experts.contains(config)) has_experts[config] = read_model(config).moe.has_value();
  for (const MeasuredRows& table : tables) {
    for (const MeasuredCells& cells : table.rows) {
      Row row(cells);
      const std::string* model = named(map.models, row.text("model_path"));
      const std::string* cluster = named(map.clusters, row.text("system"));
      if (row.text("mode") != "agg") {
        ++left_out["disaggregated"];
      } else if (model == nullptr) {
        ++left_out[fmt::format("model '{}' is not in the map", row.text("model_path"))];
      } else if (cluster == nullptr) {
        ++left_out[fmt::format("system '{}' is not in the map", row.text("system"))];
      } else if (const auto reason = row.apply(rules)) {
        ++left_out[*reason];
      } else {
        ServingRun run = run_of(row, *model, *cluster);
        run.has_experts = has_experts.at(*model);
        const bool is_whole = run.load.concurrency > 0 && run.load.input > 0 &&
                              run.load.output > 1 && run.measured_tpot > 0 &&
                              run.deployment.expert_ranks() % run.deployment.ep == 0;
        if (is_whole)
          found.runs.push_back(std::move(run));
        else
          ++left_out["no concurrency, lengths or times, or ranks that experts do not divide"];
      }
    }
  }
  for (const auto& [reason, count] : left_out)
    found.left_out.push_back(fmt::format("{}: {} rows", reason, count));
  return found;
}

bool holds_serving_runs(const std::string& file) {
  if (!file.ends_with(".csv")) return false;
  std::istringstream lines(core::read_text_file(file));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with('#'))
      return line.find("silicon_tpot_ms") != std::string::npos;
  return false;
}

}  // namespace railyard::placement::serving

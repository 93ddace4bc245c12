#include "placement/serving/step/step_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "placement/serving/step/expert_balance.hpp"
#include "placement/serving/step/serving_memory.hpp"

namespace railyard::placement::serving {
namespace {

/// Largest CUDA graph in tokens. Graphs exist for 1, 2, 4 and multiples of 8 tokens up to 512
/// (vLLM); a step uses the next larger one.
constexpr double kLargestGraph = 512;

/// Interval in tokens of the table of step times above the graphs; linear in between.
constexpr double kTableStep = 128;

/// Tokens of the graph that a step of m tokens uses.
double graph_size(double m) {
  if (m > kLargestGraph) return m;
  if (m <= 2) return std::ceil(m);
  return m <= 4 ? 4 : 8 * std::ceil(m / 8);
}

/// Up to this message size in bytes engines reduce with their own kernels, above with NCCL (vLLM's
/// and SGLang's custom all-reduce: max_size of 8 MiB).
constexpr double kOwnReduce = 8 * 1024 * 1024;

/// Whether NCCL reduces and copies in the NVSwitch (NVLS): data centre GPUs of Hopper and Blackwell
/// whose links are NVLink, i.e. faster than any PCIe slot (64 GB/s).
bool reduces_in_switch(const Processor& gpu, const NodeFabric& fabric) {
  const int capability = gpu.gpu.compute_capability;
  return capability >= 90 && capability < 120 && fabric.nvlink.bytes_per_second() > 64e9;
}

bool is_narrow(NumberFormat format) {
  return format == NumberFormat::nvfp4 || format == NumberFormat::int4;
}

/// The GPU with the efficiencies of serving: shares of its memory bandwidth, and of the rates of
/// 8-bit and 4-bit products.
Processor in_service(Processor gpu, const StepEfficiency& e, double weights, double matrix) {
  gpu.spec.memory_efficiency = weights;
  gpu.spec.matrix_efficiency *= e.matrix;
  gpu.spec.fp8_efficiency *= matrix;
  gpu.spec.attention_efficiency *= e.attention;
  gpu.spec.kernel_start = Time::from_seconds(e.kernel_us * 1e-6);
  return gpu;
}

/// Cost to lay out the scales of a layer's experts (one fp32 per 128 x 128 weights) as DeepGEMM
/// reads them on Blackwell: one 8-bit exponent per row and 128 columns. TensorRT-LLM did this in
/// each step, because it kept no converted copy (tensorrt_llm/_torch/modules/fused_moe/
/// fused_moe_deepgemm.py at 01738366, transform_sf_into_required_layout in
/// tensorrt_llm/quantization/utils/fp8_utils.py). Two matrices, eight PyTorch kernels each: count
/// rows (2), spread scales over rows (4 B written per scale of a row), shift exponents (8 B), cast
/// to 8 bits (5 B), zero (1 B), copy (2 B) and transpose (2 B).
constexpr double kLayoutKernels = 16, kLayoutBytes = 22;

/// Number of scales of a layer's experts on a rank: one per row and 128 columns.
double layout_scales(double experts, double hidden, double ffn, double gates) {
  return experts * (gates * ffn * hidden / 128 + hidden * ffn / 128);
}

/// Number of kernels of all layers that are launched one by one without graphs. A dense layer has
/// four products, attention, two norms, rotary, cache write, activation and two collectives.
/// Experts add routing, sorting, gathering, quantization and combining; latent attention adds its
/// projections. 8-bit activations with a scale per block add quantization and a layout of the
/// scales before each product.
double kernels(const Model& model, const Deployment& d) {
  const double experts =
      (d.formats.experts == NumberFormat::fp8 ? 22 : 10) + (d.lays_out_scales ? kLayoutKernels : 0);
  return 12 * model.layers + (model.moe ? experts * model.moe_layers() : 0) +
         (model.mla ? 20 * model.layers : 0);
}

/// log(1 - p k/E): logarithm of the probability that a token does not choose an expert, for the
/// popularities p(u) = (1 - skew) u^-skew of the mean, at the middle u of each sixteenth of 0..1.
std::vector<double> unchosen_logs(const MoeSpec& x, double skew) {
  constexpr int kParts = 16;
  std::vector<double> logs;
  for (int i = 0; i < kParts; ++i) {
    const double popularity = (1 - skew) * std::pow((i + 0.5) / kParts, -skew);
    logs.push_back(std::log1p(-std::min(1.0, popularity * x.top_k / x.experts)));
  }
  return logs;
}

/// Share of the experts whose weights a layer reads for `tokens`: 1 - (1 - p k/E)^tokens, mean over
/// the popularities p. Without skew: 1 - (1 - k/E)^tokens.
double share_read(std::span<const double> unchosen, double tokens) {
  double read = 0;
  for (const double log : unchosen) read += -std::expm1(tokens * log);
  return read / static_cast<double>(unchosen.size());
}

/// Largest number of tokens per rank for which dispatch and combine send a copy to each chosen
/// expert. Above, a token is sent once to each node and forwarded over NVLink (DeepEP,
/// docs/legacy.md: low-latency kernels for at most 256 tokens, else normal kernels).
constexpr double kLowLatencyTokens = 256;

/// Bytes per value sent to an expert. Experts in nvfp4: 4 bits with a scale per 16 values
/// (TensorRT-LLM and SGLang quantize before dispatch). 8-bit experts: 8 bits with an fp32 scale per
/// 128 values (DeepEP). Otherwise bf16.
double dispatch_bytes(NumberFormat experts) {
  if (experts == NumberFormat::nvfp4) return 0.5625;
  return experts == NumberFormat::fp8 || experts == NumberFormat::int8 ? 1 + 4.0 / 128 : 2;
}

/// Mean number of nodes that hold a token's k experts if all nodes are equally likely: N (1 - (1 -
/// 1/N)^k), limited by the router's node limit.
double copies_by_node(const MoeSpec& x, double nodes) {
  const double chosen = nodes * (1 - std::pow(1 - 1 / nodes, x.top_k));
  return x.node_limit > 0 ? std::min<double>(chosen, x.node_limit) : chosen;
}

/// Number of ranks to which the fitted imbalance applies. The runs of the fit have 2, 4 and 8
/// ranks; they determine the imbalance within 60 % only.
constexpr int kFittedRanks = 8;

/// Tokens of the fullest expert rank / mean. For kFittedRanks the fitted value; for other numbers
/// it is scaled by the loads that follow from the popularity of experts.
double imbalance_of(const Model& model, const Deployment& d, const StepEfficiency& e) {
  if (!model.moe || d.ep < 2) return 1;
  const int fitted = std::min<int>(kFittedRanks, static_cast<int>(model.moe->experts));
  if (d.ep == fitted && d.redundant_experts == 0) return std::max(1.0, e.imbalance);
  const std::vector<double> loads = expert_popularity(static_cast<int>(model.moe->experts), e.skew);
  const double is = d.redundant_experts > 0 ? balanced_load(loads, d.ep, d.redundant_experts)
                                            : unbalanced_load(loads, d.ep);
  return std::max(1.0, e.imbalance * is / unbalanced_load(loads, fitted));
}

}  // namespace

StepBatch& StepBatch::operator+=(const StepBatch& other) {
  decodes += other.decodes;
  decode_context += other.decode_context;
  prompts += other.prompts;
  prompt_tokens += other.prompt_tokens;
  prompt_pairs += other.prompt_pairs;
  first_tokens += other.first_tokens;
  return *this;
}

StepBatch& StepBatch::scale(double times) {
  decodes *= times;
  decode_context *= times;
  prompts *= times;
  prompt_tokens *= times;
  prompt_pairs *= times;
  first_tokens *= times;
  mean_tokens *= times;
  return *this;
}

StepBatch decode_batch(double sequences, double context) {
  return {.decodes = sequences, .decode_context = sequences * context};
}

StepBatch prompt_part(double done, double tokens, bool last) {
  return {.prompts = 1,
          .prompt_tokens = tokens,
          .prompt_pairs = tokens * done + tokens * (tokens + 1) / 2,
          .first_tokens = last ? 1.0 : 0.0};
}

StepModel::StepModel(const Options& options)
    : model_(options.model),
      gpu_(in_service(options.gpu, options.efficiency, options.efficiency.weights,
                      options.efficiency.static8 > 0 ? options.efficiency.static8
                                                     : options.efficiency.matrix8)),
      experts_(in_service(options.gpu, options.efficiency, options.efficiency.experts,
                          is_narrow(options.deployment.formats.experts)
                              ? options.efficiency.matrix4
                              : options.efficiency.matrix8)),
      narrow_(in_service(options.gpu, options.efficiency, options.efficiency.weights4,
                         options.efficiency.matrix4)),
      fabric_(options.fabric),
      deployment_(options.deployment),
      efficiency_(options.efficiency),
      between_nodes_(options.between_nodes),
      unchosen_(model_.moe ? unchosen_logs(*model_.moe, efficiency_.skew) : std::vector<double>()),
      imbalance_(imbalance_of(model_, deployment_, efficiency_)) {
  if (deployment_.speculation.tokens > 0 && options.draft != nullptr) {
    Options draft = options;
    draft.deployment.speculation = {};
    // The draft runs on the GPUs of the first stage.
    draft.deployment.pp = 1;
    draft_ = std::make_shared<const StepModel>(Options{.model = *options.draft,
                                                       .gpu = draft.gpu,
                                                       .fabric = draft.fabric,
                                                       .deployment = draft.deployment,
                                                       .efficiency = draft.efficiency,
                                                       .between_nodes = draft.between_nodes});
  }
  if (options.tabulated_tokens == 0) return;
  for (int m = 0; m <= static_cast<int>(kLargestGraph); ++m) small_.push_back(compute(m));
  for (double m = kLargestGraph; large_.size() < 2 || m < options.tabulated_tokens + kTableStep;
       m += kTableStep)
    large_.push_back(compute(m));
}

StepModel::ByTokens StepModel::compute(double m) const {
  if (m <= 0) return {};
  const double run = deployment_.graphs ? graph_size(m) : m;
  return {.linear = products(run),
          .experts = expert_seconds(run),
          .reduction = reduction_seconds(run),
          .exchange = exchange_seconds(run),
          .head = head_seconds(m)};
}

StepModel::ByTokens StepModel::by_tokens(double m) const {
  if (small_.empty()) return compute(m);
  if (m <= kLargestGraph) return small_[static_cast<std::size_t>(std::ceil(m))];
  const double at = (m - kLargestGraph) / kTableStep;
  const auto low = std::min(static_cast<std::size_t>(at), large_.size() - 2);
  const double x = at - static_cast<double>(low);
  const auto between = [x](double a, double b) { return a + x * (b - a); };
  const ByTokens &a = large_[low], &b = large_[low + 1];
  return {.linear = between(a.linear, b.linear),
          .experts = between(a.experts, b.experts),
          .reduction = between(a.reduction, b.reduction),
          .exchange = between(a.exchange, b.exchange),
          .head = between(a.head, b.head)};
}

double StepModel::head(double outputs) const {
  if (small_.empty()) return outputs > 0 ? head_seconds(outputs) : 0;
  return by_tokens(outputs).head;
}

Arithmetic StepModel::arithmetic(const Processor& gpu, NumberFormat format) const {
  Arithmetic how = weight_arithmetic(gpu, format);
  if (how.right_bytes < 1 && how.left_bytes > 1) how.efficiency *= efficiency_.expanded;
  return how;
}

double StepModel::product(NumberFormat format, double m, double n, double k, double batch) const {
  const Processor& gpu = is_narrow(format) ? narrow_ : gpu_;
  return product_time(gpu, arithmetic(gpu, format), {.m = m, .n = n, .k = k, .batch = batch})
      .seconds();
}

double StepModel::products(double m) const {
  const Model& q = model_;
  const Formats& f = deployment_.formats;
  const double h = q.hidden, t = deployment_.tp, heads = q.heads / t;
  const double gates = is_gated(q.mlp) ? 2 : 1;
  double attention = 0, attention_width = 0;
  if (q.mla) {
    const MlaSpec& a = *q.mla;
    attention += product(f.attention, m, a.query_rank + a.kv_rank + a.rope_dim, h);
    attention += product(f.attention, m, heads * q.key_dim(), a.query_rank > 0 ? a.query_rank : h);
    // Products of keys and values with the latent vector, per head.
    attention += product(f.attention, m, a.kv_rank, a.nope_dim, heads);
    attention += product(f.attention, m, a.value_dim, a.kv_rank, heads);
    attention += product(f.attention, m, h, heads * a.value_dim);
    attention_width = heads * (q.key_dim() + 2 * a.kv_rank);
  } else {
    const double kv = std::max(1.0, q.kv() / t);
    attention_width = (heads + 2 * kv) * q.dim();
    attention += product(f.attention, m, attention_width, h);
    attention += product(f.attention, m, h, heads * q.dim());
  }
  const auto mlp = [&](double ffn) {
    return ffn > 0 ? product(f.mlp, m, gates * ffn / t, h) + product(f.mlp, m, h, ffn / t) : 0.0;
  };
  const auto small = [&](double ffn) {
    // Two norms with the residual sum read and write two tensors each. Rotary and cache write read
    // and write queries, keys and values. The activation reads its inputs and writes one tensor.
    const double bytes = 2 * m * (8 * h + 2 * attention_width + (gates + 1) * ffn / t);
    return efficiency_.layer_us * 1e-6 +
           bytes / (gpu_.spec.stream_efficiency * gpu_.gpu.memory_bandwidth.bytes_per_second());
  };
  const double sparse = q.moe_layers(), dense = q.layers - sparse;
  double total = q.layers * attention + dense * (mlp(q.ffn) + small(q.ffn));
  if (sparse > 0) total += sparse * (mlp(q.moe->shared_ffn) + small(q.moe->shared_ffn));
  return total;
}

double StepModel::expert_seconds(double m) const {
  if (!model_.moe) return 0;
  const MoeSpec& x = *model_.moe;
  const Deployment& d = deployment_;
  const double all = m * d.attention_dp,
               local = static_cast<double>(x.experts + d.redundant_experts) / d.ep;
  const double read = local * share_read(unchosen_, all);
  const double routed = all * x.slots() / d.ep * imbalance_;
  const double each = routed / read, ffn = static_cast<double>(x.ffn) / d.expert_tp();
  const double h = model_.hidden, gates = is_gated(model_.mlp) ? 2 : 1;
  const NumberFormat format = d.formats.experts;
  const Arithmetic how = arithmetic(experts_, format);
  const double quantize = format == NumberFormat::fp8 ? efficiency_.quantize_us : 0;
  const auto grouped = [&](double n, double k) {
    return product_time(experts_, how, {.m = std::ceil(each), .n = n, .k = k, .batch = read})
        .seconds();
  };
  // Routed tokens are gathered before the products and summed after them.
  const double moved = 2 * routed * (4 * h + (gates + 1) * ffn);
  const double stream = gpu_.spec.stream_efficiency * gpu_.gpu.memory_bandwidth.bytes_per_second();
  double small = (efficiency_.routing_us + quantize) * 1e-6 + moved / stream;
  if (d.lays_out_scales)
    small += kLayoutKernels * efficiency_.kernel_us * 1e-6 +
             kLayoutBytes * layout_scales(local, h, ffn, gates) / stream;
  return model_.moe_layers() * (grouped(gates * ffn, h) + grouped(h, ffn) + small);
}

double StepModel::all_reduce(double ranks, double bytes) const {
  if (ranks < 2) return 0;
  if (ranks > fabric_.gpus_per_node) {
    const GroupCollective reduction{.kind = collectives::Kind::all_reduce,
                                    .role = GroupRole::tensor,
                                    .shape = {.size = static_cast<std::uint32_t>(ranks),
                                              .per_node = fabric_.gpus_per_node,
                                              .gpu_stride = 1,
                                              .node_stride = 1,
                                              .beside = 1},
                                    .bytes = bytes};
    return (between_nodes_ ? between_nodes_->time(reduction) : ClosedForm(fabric_).time(reduction))
        .seconds();
  }
  const double rate = efficiency_.reduce_rate * fabric_.nvlink.bytes_per_second();
  double sent = std::min(ranks - 1, 2 * (ranks - 1) / ranks);
  if (bytes > kOwnReduce && reduces_in_switch(gpu_, fabric_))
    sent = std::min(sent, (ranks + 1) / ranks);
  return (efficiency_.reduce_us + (ranks - 2) * efficiency_.reduce_rank_us) * 1e-6 +
         sent * bytes / rate;
}

bool StepModel::spans_nodes() const {
  return deployment_.attention_dp > 1 &&
         deployment_.expert_ranks() > static_cast<int>(fabric_.gpus_per_node);
}

double StepModel::reduction_seconds(double m) const {
  const Deployment& d = deployment_;
  const double layers = model_.layers, sparse = model_.moe_layers();
  const double each = all_reduce(d.tp, 2 * m * model_.hidden);
  // With shared experts a layer ends with the exchange instead of its second all-reduce.
  return d.attention_dp == 1 ? 2 * layers * each : (2 * layers - sparse) * each;
}

double StepModel::exchange_seconds(double m) const {
  const Deployment& d = deployment_;
  if (d.attention_dp == 1 || !model_.moe || m <= 0) return 0;
  const double h = model_.hidden, sparse = model_.moe_layers(), ranks = d.expert_ranks();
  const double top_k = model_.moe->top_k, tokens = m / d.tp;
  const double dispatch = dispatch_bytes(d.formats.experts), combine = 2;
  if (!spans_nodes()) {
    const double bytes = tokens * std::min(ranks - 1, top_k) * h * (dispatch + combine);
    const double start = efficiency_.reduce_us + (ranks - 2) * efficiency_.reduce_rank_us;
    return sparse * (2 * start * 1e-6 +
                     bytes / (efficiency_.reduce_rate * fabric_.nvlink.bytes_per_second()));
  }
  const auto size = static_cast<std::uint32_t>(ranks);
  const double nodes = std::ceil(ranks / fabric_.gpus_per_node);
  const double copies = tokens <= kLowLatencyTokens ? top_k : copies_by_node(*model_.moe, nodes);
  const auto seconds = [&](double element) {
    const GroupCollective exchange{.kind = collectives::Kind::all_to_all,
                                   .role = GroupRole::expert,
                                   .shape = {.size = size,
                                             .per_node = fabric_.gpus_per_node,
                                             .gpu_stride = 1,
                                             .node_stride = 1,
                                             .beside = 1},
                                   .bytes = tokens * copies * h * element};
    const Time time =
        between_nodes_ ? between_nodes_->time(exchange) : ClosedForm(fabric_).time(exchange);
    return time.seconds();
  };
  return sparse * (seconds(dispatch) + seconds(combine));
}

double StepModel::head_seconds(double outputs) const {
  const double t = deployment_.tp;
  return product(NumberFormat::bf16, outputs, model_.vocabulary / t, model_.hidden) +
         stream_time(gpu_, 4 * outputs * model_.vocabulary).seconds();
}

double StepModel::attention_seconds(const StepBatch& b) const {
  const Model& q = model_;
  const double t = deployment_.tp, heads = q.heads / t;
  const double size = kv_bytes_per_value(deployment_.formats.kv, kv_group(model_));
  const double peak = static_cast<double>(gpu_.spec.fp16.per_second());
  double share = size < 2 ? efficiency_.kv8 : efficiency_.kv;
  // Expanding a 4-bit value costs as much as an 8-bit one: the memory time of 1/kv8 - 1/kv bytes.
  if (size < 1) share = size / (size / efficiency_.kv + 1 / efficiency_.kv8 - 1 / efficiency_.kv);
  const double rate = share * gpu_.gpu.memory_bandwidth.bytes_per_second();
  double token_bytes = 0, token_flops = 0, pair_flops = 0;
  if (q.mla) {
    token_bytes = (q.mla->kv_rank + q.mla->rope_dim) * size;
    token_flops = 2 * heads * (2 * q.mla->kv_rank + q.mla->rope_dim);
    pair_flops = 2 * heads * (q.key_dim() + q.value_dim());
  } else {
    token_bytes = 2 * std::max(1.0, q.kv() / t) * q.dim() * size;
    token_flops = pair_flops = 4 * heads * q.dim();
  }
  const auto seconds = [&](double context, double pairs) {
    double s = 0;
    if (context > 0)
      s += efficiency_.kernel_us * 1e-6 +
           std::max(context * token_bytes / rate,
                    b.width * context * token_flops / (gpu_.spec.attention_efficiency * peak));
    return s + attention_time(gpu_, AttentionKernel::flash, {.flops = pairs * pair_flops}, false)
                   .seconds();
  };
  const double windowed = q.windowed();
  double total = (q.layers - windowed) * seconds(b.decode_context, b.prompt_pairs);
  if (q.mla && b.prompt_tokens > 0) {
    // products() computes all tokens in the latent space, as for decodes. Prompts instead expand
    // the latent vector to keys and values (vLLM, vllm/v1/attention/backends/mla/common.py:
    // "compute-friendly approach"): one product instead of two per head, and narrower tensors.
    const MlaSpec& a = *q.mla;
    const NumberFormat format = deployment_.formats.attention;
    const double m = b.prompt_tokens;
    const auto stream = [&](double width) {
      return 4 * m * heads * width /
             (gpu_.spec.stream_efficiency * gpu_.gpu.memory_bandwidth.bytes_per_second());
    };
    const double latent = product(format, m, a.kv_rank, a.nope_dim, heads) +
                          product(format, m, a.value_dim, a.kv_rank, heads) + stream(2 * a.kv_rank);
    const double expanded = product(format, m, heads * (a.nope_dim + a.value_dim), a.kv_rank) +
                            stream(q.key_dim() + q.value_dim());
    total += q.layers * std::min(0.0, expanded - latent);
  }
  if (windowed > 0) {
    const double w = q.window;
    total += windowed * seconds(std::min(b.decode_context, b.decodes * w),
                                std::min(b.prompt_pairs, b.prompt_tokens * w));
  }
  return total;
}

StepTime& StepTime::add(const StepTime& other, double times) {
  host += times * other.host;
  linear += times * other.linear;
  experts += times * other.experts;
  attention += times * other.attention;
  communication += times * other.communication;
  return *this;
}

StepTime StepModel::draft_passes(const StepBatch& decodes) const {
  const double drafted = deployment_.speculation.tokens;
  StepBatch one = decodes;
  one.width = 1;
  StepTime drafts;
  if (draft_) return drafts.add(draft_->pass(one), drafted);
  StepTime layer = pass(one);
  layer.host = 0;
  return drafts.add(layer, drafted / model_.layers);
}

StepTime StepModel::time(const StepBatch& batch) const {
  const Speculation& s = deployment_.speculation;
  if (s.tokens == 0 || batch.decodes <= 0) return pass(batch);
  StepBatch verify = batch;
  verify.width = 1 + s.tokens;
  verify.mean_tokens *= verify.tokens() / batch.tokens();
  const StepBatch decodes{
      .decodes = batch.decodes,
      .decode_context = batch.decode_context,
      .width = verify.width,
      .mean_tokens = verify.mean_tokens * batch.decodes * verify.width / verify.tokens()};
  const StepTime alone = pass(decodes);
  StepTime round = alone;
  round.add(draft_passes(decodes), 1);
  StepTime time;
  if (batch.prompts > 0) time.add(pass(verify), 1).add(alone, -1);
  return time.add(round, 1 / s.tokens_per_step());
}

StepTime StepModel::pass(const StepBatch& batch) const {
  const double parts = deployment_.pp;
  StepBatch b = batch;
  // A part of a pipelined batch has at least one sequence.
  if (parts > 1) b.scale(1 / std::max(1.0, std::min(parts, b.decodes + b.prompts)));
  const ByTokens layers = by_tokens(b.tokens());
  const bool alike = b.mean_tokens <= 0;
  // The fullest rank receives more tokens than the mean.
  const double exchanged = spans_nodes() ? std::max(b.tokens(), imbalance_ * b.mean()) : b.tokens();
  StepTime s{
      .host = (efficiency_.host_us + efficiency_.sequence_us * b.sequences()) * 1e-6,
      .linear = layers.linear + head(b.outputs()),
      .experts = alike ? layers.experts : by_tokens(b.mean()).experts,
      .attention = attention_seconds(b),
      .communication = layers.reduction +
                       (exchanged > b.tokens() ? by_tokens(exchanged).exchange : layers.exchange)};
  if (parts > 1) {
    const double bytes = 2 * b.tokens() * model_.hidden / deployment_.tp;
    const bool inside = deployment_.gpus() <= static_cast<int>(fabric_.gpus_per_node);
    const std::uint32_t nodes = inside ? 1 : 2;
    s.communication += (parts - 1) * ClosedForm(fabric_)
                                         .time({.kind = collectives::Kind::send_recv,
                                                .role = GroupRole::pipeline,
                                                .shape = {.size = 2,
                                                          .per_node = 2 / nodes,
                                                          .gpu_stride = 1,
                                                          .node_stride = 1,
                                                          .beside = 1},
                                                .bytes = bytes})
                                         .seconds();
  }
  // Only vLLM runs steps with prompts as graphs, and only small ones.
  const bool small = deployment_.engine == Engine::vllm && b.tokens() <= kLargestGraph;
  if (!deployment_.graphs || (batch.prompt_tokens > 0 && !small)) {
    const double launches = kernels(model_, deployment_) * efficiency_.launch_us * 1e-6;
    s.host += std::max(0.0, launches - (s.total() - s.host));
  }
  return s;
}

}  // namespace railyard::placement::serving

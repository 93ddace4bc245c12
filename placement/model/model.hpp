#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace railyard::placement {

/// Activation of the MLP. gelu and relu: two matrices of hidden x ffn. swiglu and geglu: three, one
/// of them a gate.
enum class Mlp { gelu, swiglu, relu, geglu };
[[nodiscard]] constexpr bool is_gated(Mlp mlp) { return mlp == Mlp::swiglu || mlp == Mlp::geglu; }
/// layer_norm has a weight and a bias per channel, rms_norm only a weight.
enum class Norm { layer_norm, rms_norm };

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434). Queries, keys and values are
/// computed from compressed (latent) vectors. A key is a part without position and a part with
/// rotary position.
struct MlaSpec {
  int query_rank = 0;  ///< width of the compressed query; 0: queries are not compressed
  int kv_rank = 0;
  int nope_dim = 0;
  int rope_dim = 0;
  int value_dim = 0;
};

/// Mixture of experts, which replaces the MLP of a layer.
struct MoeSpec {
  int experts = 0;
  int top_k = 0;
  int ffn = 0;           ///< inner size of one expert
  int shared_ffn = 0;    ///< inner size of all shared experts together
  int dense_layers = 0;  ///< first layers that have a dense MLP
  int node_limit = 0;    ///< largest number of nodes that hold a token's experts; 0: no limit
  double capacity = 0;   ///< capacity factor: slots of an expert / its mean number of tokens; 0:
                         ///< dropless

  /// Expert slots per token, on average: top_k, or top_k · capacity if experts have a fixed number
  /// of slots. Empty slots are sent and computed too (GShard, arXiv 2006.16668, section 2.2).
  [[nodiscard]] double slots() const { return top_k * (capacity > 0 ? capacity : 1.0); }
};

/// An encoder of pictures or sound whose outputs become tokens of the sequence (vision-language
/// models): a transformer without a causal mask, and a projector of one or two matrices into the
/// model's hidden size.
struct TowerSpec {
  std::string name{};
  int layers = 0;
  int hidden = 0;
  int ffn = 0;
  int heads = 0;
  int tokens = 0;            ///< tokens of one input (picture) inside the tower
  double inputs = 1;         ///< mean number of inputs (pictures) per sequence
  int patch = 0;             ///< values of one patch, which becomes one token: 14 x 14 x 3
  int positions = 0;         ///< learned position embeddings; 0: none
  int projected = 0;         ///< tokens of one input that reach the model; 0: all
  int projector_inputs = 0;  ///< values of a token at the projector's input; 0: hidden
  int projector_hidden = 0;  ///< inner size of a projector with two matrices; 0: one matrix
  Mlp mlp = Mlp::gelu;
  Norm norm = Norm::layer_norm;
  bool biases = true;
  bool frozen = false;  ///< no backward pass, gradients or optimizer; the projector is trained
};

/// A convolution in front of a sound encoder, as a matrix that produces the encoder's hidden size.
struct StemSpec {
  int inputs = 0;     ///< inputs of the kernel: channels x width
  int per_token = 1;  ///< positions of the convolution per token of the encoder
};

/// The encoder of an encoder-decoder transformer. It has no causal mask, and every decoder layer
/// attends to all its tokens (cross-attention). A size of 0 means the decoder's value. MLP, norms,
/// biases, dropout and relative positions are the decoder's.
struct EncoderSpec {
  int layers = 0;
  int tokens = 0;  ///< tokens of the encoder per sequence of the decoder; a job can override it
  int hidden = 0;
  int ffn = 0;
  int heads = 0;
  int head_dim = 0;
  int positions = 0;             ///< position embeddings; 0: none
  std::vector<StemSpec> stem{};  ///< empty: text, looked up in the decoder's embedding
  bool frozen = false;           ///< not trained: no backward pass, gradients or optimizer
};

/// A transformer (configs/models/*.json): decoder-only, decoder-only with towers, or
/// encoder-decoder.
struct Model {
  std::string name{};
  std::string source{};
  int layers = 0;
  int hidden = 0;
  int ffn = 0;
  int heads = 0;
  int kv_heads = 0;  ///< 0: as many as heads
  int head_dim = 0;  ///< 0: hidden / heads
  int vocabulary = 0;
  int positions = 0;       ///< learned position embeddings; 0: none (rotary, ALiBi)
  double rotary_base = 0;  ///< base of rotary positions; 0: not given (frameworks use 10,000)
  bool qk_norm = false;    ///< queries and keys of each head are normalised
  int sequence = 0;        ///< sequence length of its training in tokens; a job can override it
  Mlp mlp = Mlp::gelu;
  Norm norm = Norm::layer_norm;
  bool biases = true;
  bool key_bias = true;      ///< if `biases`: whether the key projection has a bias too
  int relative_buckets = 0;  ///< relative position biases per head (T5); 0: none
  bool tied_embeddings = true;
  bool dropout = true;  ///< with dropout, whose masks are kept for the backward pass
  bool causal = true;   ///< a token attends only to itself and earlier tokens
  /// Sliding window in tokens of layers that have one; 0: no window. Serving uses it; training
  /// counts the whole sequence.
  int window = 0;
  int window_layers = 0;  ///< number of layers with the window; 0: all, if `window` is set
  std::optional<MlaSpec> mla{};
  std::optional<MoeSpec> moe{};
  std::vector<TowerSpec> towers{};
  std::optional<EncoderSpec> encoder{};

  /// Whether towers or an encoder precede the layers. Pipeline stages can be reserved for them.
  [[nodiscard]] bool has_front() const { return !towers.empty() || encoder; }
  [[nodiscard]] int kv() const { return kv_heads > 0 ? kv_heads : heads; }
  /// Key and value heads that `ranks` tensor-parallel ranks hold together. With more ranks than
  /// heads, heads are replicated so that each rank has one.
  [[nodiscard]] int kv_heads_over(int ranks) const { return std::max(kv(), ranks); }
  [[nodiscard]] int dim() const { return head_dim > 0 ? head_dim : hidden / heads; }
  /// Number of layers with a sliding window.
  [[nodiscard]] int windowed() const {
    return window == 0 ? 0 : window_layers > 0 ? window_layers : layers;
  }
  /// Number of layers with experts.
  [[nodiscard]] int moe_layers() const { return moe ? layers - moe->dense_layers : 0; }
  /// Size of one head's key and query, and of its value.
  [[nodiscard]] int key_dim() const { return mla ? mla->nope_dim + mla->rope_dim : dim(); }
  [[nodiscard]] int value_dim() const { return mla ? mla->value_dim : dim(); }
};

/// Reads a model. `reference`: a name in configs/models, or a path. Throws InputError that lists
/// every problem.
[[nodiscard]] Model read_model(const std::string& reference,
                               const std::string& referring_file = {});

}  // namespace railyard::placement

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace railyard::placement {

/// gelu and relu: two matrices of hidden x ffn; swiglu and geglu: three, gated.
enum class Mlp { gelu, swiglu, relu, geglu };
[[nodiscard]] constexpr bool is_gated(Mlp mlp) { return mlp == Mlp::swiglu || mlp == Mlp::geglu; }
/// layer_norm has a weight and a bias per channel, rms_norm a weight.
enum class Norm { layer_norm, rms_norm };

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): queries, keys and values are made
/// from compressed vectors; a key has a part without and a part with rotary position.
struct MlaSpec {
  int query_rank = 0;  ///< 0: queries are not compressed
  int kv_rank = 0;
  int nope_dim = 0;
  int rope_dim = 0;
  int value_dim = 0;
};

/// A mixture of experts in place of the MLP of a layer.
struct MoeSpec {
  int experts = 0;
  int top_k = 0;
  int ffn = 0;           ///< of one expert
  int shared_ffn = 0;    ///< of all shared experts together
  int dense_layers = 0;  ///< layers at the beginning that keep the dense MLP
  int node_limit = 0;    ///< nodes that a token's experts may be on; 0: any
  double capacity = 0;   ///< slots of an expert over its mean of tokens; 0: dropless

  /// Slots of experts that a token takes, on average: its top k, or, where experts have a fixed
  /// number of slots, as many of those as there are to a token. They are sent and computed whether
  /// a token is in them or not (GShard, arXiv 2006.16668, section 2.2).
  [[nodiscard]] double slots() const { return top_k * (capacity > 0 ? capacity : 1.0); }
};

/// An encoder in front of the layers: pictures or sound become tokens of the sequence. A
/// transformer in which every token sees every other, and a projector of one or two matrices into
/// the model's hidden size.
struct TowerSpec {
  std::string name{};
  int layers = 0;
  int hidden = 0;
  int ffn = 0;
  int heads = 0;
  int tokens = 0;            ///< of one input, inside the tower
  double inputs = 1;         ///< of a sequence, on average: pictures
  int patch = 0;             ///< numbers that a token is made of: 14 x 14 x 3
  int positions = 0;         ///< learned position embeddings; 0: none
  int projected = 0;         ///< tokens of one input that reach the model; 0: all
  int projector_inputs = 0;  ///< numbers of a projected token before the projector; 0: hidden
  int projector_hidden = 0;  ///< between the projector's two matrices; 0: it has one
  Mlp mlp = Mlp::gelu;
  Norm norm = Norm::layer_norm;
  bool biases = true;
  bool frozen = false;  ///< not trained: no backward pass, gradients or optimizer; the projector is
};

/// A convolution in front of an encoder of sound, as a matrix: into the encoder's hidden size.
struct StemSpec {
  int inputs = 0;     ///< numbers under the kernel: channels x width
  int per_token = 1;  ///< positions of it that a token of the encoder is made of
};

/// The encoder of an encoder-decoder transformer: every token of it sees every other, and every
/// layer of the decoder attends to all of them (cross-attention). Sizes that are 0 are those of the
/// decoder, as are MLP, norms, biases, dropout and relative positions.
struct EncoderSpec {
  int layers = 0;
  int tokens = 0;  ///< of what goes with one sequence of the decoder; a job may say otherwise
  int hidden = 0;
  int ffn = 0;
  int heads = 0;
  int head_dim = 0;
  int positions = 0;             ///< position embeddings; 0: none
  std::vector<StemSpec> stem{};  ///< empty: its tokens are looked up in the decoder's embedding
  bool frozen = false;           ///< not trained: no backward pass, gradients or optimizer
};

/// A decoder-only transformer, with towers in front where it has any, or the decoder behind an
/// encoder (configs/models/*.json).
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
  double rotary_base = 0;  ///< of rotary positions; 0: not given (frameworks then use 10,000)
  bool qk_norm = false;    ///< queries and keys of each head are normalised
  int sequence = 0;        ///< tokens it was trained with; a job may say otherwise
  Mlp mlp = Mlp::gelu;
  Norm norm = Norm::layer_norm;
  bool biases = true;
  bool key_bias = true;      ///< with biases: the keys' matrix has one too
  int relative_buckets = 0;  ///< of a table of relative position biases by head (T5); 0: none
  bool tied_embeddings = true;
  bool dropout = true;  ///< masks of dropout are kept for the backward pass
  bool causal = true;   ///< a token sees only those before it
  /// Tokens that a layer with a sliding window attends to; 0: the whole sequence. Serving counts
  /// the window, training the whole sequence.
  int window = 0;
  int window_layers = 0;  ///< layers with the window; 0: all of them, where there is a window
  std::optional<MlaSpec> mla{};
  std::optional<MoeSpec> moe{};
  std::vector<TowerSpec> towers{};
  std::optional<EncoderSpec> encoder{};

  /// Has something in front of its layers that pipeline stages may be given to.
  [[nodiscard]] bool has_front() const { return !towers.empty() || encoder; }
  [[nodiscard]] int kv() const { return kv_heads > 0 ? kv_heads : heads; }
  /// Key and value heads over `ranks` ranks that share the queries' heads, copies counted: each has
  /// one at least.
  [[nodiscard]] int kv_heads_over(int ranks) const { return std::max(kv(), ranks); }
  [[nodiscard]] int dim() const { return head_dim > 0 ? head_dim : hidden / heads; }
  /// Layers that attend to a window alone.
  [[nodiscard]] int windowed() const {
    return window == 0 ? 0 : window_layers > 0 ? window_layers : layers;
  }
  /// Layers with experts.
  [[nodiscard]] int moe_layers() const { return moe ? layers - moe->dense_layers : 0; }
  /// Dimension of a key (and query) and of a value of one head.
  [[nodiscard]] int key_dim() const { return mla ? mla->nope_dim + mla->rope_dim : dim(); }
  [[nodiscard]] int value_dim() const { return mla ? mla->value_dim : dim(); }
};

/// Reads a model: name in configs/models, or a path. Throws InputError with every problem.
[[nodiscard]] Model read_model(const std::string& reference,
                               const std::string& referring_file = {});

}  // namespace railyard::placement

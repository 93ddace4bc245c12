#include "placement/model/job.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

bool covers(const PrecisionRule& rule, LayerPart part) {
  if (rule.part == part) return true;
  const bool has_weights =
      part == LayerPart::attention || part == LayerPart::mlp || part == LayerPart::experts;
  return rule.part == LayerPart::layer && has_weights;
}

}  // namespace

Precision Job::precision_of(LayerPart part, bool edge) const {
  // The 8-bit and 4-bit recipes of TransformerEngine and torchao only convert products with weights
  // in layers.
  const bool wide = part == LayerPart::scores || part == LayerPart::head;
  Precision its = wide && is_narrow(precision) ? Precision::bf16 : precision;
  for (const PrecisionRule& rule : precisions) {
    const bool here = rule.layers == LayerRange::all || (rule.layers == LayerRange::edge) == edge;
    if (here && covers(rule, part)) its = rule.precision;
  }
  return its;
}

bool Job::has_edges() const {
  if (first_layers + last_layers == 0) return false;
  return std::ranges::any_of(
      precisions, [](const PrecisionRule& rule) { return rule.layers != LayerRange::all; });
}

double operand_bytes(Precision precision) {
  switch (precision) {
    case Precision::fp32: return 4;
    case Precision::fp16:
    case Precision::bf16: break;
    case Precision::fp8: return 1;
    case Precision::mxfp8: return 1 + 1.0 / 32;
    case Precision::nvfp4: return 0.5 + 1.0 / 16;
  }
  return 2;
}

}  // namespace railyard::placement

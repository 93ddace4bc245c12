#include "placement/serving/step/efficiency_parameters.hpp"

namespace railyard::placement::serving {
namespace {

bool is_narrow(NumberFormat format) {
  return format == NumberFormat::nvfp4 || format == NumberFormat::int4;
}

constexpr std::array<double, 3> same(double value) { return {value, value, value}; }

}  // namespace

bool EfficiencyParameter::applies_to(const Deployment& deployment, bool has_experts) const {
  const Formats& f = deployment.formats;
  switch (scope) {
    case Scope::all:
    case Scope::client:
    case Scope::engine: return true;
    case Scope::experts: return has_experts;
    case Scope::four_bit: return is_narrow(f.mlp) || (has_experts && is_narrow(f.experts));
    case Scope::narrow_kv: return f.kv != NumberFormat::bf16;
  }
  return true;
}

std::span<const EfficiencyParameter> efficiency_parameters() {
  using E = StepEfficiency;
  using Scope = EfficiencyParameter::Scope;
  static constexpr std::array kParameters{
      EfficiencyParameter{"weights", &E::weights, same(0.85), Scope::all, 0, 1},
      EfficiencyParameter{"weights4", &E::weights4, same(0.6), Scope::four_bit, 0, 1},
      EfficiencyParameter{"matrix", &E::matrix, same(0.8), Scope::all, 0, 1},
      EfficiencyParameter{"matrix8", &E::matrix8, same(0.7), Scope::all, 0, 1},
      EfficiencyParameter{"matrix4", &E::matrix4, same(0.6), Scope::four_bit, 0, 1},
      EfficiencyParameter{"kv", &E::kv, same(0.8), Scope::all, 0, 1},
      EfficiencyParameter{"kv8", &E::kv8, same(0.7), Scope::narrow_kv, 0, 1},
      EfficiencyParameter{"attention", &E::attention, same(0.8), Scope::all, 0, 1},
      EfficiencyParameter{"experts", &E::experts, same(0.7), Scope::experts, 0, 1},
      EfficiencyParameter{"imbalance", &E::imbalance, same(1.5), Scope::experts, 1},
      EfficiencyParameter{"skew", &E::skew, same(0.4), Scope::experts, 0, 0.95},
      EfficiencyParameter{"expanded", &E::expanded, same(0.6), Scope::four_bit, 0, 1},
      EfficiencyParameter{"quantize_us", &E::quantize_us, same(15), Scope::experts},
      EfficiencyParameter{"request_ms", &E::request_ms, same(15), Scope::client},
      EfficiencyParameter{"intake_ms", &E::intake_ms, same(1)},
      EfficiencyParameter{"token_us", &E::token_us, same(1)},
      EfficiencyParameter{"kernel_us", &E::kernel_us, same(2.5)},
      EfficiencyParameter{"layer_us", &E::layer_us, same(5)},
      EfficiencyParameter{"routing_us", &E::routing_us, same(10), Scope::experts},
      EfficiencyParameter{"reduce_us", &E::reduce_us, same(6)},
      EfficiencyParameter{"reduce_rank_us", &E::reduce_rank_us, same(1)},
      EfficiencyParameter{"reduce_rate", &E::reduce_rate, same(0.7), Scope::all, 0, 1},
      EfficiencyParameter{"sequence_us", &E::sequence_us, same(10)},
      EfficiencyParameter{"host_us", &E::host_us, {1000, 700, 500}, Scope::engine},
      EfficiencyParameter{"launch_us", &E::launch_us, {8, 30, 40}, Scope::engine},
  };
  return kParameters;
}

}  // namespace railyard::placement::serving

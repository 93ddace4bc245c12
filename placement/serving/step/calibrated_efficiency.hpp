#pragma once

#include <map>
#include <string>

#include "core/config/fields.hpp"
#include "placement/serving/step/step_efficiency.hpp"

namespace railyard {

namespace placement::serving {

/// Efficiencies of an engine on one machine, as `plan serve --calibrate` writes them.
struct CalibratedEfficiency {
  Engine engine = Engine::vllm;
  std::string measured{};                  ///< description of the runs to which they were fitted
  std::map<std::string, double> values{};  ///< value by EfficiencyParameter::name

  /// The engine's shipped values, with these values in place of theirs.
  [[nodiscard]] StepEfficiency efficiency() const;
};

/// The values of an efficiency that differ from the engine's shipped values, by
/// EfficiencyParameter::name.
[[nodiscard]] std::map<std::string, double> changed_values(const StepEfficiency& efficiency,
                                                           Engine engine);

/// Reads a file of efficiencies. Throws InputError with every problem.
[[nodiscard]] CalibratedEfficiency read_calibrated_efficiency(const std::string& file);

}  // namespace placement::serving

template <>
struct core::Fields<placement::serving::CalibratedEfficiency> {
  using T = placement::serving::CalibratedEfficiency;
  static constexpr std::string_view
      name = "CalibratedEfficiency",
      doc = "Efficiencies of an inference engine on a machine (docs/models/serving.md).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("engine", &T::engine, core::required, "the engine that was measured");
    field("measured", &T::measured, "the runs that the values were fitted to");
    field("values", &T::values, core::required,
          "value by parameter (docs/models/serving.md, Fitted parameters); one that is left "
          "out keeps the shipped value");
  }
  static void check(const T& file, core::Problems& problems);
};

extern template const core::StructType&
core::struct_type<placement::serving::CalibratedEfficiency>();

}  // namespace railyard

#include "placement/serving/step/calibrated_efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "placement/serving/step/efficiency_parameters.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::serving::CalibratedEfficiency>();

void core::Fields<placement::serving::CalibratedEfficiency>::check(const T& file,
                                                                   core::Problems& problems) {
  using placement::serving::efficiency_parameters;
  using placement::serving::EfficiencyParameter;
  const auto all = efficiency_parameters();
  for (const auto& [name, value] : file.values) {
    const std::string at = core::pointer_to("/values", name);
    const auto known = std::ranges::find(all, name, &EfficiencyParameter::name);
    if (known == all.end()) {
      std::vector<std::string_view> names;
      for (const EfficiencyParameter& p : all) names.push_back(p.name);
      problems.add(at, "is no parameter of a step", core::did_you_mean(name, names));
    } else if (!(value > 0) || !std::isfinite(value)) {
      problems.add(at, "must be above 0");
    } else if (value < known->least || value > known->most) {
      problems.add(at, value > known->most ? fmt::format("is above {}", known->most)
                                           : fmt::format("is below {}", known->least));
    }
  }
}

namespace placement::serving {

StepEfficiency CalibratedEfficiency::efficiency() const {
  StepEfficiency e = fitted_efficiency(engine);
  for (const EfficiencyParameter& p : efficiency_parameters())
    if (const auto value = values.find(std::string(p.name)); value != values.end())
      e.*p.member = value->second;
  return e;
}

std::map<std::string, double> changed_values(const StepEfficiency& efficiency, Engine engine) {
  const StepEfficiency shipped = fitted_efficiency(engine);
  std::map<std::string, double> values;
  for (const EfficiencyParameter& p : efficiency_parameters())
    if (efficiency.*p.member != shipped.*p.member)
      values[std::string(p.name)] = efficiency.*p.member;
  return values;
}

CalibratedEfficiency read_calibrated_efficiency(const std::string& file) {
  return core::read_config<CalibratedEfficiency>(file);
}

}  // namespace placement::serving
}  // namespace railyard

#include "placement/capacity/goodput/failure_model.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {

double ComponentCounts::of(Component component) const {
  switch (component) {
    case Component::gpu: return gpus;
    case Component::nic: return nics;
    case Component::cable: return cables;
    case Component::network_switch: return switches;
    case Component::node: return nodes;
    case Component::job: break;
  }
  return 1;
}

void override_rates(FailureModel& model, std::span<const std::string> texts,
                    const std::string& flag) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    double rate = 0;
    const char* end = text.data() + text.size();
    const auto read = equals == std::string::npos
                          ? std::from_chars_result{text.data(), std::errc::invalid_argument}
                          : std::from_chars(text.data() + equals + 1, end, rate);
    if (read.ec != std::errc() || read.ptr != end)
      throw InputError("", flag, fmt::format("'{}' is not CAUSE=RATE", text),
                       "gpu=0.09: interruptions per GPU and year");
    if (!(rate >= 0) || !std::isfinite(rate))
      throw InputError("", flag, fmt::format("the rate {} is negative or not finite", rate),
                       "interruptions per component and year, from 0 on");
    const std::string name = text.substr(0, equals);
    std::vector<std::string_view> names;
    bool is_known = false;
    for (FailureCause& cause : model.causes) {
      names.push_back(cause.name);
      if (cause.name != name) continue;
      cause.per_year = rate;
      is_known = true;
    }
    if (!is_known) throw InputError("", flag, core::unknown_name(name, names));
  }
}

double interruption_rate(const FailureModel& model, const ComponentCounts& counts,
                         Covered covered) {
  const double years = model.age.seconds() / core::kSecondsPerYear;
  double per_year = 0;
  const bool has_lemons = covered == Covered::all || model.lemons.replaced_after == 0;
  for (const FailureCause& cause : model.causes) {
    if (covered == Covered::hardware && cause.caused_by_job) continue;
    double rate = counts.of(cause.per) * cause.per_year;
    if (cause.shape != 1) rate *= cause.shape * std::pow(years, cause.shape - 1);
    // Lemon nodes multiply the rate of hardware causes of nodes by 1 + share · (rate_factor - 1).
    if (has_lemons && cause.per != Component::job && !cause.caused_by_job && !cause.keeps_node)
      rate *= 1 + model.lemons.share * (model.lemons.rate_factor - 1);
    per_year += rate;
  }
  return per_year / core::kSecondsPerYear;
}

double mean_time_to_failure(const FailureModel& model, const ComponentCounts& counts,
                            Covered covered) {
  const double rate = interruption_rate(model, counts, covered);
  return rate > 0 ? 1 / rate : std::numeric_limits<double>::infinity();
}

}  // namespace railyard::placement

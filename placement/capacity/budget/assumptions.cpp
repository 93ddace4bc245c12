#include "placement/capacity/budget/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/duration.hpp"

namespace railyard::placement {
namespace {

constexpr std::string_view kPowerPaper =
    "Patel et al., POLCA (arXiv 2308.12908): training falls to 20 to 75 % of the peak between "
    "passes";

// Columns: key, unit, value, low, high, lower is better, least, most, source
constexpr std::array kDefaults{
    Assumption{"detection", "s", 600, 30, 1800, true, 0, 1e6,
               "default timeout of NCCL collectives in PyTorch, 10 min; heartbeats take seconds"},
    Assumption{"grey_detection", "s", 21'600, 3600, 172'800, true, 0, 1e8,
               "estimate: a person or a health check finds it; FALCON (arXiv 2410.12588) reports "
               "tens of seconds to nearly ten hours",
               AssumedFor::grey_failures},
    Assumption{"grey_gpu", "per GPU and year", 0.005, 0.001, 0.02, true, 0, 1e3,
               "estimate: MegaScale (arXiv 2402.15627) found 0.5 % of machines of 8 GPUs about "
               "10 % slower; within 1.5 months: 0.04 per machine and year",
               AssumedFor::grey_failures},
    Assumption{"grey_nic", "per NIC and year", 0.003, 0.0003, 0.03, true, 0, 1e3,
               "estimate: as often as NICs fail (configs/failures/llama3)",
               AssumedFor::grey_failures},
    Assumption{"grey_flapping", "per NIC and year", 0.014, 0.0014, 0.14, true, 0, 1e3,
               "estimate: as often as a switch or cable stops the job (configs/failures/llama3)",
               AssumedFor::grey_failures},
    Assumption{"grey_link", "per cable and year", 0.007, 0.0007, 0.07, true, 0, 1e3,
               "estimate: 0.057 % of links a month, as HPN (SIGCOMM 2024) reports for those of "
               "NICs",
               AssumedFor::grey_failures},
    Assumption{"grey_ecmp", "per job and year", 1, 0, 12, true, 0, 1e4,
               "estimate: a wrong configuration after maintenance", AssumedFor::grey_failures},
    Assumption{"reschedule", "s", 120, 30, 600, true, 0, 1e6, "estimate"},
    Assumption{"warm_up", "s", 180, 60, 600, true, 0, 1e6,
               "estimate: processes, NCCL, data loaders, first steps"},
    Assumption{"storage_write", "GB/s per node", 1, 0.25, 3.4, false, 1e-3, 1e3,
               "Llama 3 (arXiv 2407.21783, section 3.3.1): 2 TB/s sustained, 7 TB/s peak; 2,048 "
               "nodes"},
    Assumption{"storage_read", "GB/s per node", 1, 0.25, 3.4, false, 1e-3, 1e3, "as storage_write"},
    Assumption{"compute_power", "of the GPU's limit", 1, 0.85, 1, true, 0.05, 1.5,
               "the data sheet's limit is reached in products (POLCA, arXiv 2308.12908)"},
    Assumption{"communication_power", "of the GPU's limit", 0.5, 0.3, 0.75, true, 0, 1.5,
               kPowerPaper},
    Assumption{"idle_power", "of the GPU's limit", 0.2, 0.1, 0.3, true, 0, 1.5, kPowerPaper},
    Assumption{"host_power", "W per GPU", 400, 250, 575, true, 0, 1e4,
               "high: DGX H100 data sheet, (10.2 kW - 8 x 700 W) / 8; the value is an estimate"},
    Assumption{"switch_power", "W", 750, 500, 1720, true, 0, 1e5,
               "where configs/prices does not have the cluster's switch; estimate: QM9700 with "
               "passive cables 747 W, at most 1,720 W"},
    Assumption{"optics_power", "W per end", 8.5, 0, 17, true, 0, 100,
               "where configs/prices does not have the cables' rate: twin-port 2 x 400 Gb/s OSFP "
               "transceiver, at most 17 W for two ports; copper: 0"},
    Assumption{"pue", "ratio", 1.3, 1.1, 1.56, true, 1, 10,
               "high: Uptime Institute survey 2024, mean 1.56; the value is an estimate"},
    Assumption{"carbon", "kg CO2 per kWh", 0.48, 0.02, 0.8, true, 0, 5,
               "Ember, Global Electricity Review 2024: world mean of 2023"},
    Assumption{"electricity", "per kWh", 0.08, 0.04, 0.2, true, 0, 100,
               "EIA, industrial price in the USA 2023: 8.06 cents", AssumedFor::purchase},
    Assumption{"life", "years", 4, 3, 6, false, 0.1, 100, "estimate: depreciation of servers",
               AssumedFor::purchase},
    Assumption{"interest", "per year", 0.06, 0.03, 0.1, true, 0, 10, "estimate",
               AssumedFor::purchase},
    Assumption{"use", "of the time", 0.9, 0.7, 1, false, 0.01, 1,
               "estimate: share of the life in which bought GPUs have work", AssumedFor::purchase}};

double number_of(const std::string& text, std::string_view value, const Assumption& one,
                 const std::string& flag) {
  if (one.unit == "s") {
    const auto parsed = core::parse_duration(value);
    if (!parsed.value) throw InputError("", flag, parsed.error, fmt::format("{}=5min", one.key));
    return parsed.value->seconds();
  }
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    throw InputError("", flag, fmt::format("'{}' is not a number", text),
                     fmt::format("{}={} ({})", one.key, one.value, one.unit));
  return number;
}

}  // namespace

Assumptions::Assumptions() : all_(kDefaults.begin(), kDefaults.end()) {}

Assumption& Assumptions::find(std::string_view key) {
  const auto found = std::ranges::find(all_, key, &Assumption::key);
  assert(found != all_.end());
  return *found;
}

void Assumptions::set(std::span<const std::string> texts, const std::string& flag) {
  std::vector<std::string_view> keys;
  for (const Assumption& one : all_) keys.push_back(one.key);
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string key = text.substr(0, equals);
    if (std::ranges::find(keys, key) == keys.end())
      throw InputError("", flag, core::unknown_name(key, keys));
    if (equals == text.size())
      throw InputError("", flag, fmt::format("'{}' has no value", text), key + "=VALUE");
    const double value =
        number_of(text, std::string_view(text).substr(equals + 1), find(key), flag);
    const Assumption& one = find(key);
    if (!(value >= one.least && value <= one.most))
      throw InputError(
          "", flag,
          fmt::format("{} is out of range: {} to {} {}", text, one.least, one.most, one.unit));
    set(key, value, "set by --assume");
  }
}

void Assumptions::set(std::string_view key, double value, std::string_view source) {
  Assumption& one = find(key);
  one.value = one.low = one.high = value;
  one.source = source;
  one.is_set = true;
}

bool Assumptions::is_set(std::string_view key) const {
  const auto found = std::ranges::find(all_, key, &Assumption::key);
  return found != all_.end() && found->is_set;
}

double Assumptions::at(std::string_view key, RangeEnd end) const {
  const auto found = std::ranges::find(all_, key, &Assumption::key);
  assert(found != all_.end());
  if (end == RangeEnd::value) return found->value;
  return (end == RangeEnd::better) == found->lower_is_better ? found->low : found->high;
}

}  // namespace railyard::placement

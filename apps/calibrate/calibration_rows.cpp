#include "apps/calibrate/calibration_rows.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::ClassParameter;
using hw::HostParameter;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

constexpr std::array<Column<ClassParameter>, 9> kColumns{{
    {"set", [](const ClassParameter& p) -> RowValue { return p.owner; }},
    {"parameter",
     [](const ClassParameter& p) -> RowValue { return std::string(p.parameter->name); }},
    {"before", [](const ClassParameter& p) -> RowValue { return p.start; }, kThousandths},
    {"after", [](const ClassParameter& p) -> RowValue { return p.value; }, kThousandths},
    {"uncertainty_pct",
     [](const ClassParameter& p) -> RowValue {
       return p.identified ? if_finite(100 * p.error) : RowValue();
     },
     kTenths},
    {"fitted", [](const ClassParameter& p) -> RowValue { return p.identified; }},
    {"points",
     [](const ClassParameter& p) -> RowValue { return static_cast<std::int64_t>(p.points); }},
    {"tables",
     [](const ClassParameter& p) -> RowValue {
       return static_cast<std::int64_t>(p.tables.size());
     }},
    {"fitted_to", [](const ClassParameter& p) -> RowValue { return joined(p.tables); }},
}};

constexpr std::array<Column<HostParameter>, 7> kHostColumns{{
    {"parameter", [](const HostParameter& p) -> RowValue { return p.name; }},
    {"unit", [](const HostParameter& p) -> RowValue { return p.unit; }},
    {"before", [](const HostParameter& p) -> RowValue { return p.start; }, kThousandths},
    {"after", [](const HostParameter& p) -> RowValue { return p.value; }, kThousandths},
    {"uncertainty_pct",
     [](const HostParameter& p) -> RowValue {
       return p.identified ? if_finite(100 * p.error) : RowValue();
     },
     kTenths},
    {"fitted", [](const HostParameter& p) -> RowValue { return p.identified; }},
    {"points",
     [](const HostParameter& p) -> RowValue { return static_cast<std::int64_t>(p.points); }},
}};

}  // namespace

RowTable tabulate_class_parameters(const std::vector<ClassParameter>& parameters) {
  return tabulate(kColumns, parameters);
}

RowTable tabulate_host_parameters(const std::vector<HostParameter>& parameters) {
  return tabulate(kHostColumns, parameters);
}

}  // namespace railyard::apps

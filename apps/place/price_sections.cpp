#include "apps/place/price_sections.hpp"

#include <array>
#include <vector>

#include "apps/output/row_values.hpp"
#include "core/config/enum_names.hpp"

namespace railyard::apps {
namespace {

using placement::CollectivePrice;

struct PriceRow {
  const placement::CostContext& context;
  const CollectivePrice& price;
};

constexpr std::array<Column<PriceRow>, 11> kPrices{{
    {"gpu", [](const PriceRow& r) -> RowValue { return r.context.on(r.price.type).gpu.gpu.name; },
     kShared},
    {"role",
     [](const PriceRow& r) -> RowValue {
       return std::string(placement::name_of(r.price.collective.role));
     }},
    {"collective",
     [](const PriceRow& r) -> RowValue {
       return std::string(core::enum_name(r.price.collective.kind));
     }},
    {"ranks", [](const PriceRow& r) { return whole_number(r.price.collective.shape.size); }},
    {"ranks_per_node",
     [](const PriceRow& r) { return whole_number(r.price.collective.shape.per_node); }},
    {"bytes",
     [](const PriceRow& r) -> RowValue {
       return static_cast<std::int64_t>(r.price.collective.bytes);
     }},
    {"nominal_us", [](const PriceRow& r) { return microseconds(r.price.nominal); }, kTenths},
    {"share_in_step", [](const PriceRow& r) -> RowValue { return r.price.share_in_step; },
     kHundredths},
    {"in_step_us", [](const PriceRow& r) { return microseconds(r.price.in_step); }, kTenths},
    {"alone_us", [](const PriceRow& r) { return microseconds(r.price.alone); }, kTenths},
    {"in_step_over_alone",
     [](const PriceRow& r) -> RowValue {
       if (!r.price.alone || *r.price.alone == Time()) return std::monostate();
       return r.price.in_step.seconds() / r.price.alone->seconds();
     },
     kHundredths},
}};

}  // namespace

RowTable tabulate_prices(const placement::CostContext& context,
                         std::span<const CollectivePrice> prices) {
  std::vector<PriceRow> rows;
  for (const CollectivePrice& price : prices) rows.push_back({context, price});
  return tabulate(kPrices, rows);
}

}  // namespace railyard::apps

#include "apps/place/price_sections.hpp"

#include <array>
#include <vector>

#include "core/config/enum_names.hpp"

namespace railyard::apps {
namespace {

using placement::CollectivePrice;

struct PriceRow {
  const placement::CostContext& context;
  const CollectivePrice& price;
};

constexpr ColumnStyle kTenths{.decimals = 1};
constexpr ColumnStyle kHundredths{.decimals = 2};
constexpr ColumnStyle kShared{.joins_heading = true};

std::int64_t whole(std::uint32_t value) { return value; }

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
    {"ranks", [](const PriceRow& r) -> RowValue { return whole(r.price.collective.shape.size); }},
    {"ranks_per_node",
     [](const PriceRow& r) -> RowValue { return whole(r.price.collective.shape.per_node); }},
    {"bytes",
     [](const PriceRow& r) -> RowValue {
       return static_cast<std::int64_t>(r.price.collective.bytes);
     }},
    {"nominal_us", [](const PriceRow& r) -> RowValue { return r.price.nominal.microseconds(); },
     kTenths},
    {"share_in_step", [](const PriceRow& r) -> RowValue { return r.price.share_in_step; },
     kHundredths},
    {"in_step_us", [](const PriceRow& r) -> RowValue { return r.price.in_step.microseconds(); },
     kTenths},
    {"alone_us",
     [](const PriceRow& r) -> RowValue {
       return r.price.alone ? RowValue(r.price.alone->microseconds()) : RowValue(std::monostate());
     },
     kTenths},
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

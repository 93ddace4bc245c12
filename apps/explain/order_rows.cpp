#include <array>

#include "apps/explain/explain_sections.hpp"
#include "collectives/nccl/choice/rank_orders.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::RankOrder;

constexpr std::array<Column<RankOrder>, 2> kColumns{{
    {"channels", [](const RankOrder& r) -> RowValue { return r.channels; }},
    {"order", [](const RankOrder& r) -> RowValue { return r.order; }},
}};

}  // namespace

RowTable order_rows(collectives::nccl::Chooser& chooser,
                    const collectives::nccl::ChoiceRequest& asked) {
  return tabulate(kColumns, rank_orders(chooser, asked));
}

}  // namespace railyard::apps

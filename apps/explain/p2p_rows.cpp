#include <array>
#include <cstdint>

#include "apps/explain/explain_sections.hpp"
#include "collectives/nccl/choice/p2p_sends.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::P2pSends;

constexpr std::array<Column<P2pSends>, 9> kColumns{{
    {"bytes", [](const P2pSends& r) -> RowValue { return r.bytes; }, {.is_size = true}},
    {"peers", [](const P2pSends& r) -> RowValue { return std::string(r.kind.peers); }},
    {"count", [](const P2pSends& r) -> RowValue { return r.kind.count; }},
    {"message_bytes", [](const P2pSends& r) -> RowValue { return r.message; }, {.is_size = true}},
    {"channels", [](const P2pSends& r) -> RowValue { return std::int64_t{r.plan.channels}; }},
    {"protocol",
     [](const P2pSends& r) -> RowValue { return std::string(to_text(r.plan.protocol)); }},
    {"step_bytes", [](const P2pSends& r) -> RowValue { return r.plan.step; }, {.is_size = true}},
    {"chunk_bytes", [](const P2pSends& r) -> RowValue { return r.plan.chunk; }, {.is_size = true}},
    {"relay", [](const P2pSends& r) -> RowValue { return std::string(r.kind.relay); }},
}};

}  // namespace

RowTable p2p_rows(collectives::nccl::Chooser& chooser,
                  const collectives::nccl::ChoiceRequest& asked, std::span<const Bytes> sizes) {
  return tabulate(kColumns, p2p_sends(chooser, asked, sizes));
}

}  // namespace railyard::apps

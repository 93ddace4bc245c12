#include "sim/packet/switch/credits.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::sim::packet {

Credits::Credits(const Links& links, std::optional<Bytes> buffer, Bytes largest) {
  if (!buffer) return;
  const auto packet = blocks(static_cast<std::uint32_t>(largest.count()));
  const std::int64_t free = buffer->count() / kBlock;
  if (free < packet)
    throw InputError("", "switches.credits",
                     fmt::format("a packet needs {} blocks of {} bytes, the buffer has {}", packet,
                                 kBlock, free),
                     fmt::format("give at least {} B", packet * kBlock));
  states_.resize(links.size());
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const LinkSpec& spec = links.spec(i);
    const bool is_in_node = spec.is_sender && spec.is_last;
    states_[i].free = is_in_node ? kNever / 2 : free;
  }
}

}  // namespace railyard::sim::packet

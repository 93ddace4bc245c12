#include "topology/routing/hop_choice.hpp"

#include <algorithm>

namespace railyard::topology {

namespace {

// The number of parallel cables to each switch in a row of cables (ordered by switch) if it is the
// same for all; otherwise 1.
std::uint32_t parallel_cables(Cables row) {
  std::size_t n = 1;
  while (n < row.size() && row[n].peer == row.front().peer) ++n;
  return row.size() % n == 0 ? static_cast<std::uint32_t>(n) : 1;
}

}  // namespace

std::size_t RailChoice::operator()(const ChoicePoint& point, const NextHops& hops) {
  const std::size_t count = hops.viable.size();
  if (point.at.is_none()) return (destination_ + point.salt) % count;
  const auto width = static_cast<std::uint32_t>(hops.healthy.size());
  std::uint32_t wanted = 0;
  if (width > 0) {
    const std::uint32_t parallel = parallel_cables(hops.healthy);
    const std::uint32_t peers = width / parallel;
    std::uint32_t number = left_;
    if (!point.is_up && peers > 1) number = destination_;
    if (!point.is_up && peers == 1 && point.tier == 2) number = above_leaf_;
    wanted = (number % peers) * parallel + (number / peers) % parallel;
    if (point.is_up) left_ /= peers;
    if (point.is_up && point.tier == 1) above_leaf_ = left_;
  }
  if (count == width) return wanted;
  const LinkId healthy = width > 0 ? hops.healthy[wanted].link : LinkId::none();
  const auto found = std::ranges::find(hops.viable, healthy, &FabricCable::link);
  if (found != hops.viable.end()) return static_cast<std::size_t>(found - hops.viable.begin());
  return (width > 0 ? destination_ / width : destination_) % count;
}

std::size_t HashChoice::operator()(const ChoicePoint& point, const NextHops& hops) const {
  // At a NIC the port is chosen by the bonding driver or the GID, not by a switch's hash. Polarised
  // switches therefore do not affect it.
  const std::uint64_t place =
      point.at.is_none() ? ~std::uint64_t{0} - point.salt : (polarised_ ? 0 : point.at.value() + 1);
  const std::uint64_t hash = mix(key_ ^ mix(seed_ + place));
  return static_cast<std::size_t>((hash >> 32) % static_cast<std::uint32_t>(hops.viable.size()));
}

std::size_t LeastLoaded::operator()(const ChoicePoint& point, const NextHops& hops) const {
  const Cables cables = hops.viable;
  const std::size_t first = ties_(point, hops);
  std::size_t best = first;
  double least = loads_->with(cables[first].link, share_);
  for (std::size_t step = 1; step < cables.size(); ++step) {
    const std::size_t i =
        first + step < cables.size() ? first + step : first + step - cables.size();
    const double load = loads_->with(cables[i].link, share_);
    if (load < least) {
      least = load;
      best = i;
    }
  }
  return best;
}

}  // namespace railyard::topology

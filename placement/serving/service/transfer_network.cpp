#include "placement/serving/service/transfer_network.hpp"

#include <algorithm>

namespace railyard::placement::serving {
namespace {

/// When a replica is free; one that was not used yet is free from the beginning.
double& free_at(std::vector<double>& by_replica, std::size_t replica) {
  if (replica >= by_replica.size()) by_replica.resize(replica + 1, 0.0);
  return by_replica[replica];
}

}  // namespace

void NicTransfers::send(double now, const CacheTransfer& transfer) {
  double &sender = free_at(sender_free_, transfer.from),
         &receiver = free_at(receiver_free_, transfer.to);
  const double arrival = std::max({now, sender, receiver}) + start_ + per_token_ * transfer.tokens;
  sender = receiver = arrival;
  on_their_way_.push({arrival, sent_++, transfer});
}

double NicTransfers::advance(double until, std::vector<CacheTransfer>& arrived) {
  if (on_their_way_.empty() || on_their_way_.top().arrival > until) return until;
  const double now = on_their_way_.top().arrival;
  while (!on_their_way_.empty() && on_their_way_.top().arrival == now) {
    arrived.push_back(on_their_way_.top().transfer);
    on_their_way_.pop();
  }
  return now;
}

}  // namespace railyard::placement::serving

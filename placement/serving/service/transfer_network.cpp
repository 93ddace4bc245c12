#include "placement/serving/service/transfer_network.hpp"

#include <algorithm>

namespace railyard::placement::serving {
namespace {

/// Time at which a replica's NICs are free; 0 if they were never used.
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
  in_flight_.push({arrival, sent_++, transfer});
}

double NicTransfers::advance(double until, std::vector<CacheTransfer>& arrived) {
  if (in_flight_.empty() || in_flight_.top().arrival > until) return until;
  const double now = in_flight_.top().arrival;
  while (!in_flight_.empty() && in_flight_.top().arrival == now) {
    arrived.push_back(in_flight_.top().transfer);
    in_flight_.pop();
  }
  return now;
}

}  // namespace railyard::placement::serving

#pragma once

#include <cstddef>
#include <queue>
#include <vector>

namespace railyard::placement::serving {

/// The transfer of a prompt's KV cache from the replica that computed it to a replica that decodes.
/// Replicas are numbered from 0 in their pools.
struct CacheTransfer {
  std::size_t request = 0;  ///< its index in the run
  std::size_t from = 0;     ///< prefill replica
  std::size_t to = 0;       ///< decoding replica
  double tokens = 0;        ///< tokens of the prompt
};

/// The network that carries KV caches between the pools of a service. Times are in seconds and must
/// not decrease from call to call. Deterministic.
class TransferNetwork {
 public:
  virtual ~TransferNetwork() = default;
  /// Starts a transfer at `now`.
  virtual void send(double now, const CacheTransfer& transfer) = 0;
  /// Advances to the time of the next arrivals, or to `until` if nothing arrives by then. Appends
  /// the arrived transfers and returns the time. `until` may be infinite.
  virtual double advance(double until, std::vector<CacheTransfer>& arrived) = 0;
};

/// Contention only at the NICs of the two replicas. A replica sends one cache at a time and
/// receives one at a time, in the order of departure.
///
///   arrival = max(now, sender free, receiver free) + start + tokens · per_token
///
/// Two caches of 10 tokens that leave one replica at 1 s, with start 0.5 s and 0.01 s per token,
/// arrive at 1.6 and 2.2 s.
class NicTransfers final : public TransferNetwork {
 public:
  NicTransfers(double start, double per_token) : start_(start), per_token_(per_token) {}
  void send(double now, const CacheTransfer& transfer) override;
  double advance(double until, std::vector<CacheTransfer>& arrived) override;

 private:
  struct InFlight {
    double arrival = 0;
    std::size_t number = 0;  ///< order of departure
    CacheTransfer transfer{};
    bool operator>(const InFlight& other) const {
      return arrival != other.arrival ? arrival > other.arrival : number > other.number;
    }
  };
  double start_, per_token_;
  std::vector<double> sender_free_{}, receiver_free_{};  ///< by replica
  std::priority_queue<InFlight, std::vector<InFlight>, std::greater<>> in_flight_{};
  std::size_t sent_ = 0;
};

}  // namespace railyard::placement::serving

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// The ranks of a communication: a group of a family (for collectives), or a sender and a receiver
/// (for messages).
struct Transport {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t family = kNone, group = kNone;      ///< collectives: family and group
  std::array<std::uint32_t, 2> ends{kNone, kNone};  ///< messages: sender, receiver
  [[nodiscard]] bool is_message() const { return family == kNone; }
};

/// All collectives (or messages) of one transport that have the same kind and size.
struct Load {
  std::uint32_t transport = 0;
  /// index into Communications::shapes; loads of the same kind and size have the same index
  std::uint32_t shape = 0;
};

/// The operations of a program that communicate with the same ranks, kind and size.
struct Use {
  Operation operation{};                    ///< the first of them
  std::uint32_t shape = 0;                  ///< into Communications::shapes
  std::vector<std::uint32_t> operations{};  ///< all of them, in order
};

/// The communication of a workload, deduplicated: which ranks communicate (transports), and with
/// which kind and size (loads).
class Communications {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// The workload must outlive it.
  explicit Communications(const Workload& workload);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] std::span<const Transport> transports() const { return transports_; }
  [[nodiscard]] std::span<const Load> loads() const { return loads_; }
  /// The kind and size of loads (Load::shape). A message has kind send_recv.
  [[nodiscard]] std::span<const Collective> shapes() const { return shapes_; }
  [[nodiscard]] std::span<const Use> uses(std::uint32_t program) const { return uses_[program]; }
  /// The transport and the load of a use, for one rank.
  [[nodiscard]] std::uint32_t transport_of(std::uint32_t rank, std::size_t use) const {
    return loads_[load_of(rank, use)].transport;
  }
  [[nodiscard]] std::uint32_t load_of(std::uint32_t rank, std::size_t use) const {
    return load_of_[first_use_[rank] + use];
  }
  /// The load of a transport with this shape; kNone if there is none.
  [[nodiscard]] std::uint32_t load(std::uint32_t transport, std::uint32_t shape) const;
  /// A rank that uses a transport, and its use.
  struct User {
    std::uint32_t rank = 0;
    std::uint32_t use = 0;
  };
  [[nodiscard]] std::span<const User> users(std::uint32_t transport) const {
    return users_[transport];
  }
  /// The use of an operation of a program; kNone if it does not communicate.
  [[nodiscard]] std::uint32_t use_of(std::uint32_t program, std::uint32_t operation) const {
    return use_of_[program][operation];
  }
  /// The ranks of a load, by position in the group; for a message the sender and the receiver.
  [[nodiscard]] std::span<const std::uint32_t> ranks(const Load& load) const;
  /// Whether a load moves bytes: its size is above 0, and it has at least two ranks.
  [[nodiscard]] bool moves_bytes(const Load& load) const;

 private:
  std::uint32_t shape_of(const Operation& operation);

  const Workload& workload_;
  std::vector<Transport> transports_;
  std::vector<Load> loads_;
  std::vector<std::vector<std::uint32_t>> loads_of_transport_;
  std::vector<std::vector<User>> users_;  ///< by transport
  std::vector<Collective> shapes_;
  std::map<std::tuple<Kind, std::int64_t, std::uint32_t>, std::uint32_t> shape_numbers_;
  std::vector<std::vector<Use>> uses_;              ///< by program
  std::vector<std::vector<std::uint32_t>> use_of_;  ///< by program and operation
  std::vector<std::size_t> first_use_;              ///< by rank, into load_of_
  std::vector<std::uint32_t> load_of_;
};

}  // namespace railyard::collectives

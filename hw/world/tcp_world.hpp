#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/world/world.hpp"

namespace railyard::hw {

/// Identity of a process and address of process 0, in the convention of torchrun and most
/// launchers.
struct TcpPlace {
  std::uint32_t process = 0;    ///< RANK
  std::uint32_t processes = 1;  ///< WORLD_SIZE
  std::string address;          ///< MASTER_ADDR: name or number of process 0's host
  std::uint16_t port = 29500;   ///< MASTER_PORT; torchrun's default
  int local = 0;                ///< LOCAL_RANK: index among the processes of this host
  /// RAILYARD_TOKEN, or a value that the launcher gives every process of a job:
  /// TORCHELASTIC_RUN_ID, or SLURM_JOB_ID under srun. Clients without it are dropped. "": every
  /// client that uses the protocol is accepted. The token is sent in clear text: it protects
  /// against accidental connections and scans, not against eavesdroppers.
  std::string token{};
  std::string bind{};  ///< RAILYARD_BIND: listening address of process 0
                       ///< (hw/world/listen_address.hpp)
};

/// Reads RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, LOCAL_RANK and the variables of `token` and
/// `bind`; nothing if none of the first three is set. Throws InputError if some of these are
/// missing or not numbers.
[[nodiscard]] std::optional<TcpPlace> tcp_place_of_environment();

/// Processes that communicate over TCP: each has a connection to process 0. Clock offsets come from
/// the shortest of several round trips.
class TcpWorld final : public World {
 public:
  /// Connects. Process 0 drops unknown connections (hw/world/reception.hpp). `timeout` (zero: no
  /// limit) applies to this and each later call. Throws BackendError that names missing or lost
  /// processes.
  TcpWorld(const TcpPlace& place, Time timeout);
  ~TcpWorld() override;

  [[nodiscard]] std::string_view name() const override { return "tcp"; }
  [[nodiscard]] std::uint32_t process() const override;
  [[nodiscard]] std::uint32_t processes() const override;
  [[nodiscard]] const std::vector<ProcessPlace>& places() const override;
  void barrier() override;
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override;
  [[nodiscard]] std::string broadcast(std::string_view mine) override;
  [[nodiscard]] Time now() const override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::hw

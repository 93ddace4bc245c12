#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/mpi/calls.hpp"

namespace railyard::hw::mpi {

/// MPI from initialisation to finalisation, and calls on MPI_COMM_WORLD with a timeout. The
/// constructor throws what open_world throws.
class Communicator {
 public:
  /// Tag of messages outside measurements.
  static constexpr int kControlTag = 1;

  explicit Communicator(Time timeout);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  void barrier();
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine);
  [[nodiscard]] std::string broadcast(std::string_view mine);
  void send(const void* data, int bytes, int to);
  void receive(void* data, int bytes, int from);
  /// "Open MPI v4.1.4".
  [[nodiscard]] static std::string library();

  MPI_Comm comm = MPI_COMM_NULL;
  int ranks = 0;
  Caller caller;
  PollingWait::Options waiting;

 private:
  void exchange_places();
};

/// The world of a communicator, which it shares.
[[nodiscard]] std::unique_ptr<World> open_world(std::shared_ptr<Communicator> communicator);

}  // namespace railyard::hw::mpi

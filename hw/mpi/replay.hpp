#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "hw/local/program.hpp"
#include "hw/local/reduction.hpp"
#include "hw/mpi/communicator.hpp"

namespace railyard::hw::mpi {

/// Runs a compiled schedule by nonblocking messages. All operations without dependencies are posted
/// at the start, and each arrival starts the operations that wait for it. Messages are cut into
/// segments, so that the first segments are combined before the last have arrived.
class Replay {
 public:
  struct Options {
    Reduction reduce = nullptr;
    std::size_t element = 1;
    std::uint64_t segment = 0;    ///< bytes, a multiple of the element
    std::uint32_t in_flight = 0;  ///< concurrent sends; others wait
    /// The rank of each process of the program's division; empty: process i is rank i.
    std::vector<std::uint32_t> ranks{};
  };
  /// All arguments must outlive it. `comm`: only for its messages.
  Replay(const Communicator& communicator, MPI_Comm comm, const Program& program, Options options);

  /// Runs the program once over its arena. Throws BackendError if MPI fails, a message has the
  /// wrong length, or none arrives within the timeout.
  void run(std::byte* arena);

  /// The same in parts, so that several can run concurrently: begin(), then advance() until
  /// is_done(). Message k between two processes has the tag first_tag + k, modulo the number of
  /// MPI's tags.
  void begin(std::byte* arena, std::uint64_t first_tag = 0);
  /// Continues with what has arrived; returns whether anything has.
  bool advance();
  [[nodiscard]] bool is_done() const { return done_ == program_.operations.size(); }
  /// Throws BackendError that names a message that has not arrived within `timeout`.
  [[noreturn]] void give_up(Time timeout) const;

 private:
  /// A segment in flight.
  struct Flight {
    OperationId operation = kNoOperation;
    std::uint64_t begin = 0, bytes = 0;  ///< within its message
  };
  void start_ready();
  void start(OperationId id);
  void post(OperationId id);
  [[nodiscard]] bool may_send() const;
  void send_next();
  void complete(OperationId id);
  /// Receives until the next operations have what they need. Returns false if nothing arrived.
  [[nodiscard]] bool receive_some();
  void arrived(const Flight& flight, const MPI_Status& status);
  /// Performs the moves of a write for its first `bytes` bytes, without those done before.
  void take(OperationId id, std::uint64_t bytes);
  [[nodiscard]] const Message& message_of(OperationId id) const {
    return program_.messages[program_.operations[id].message];
  }
  [[nodiscard]] int rank_of(const Message& message) const {
    return static_cast<int>(options_.ranks.empty() ? message.peer : options_.ranks[message.peer]);
  }
  [[nodiscard]] std::string call_text(const Flight& flight) const;

  const Communicator& communicator_;
  MPI_Comm comm_;
  const Program& program_;
  Options options_;
  int most_tag_ = 0;
  std::vector<OperationId> feeds_;  ///< by receive: the write that uses its bytes on arrival
  bool is_exchange_ = false;  ///< equally many messages are sent and received, without dependencies

  // State of the current run.
  std::byte* arena_ = nullptr;
  std::uint64_t first_tag_ = 0;
  OperationId done_ = 0;
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::uint32_t> segments_left_;  ///< by operation
  std::vector<std::uint64_t> taken_;          ///< by write: bytes
  std::vector<OperationId> ready_;
  std::uint32_t sending_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;  ///< messages begun and completed
  std::deque<OperationId> unsent_;         ///< sends that wait
  std::vector<MPI_Request> requests_;
  std::vector<Flight> flights_;  ///< parallel to requests_
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace railyard::hw::mpi

#include "hw/mpi/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/diagnostic.hpp"

namespace railyard::hw::mpi {
namespace {

/// Whether the program is an exchange, such as an all-to-all: no message has dependencies, and the
/// numbers of sends and receives are equal.
bool exchanges(const Program& program) {
  std::size_t sends = 0;
  std::size_t receives = 0;
  for (OperationId id = 0; id < program.operations.size(); ++id) {
    const Work work = program.operations[id].work;
    if (work == Work::move) continue;
    ++(work == Work::send ? sends : receives);
    if (program.graph.waits_for(id) != 0) return false;
  }
  return sends == receives;
}

}  // namespace

Replay::Replay(const Communicator& communicator, MPI_Comm comm, const Program& program,
               Options options)
    : communicator_(communicator), comm_(comm), program_(program), options_(std::move(options)) {
  most_tag_ = largest_tag(comm, communicator.caller);
  feeds_.assign(program.operations.size(), kNoOperation);
  for (OperationId id = 0; id < program.operations.size(); ++id) {
    if (program.operations[id].fed_by != kNoOperation) feeds_[program.operations[id].fed_by] = id;
  }
  is_exchange_ = exchanges(program);
}

void Replay::run(std::byte* arena) {
  begin(arena);
  PollingWait polling(communicator_.waiting);
  while (!is_done()) {
    if (advance())
      polling.progressed();
    else if (!polling.pause())
      give_up(polling.timeout());
  }
}

void Replay::begin(std::byte* arena, std::uint64_t first_tag) {
  const auto operations = static_cast<OperationId>(program_.operations.size());
  arena_ = arena;
  first_tag_ = first_tag;
  done_ = 0;
  waits_for_.resize(operations);
  for (OperationId id = 0; id < operations; ++id) waits_for_[id] = program_.graph.waits_for(id);
  segments_left_.assign(operations, 0);
  taken_.assign(operations, 0);
  ready_ = program_.graph.roots();
  sending_ = 0;
  sent_ = received_ = 0;
  unsent_.clear();
  start_ready();
}

bool Replay::advance() {
  if (!receive_some()) return false;
  start_ready();
  return true;
}

/// Starts the ready operations, and those that become ready by them.
void Replay::start_ready() {
  for (std::size_t i = 0; i < ready_.size(); ++i) start(ready_[i]);
  ready_.clear();
  send_next();
}

void Replay::start(OperationId id) {
  if (program_.operations[id].work != Work::move) {
    if (program_.operations[id].work == Work::receive)
      post(id);
    else
      unsent_.push_back(id);
    return;
  }
  take(id, ~std::uint64_t{0});
  complete(id);
}

bool Replay::may_send() const {
  if (sending_ == options_.in_flight) return false;
  // In an exchange a rank stays at most in_flight messages ahead of its receives. Otherwise fast
  // ranks would all send to the same partners while slower ones have nothing to receive.
  return !is_exchange_ || sent_ < received_ + options_.in_flight;
}

void Replay::send_next() {
  while (!unsent_.empty() && may_send()) {
    ++sending_;
    ++sent_;
    post(unsent_.front());
    unsent_.pop_front();
  }
}

void Replay::post(OperationId id) {
  const Message& message = message_of(id);
  const bool sends = program_.operations[id].work == Work::send;
  const int tag = static_cast<int>((first_tag_ + message.sequence) %
                                   (static_cast<std::uint64_t>(most_tag_) + 1));
  for (std::uint64_t begin = 0; begin < message.bytes; begin += options_.segment) {
    const Flight flight{id, begin, std::min(options_.segment, message.bytes - begin)};
    std::byte* data = arena_ + message.offset + begin;
    const int bytes = static_cast<int>(flight.bytes);
    const int peer = rank_of(message);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = sends ? MPI_Isend(data, bytes, MPI_BYTE, peer, tag, comm_, &request)
                           : MPI_Irecv(data, bytes, MPI_BYTE, peer, tag, comm_, &request);
    if (code != MPI_SUCCESS) require(code, communicator_.caller, call_text(flight));
    ++segments_left_[id];
    requests_.push_back(request);
    flights_.push_back(flight);
  }
}

void Replay::complete(OperationId id) {
  ++done_;
  for (const OperationId next : program_.graph.successors(id)) {
    if (--waits_for_[next] == 0) ready_.push_back(next);
  }
}

bool Replay::receive_some() {
  const auto count = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int finished = 0;
  const int code =
      MPI_Testsome(count, requests_.data(), &finished, indices_.data(), statuses_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
    require(code, communicator_.caller, "MPI_Testsome");
  if (finished == MPI_UNDEFINED || finished == 0) return false;
  const auto some = static_cast<std::size_t>(finished);
  for (std::size_t i = 0; i < some; ++i) {
    const Flight& flight = flights_[static_cast<std::size_t>(indices_[i])];
    if (code == MPI_ERR_IN_STATUS && statuses_[i].MPI_ERROR != MPI_SUCCESS)
      require(statuses_[i].MPI_ERROR, communicator_.caller, call_text(flight));
    arrived(flight, statuses_[i]);
  }
  // In descending order, so that the last entry, which fills the gap, is never a finished one.
  std::sort(indices_.begin(), indices_.begin() + finished, std::greater<>());
  for (std::size_t i = 0; i < some; ++i) {
    const auto gap = static_cast<std::size_t>(indices_[i]);
    requests_[gap] = requests_.back();
    flights_[gap] = flights_.back();
    requests_.pop_back();
    flights_.pop_back();
  }
  return true;
}

void Replay::arrived(const Flight& flight, const MPI_Status& status) {
  const OperationId id = flight.operation;
  if (program_.operations[id].work == Work::receive) {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (static_cast<std::uint64_t>(bytes) != flight.bytes) {
      throw BackendError(
          fmt::format("{}: {} brought {} bytes: the ranks do not run the same schedule",
                      communicator_.caller.text(), call_text(flight), bytes));
    }
    const OperationId write = feeds_[id];
    const bool in_order = write != kNoOperation && taken_[write] == flight.begin;
    // The write waits for nothing but this message.
    if (in_order && waits_for_[write] == 1) take(write, flight.begin + flight.bytes);
  }
  if (--segments_left_[id] != 0) return;
  if (program_.operations[id].work == Work::send)
    --sending_;
  else
    ++received_;
  complete(id);
}

void Replay::take(OperationId id, std::uint64_t bytes) {
  const Operation& operation = program_.operations[id];
  const std::uint64_t from = taken_[id];
  std::uint64_t position = 0;
  for (const Move& move : program_.moves_of(operation)) {
    const std::uint64_t begin = std::max(from, position);
    const std::uint64_t end = std::min(bytes, position + move.bytes);
    if (begin < end) {
      std::byte* to = arena_ + move.to + (begin - position);
      const std::byte* source = arena_ + move.from + (begin - position);
      if (move.reduces)
        options_.reduce(to, source, (end - begin) / options_.element);
      else
        std::memcpy(to, source, end - begin);
    }
    position += move.bytes;
  }
  taken_[id] = std::min(bytes, position);
}

std::string Replay::call_text(const Flight& flight) const {
  const Message& message = message_of(flight.operation);
  const bool sends = program_.operations[flight.operation].work == Work::send;
  return fmt::format("{} of {} bytes {} {}", sends ? "MPI_Isend" : "MPI_Irecv", flight.bytes,
                     sends ? "to" : "from", communicator_.caller.text(rank_of(message)));
}

void Replay::give_up(Time timeout) const {
  // Report a receive rather than a send, because a send may only wait for a receiver that is itself
  // waiting.
  const auto first = std::ranges::find_if(flights_, [&](const Flight& flight) {
    return program_.operations[flight.operation].work == Work::receive;
  });
  const std::string call = first != flights_.end() ? call_text(*first)
                           : flights_.empty()      ? "MPI_Testsome"
                                                   : call_text(flights_.front());
  throw BackendError(fmt::format("{}: {} has not returned for {} ({} messages are on their way)",
                                 communicator_.caller.text(), call, core::to_text(timeout),
                                 flights_.size()));
}

}  // namespace railyard::hw::mpi

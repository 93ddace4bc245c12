#include "collectives/workload/communications.hpp"

#include <map>
#include <tuple>
#include <unordered_map>

namespace railyard::collectives {
namespace {

auto key_of(const Operation& o) {
  return std::tuple(o.kind, o.collective, o.family, o.peer, o.is_relative, o.bytes.count(),
                    o.stream, o.rate_share, o.compute_share);
}

/// Numbers of transports: groups by family, messages by their ends.
class TransportNumbers {
 public:
  TransportNumbers(const Workload& workload, std::vector<Transport>& transports)
      : workload_(workload), transports_(transports), groups_(workload.families().size()) {
    for (std::size_t f = 0; f < groups_.size(); ++f)
      groups_[f].assign(workload.families()[f].groups.size(), Transport::kNone);
  }

  std::uint32_t of(const Operation& operation, std::uint32_t rank) {
    if (operation.kind == OperationKind::collective) {
      const std::uint32_t group = workload_.membership(operation.family, rank).group;
      std::uint32_t& number = groups_[operation.family][group];
      if (number == Transport::kNone) number = add({.family = operation.family, .group = group});
      return number;
    }
    const std::uint32_t peer = workload_.peer(operation, rank);
    const bool sends = operation.kind == OperationKind::send;
    const Transport message{.ends = {sends ? rank : peer, sends ? peer : rank}};
    const std::uint64_t ends = std::uint64_t{message.ends[0]} << 32 | message.ends[1];
    const auto [known, is_new] = messages_.try_emplace(ends, 0);
    if (is_new) known->second = add(message);
    return known->second;
  }

 private:
  std::uint32_t add(Transport transport) {
    transports_.push_back(transport);
    return static_cast<std::uint32_t>(transports_.size() - 1);
  }

  const Workload& workload_;
  std::vector<Transport>& transports_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::unordered_map<std::uint64_t, std::uint32_t> messages_;
};

}  // namespace

std::uint32_t Communications::shape_of(const Operation& operation) {
  const bool is_collective = operation.kind == OperationKind::collective;
  const Kind kind = is_collective ? operation.collective : Kind::send_recv;
  const bool rooted = is_collective && (kind == Kind::broadcast || kind == Kind::reduce);
  const auto root = rooted ? static_cast<std::uint32_t>(operation.peer) : 0;
  const auto [known, is_new] = shape_numbers_.try_emplace(
      {kind, operation.bytes.count(), root}, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new)
    shapes_.push_back(
        {.kind = kind, .bytes = operation.bytes, .type = DataType::uint8, .root = root});
  return known->second;
}

Communications::Communications(const Workload& workload) : workload_(workload) {
  for (const Program& program : workload.programs()) {
    auto& uses = uses_.emplace_back();
    auto& use_of = use_of_.emplace_back(program.operations.size(), kNone);
    std::map<decltype(key_of(Operation())), std::size_t> known;
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      const Operation& operation = program.operations[i];
      if (!is_communication(operation.kind)) continue;
      const auto [at, is_new] = known.try_emplace(key_of(operation), uses.size());
      if (is_new) uses.push_back({.operation = operation, .shape = shape_of(operation)});
      uses[at->second].operations.push_back(i);
      use_of[i] = static_cast<std::uint32_t>(at->second);
    }
  }
  TransportNumbers numbers(workload, transports_);
  for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank) {
    first_use_.push_back(load_of_.size());
    const auto& uses = uses_[workload.roles()[workload.role_of(rank)].program];
    for (std::uint32_t u = 0; u < uses.size(); ++u) {
      const Use& use = uses[u];
      const std::uint32_t transport = numbers.of(use.operation, rank);
      loads_of_transport_.resize(transports_.size());
      users_.resize(transports_.size());
      users_[transport].push_back({rank, u});
      std::uint32_t its = load(transport, use.shape);
      if (its == kNone) {
        its = static_cast<std::uint32_t>(loads_.size());
        loads_.push_back({transport, use.shape});
        loads_of_transport_[transport].push_back(its);
      }
      load_of_.push_back(its);
    }
  }
}

std::uint32_t Communications::load(std::uint32_t transport, std::uint32_t shape) const {
  for (const std::uint32_t its : loads_of_transport_[transport])
    if (loads_[its].shape == shape) return its;
  return kNone;
}

std::span<const std::uint32_t> Communications::ranks(const Load& load) const {
  const Transport& transport = transports_[load.transport];
  if (transport.is_message()) return transport.ends;
  return workload_.families()[transport.family].groups[transport.group];
}

bool Communications::moves_bytes(const Load& load) const {
  return ranks(load).size() > 1 && shapes_[load.shape].bytes != Bytes();
}

}  // namespace railyard::collectives

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/formats/traces/chakra_workload.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

constexpr std::uint64_t kMostNodes = 20'000'000;

/// The type of a collective in Chakra.
ChakraCollective type_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return ChakraCollective::all_reduce;
    case Kind::all_gather: return ChakraCollective::all_gather;
    case Kind::reduce_scatter: return ChakraCollective::reduce_scatter;
    case Kind::broadcast: return ChakraCollective::broadcast;
    case Kind::reduce: return ChakraCollective::reduce;
    case Kind::all_to_all: return ChakraCollective::all_to_all;
    case Kind::send_recv: break;
  }
  throw InputError("", "", "Chakra has no collective 'send_recv'",
                   "write it as sends and receives");
}

/// Writes the nodes of one rank.
class RankExport {
 public:
  RankExport(const Workload& workload, std::uint32_t rank)
      : workload_(workload), rank_(rank), program_(workload.program_of(rank)) {}

  ChakraTrace write() {
    trace_.version = "0.0.4";
    std::vector<std::uint32_t> last(program_.streams.size(), kNone);
    before_.assign(program_.operations.size(), kNone);
    for (std::uint32_t i = 0; i < program_.operations.size(); ++i) {
      const Operation& operation = program_.operations[i];
      if (operation.stream != Operation::kUnordered)
        before_[i] = std::exchange(last[operation.stream], i);
      trace_.nodes.push_back(node_of(i));
    }
    return std::move(trace_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  ChakraNode node_of(std::uint32_t number) {
    const Operation& operation = program_.operations[number];
    ChakraNode node{.id = number, .name = workload_.names()[operation.name]};
    add_dependencies(number, node);
    std::sort(node.dependencies.begin(), node.dependencies.end());
    node.dependencies.erase(std::unique(node.dependencies.begin(), node.dependencies.end()),
                            node.dependencies.end());
    constexpr std::int64_t kMicrosecond = 1'000'000;
    // A collective's start-up time has no place in the format: its node's duration is all of it.
    if (!is_communication(operation.kind))
      node.duration_us = static_cast<std::uint64_t>(
          (operation.duration.picoseconds() + kMicrosecond / 2) / kMicrosecond);
    node.runs_on_cpu = operation.kind == OperationKind::host;
    node.type = static_cast<std::uint64_t>(ChakraType::compute);
    if (operation.kind == OperationKind::copy)
      node.type = static_cast<std::uint64_t>(ChakraType::memory_load);
    if (operation.kind == OperationKind::collective)
      set_collective(operation, node);
    else if (is_communication(operation.kind))
      set_message(operation, node);
    return node;
  }

  /// The predecessors of an operation: the previous one on its stream, ends, and begins of sends.
  /// Any other begin is replaced by the predecessors of that operation.
  void add_dependencies(std::uint32_t number, ChakraNode& node) const {
    if (before_[number] != kNone) node.dependencies.push_back(before_[number]);
    for (const Dependency& other : program_.dependencies(number)) {
      const bool is_send = program_.operations[other.operation].kind == OperationKind::send;
      if (!other.on_begin || is_send)
        node.dependencies.push_back(other.operation);
      else if (other.operation < number)
        add_dependencies(other.operation, node);
    }
  }

  void set_collective(const Operation& operation, ChakraNode& node) {
    node.type = static_cast<std::uint64_t>(ChakraType::collective);
    node.comm_type = static_cast<std::int64_t>(type_of(operation.collective));
    const Workload::Membership membership = workload_.membership(operation.family, rank_);
    const GroupFamily& family = workload_.families()[operation.family];
    const auto size = static_cast<std::int64_t>(family.groups[membership.group].size());
    node.comm_size = operation.bytes.count();
    if (operation.collective == Kind::all_gather) node.comm_size /= size;
    if (size < static_cast<std::int64_t>(workload_.ranks()))
      node.group = fmt::format("{}/{}", family.name, membership.group);
    if (operation.peer > 0) node.root = operation.peer;
  }

  void set_message(const Operation& operation, ChakraNode& node) {
    const bool sends = operation.kind == OperationKind::send;
    node.type = static_cast<std::uint64_t>(sends ? ChakraType::send : ChakraType::receive);
    (sends ? node.destination : node.source) = workload_.peer(operation, rank_);
    node.comm_size = operation.bytes.count();
    node.tag = operation.tag;
  }

  const Workload& workload_;
  std::uint32_t rank_;
  const Program& program_;
  ChakraTrace trace_;
  std::vector<std::uint32_t> before_;  ///< on the stream of an operation
};

}  // namespace

std::vector<ChakraTrace> chakra_of_workload(const Workload& workload) {
  if (workload.operation_count() > kMostNodes)
    throw InputError("", "",
                     fmt::format("the workload has {} operations on all ranks; Chakra traces are "
                                 "written of at most {}",
                                 workload.operation_count(), kMostNodes));
  std::vector<ChakraTrace> traces;
  for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank)
    traces.push_back(RankExport(workload, rank).write());
  return traces;
}

}  // namespace railyard::collectives

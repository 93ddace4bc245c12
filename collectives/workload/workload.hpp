#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/diagnostic.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

enum class OperationKind : std::uint8_t { compute, collective, send, receive, copy, host };

/// An operation begins behind another of the same program: behind its end, or behind its begin.
struct Dependency {
  std::uint32_t operation = 0;  ///< index in the program
  bool on_begin = false;
};

/// Something that a rank does. What a kind does not name keeps its default.
///   compute, copy, host   `duration`: kernels, copies between GPU and host, gaps of the host
///   collective            `collective` of `bytes` (as in Collective) in the rank's group of
///                         `family`; `peer` is the root's position (broadcast, reduce)
///   send, receive         `bytes` to or from `peer`, a position in the rank's group of `family`.
///                         A message starts once both sides are there, and holds both streams until
///                         it has arrived
/// A collective or message of 0 bytes takes no time: a barrier, a dependency across ranks.
struct Operation {
  /// A stream that orders nothing: the operation begins as soon as its dependencies allow.
  static constexpr std::uint16_t kUnordered = std::numeric_limits<std::uint16_t>::max();

  OperationKind kind = OperationKind::compute;
  Kind collective = Kind::all_reduce;
  bool is_relative = false;  ///< `peer` counts from the rank's own position, cyclically
  std::uint16_t stream = 0;  ///< into Program::streams
  std::uint32_t name = 0;    ///< into Workload::names()
  std::uint32_t family = 0;  ///< into Workload::families()
  std::int32_t peer = 0;
  std::uint32_t tag = 0;  ///< of a message: matches that of the other side
  Time duration{};
  Bytes bytes{};
  /// Of a collective or message: the share of its rate alone that it gets in this workload (kernels
  /// beside it, limits of frameworks). It holds back hosts, not links between switches.
  float rate_share = 1;
  /// Of a collective or message: the share of its speed that computation on its ranks loses
  /// meanwhile.
  float compute_share = 0;
};

[[nodiscard]] std::string_view to_text(OperationKind kind);
/// Collectives, sends and receives.
[[nodiscard]] constexpr bool is_communication(OperationKind kind) {
  return kind == OperationKind::collective || kind == OperationKind::send ||
         kind == OperationKind::receive;
}

/// What a rank does, in the order in which its host issues it. Operations of a stream run one after
/// another in this order, as on a CUDA stream; streams run concurrently. The k-th collective of a
/// rank in a group meets the k-th of the others; the k-th message with a tag to a peer meets the
/// peer's k-th receive with it.
struct Program {
  std::vector<std::string> streams{};
  std::vector<Operation> operations{};
  /// Of operation i: after[after_ends[i - 1]] up to after[after_ends[i]].
  std::vector<Dependency> after{};
  std::vector<std::uint32_t> after_ends{};

  [[nodiscard]] std::span<const Dependency> dependencies(std::uint32_t operation) const {
    const std::uint32_t first = operation == 0 ? 0 : after_ends[operation - 1];
    return std::span(after).subspan(first, after_ends[operation] - first);
  }
};

/// Disjoint ordered groups of ranks that communicate: the tensor-parallel groups, for example. A
/// rank is in at most one of them. Also what messages name their peers by.
struct GroupFamily {
  std::string name{};
  std::vector<std::vector<std::uint32_t>> groups{};
};

/// Ranks that run the same program: the GPUs of a pipeline stage, for example.
struct WorkloadRole {
  std::string name{};
  std::uint32_t program = 0;
  std::vector<std::uint32_t> ranks{};
};

/// Operations on ranks 0..n-1 with dependencies: a training step, or a trace of one. Immutable, and
/// as large as its programs, not as its ranks: 16,384 GPUs of a step with 16 stages are 16
/// programs. Which GPU a rank sits on is told to who runs it.
///
/// Example: two ranks that compute for 1 ms, then sum 100 MB, are one role {0, 1} with a program of
/// two operations on one stream, and a family of one group {0, 1}.
class Workload {
 public:
  struct Parts {
    std::uint32_t ranks = 0;
    std::vector<std::string> names{};  ///< of operations
    std::vector<GroupFamily> families{};
    std::vector<Program> programs{};
    std::vector<WorkloadRole> roles{};
  };
  /// Throws InputError with each index out of range, each rank without a role or with two, each
  /// rank twice in a family, and each communication of a rank that its family does not hold.
  explicit Workload(Parts parts);

  [[nodiscard]] std::uint32_t ranks() const { return parts_.ranks; }
  [[nodiscard]] std::span<const std::string> names() const { return parts_.names; }
  [[nodiscard]] std::span<const GroupFamily> families() const { return parts_.families; }
  [[nodiscard]] std::span<const Program> programs() const { return parts_.programs; }
  [[nodiscard]] std::span<const WorkloadRole> roles() const { return parts_.roles; }

  [[nodiscard]] const Program& program_of(std::uint32_t rank) const {
    return parts_.programs[parts_.roles[role_of_[rank]].program];
  }
  [[nodiscard]] std::uint32_t role_of(std::uint32_t rank) const { return role_of_[rank]; }

  /// Where a rank stands in a family.
  struct Seat {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t group = kNone;  ///< kNone: in none
    std::uint32_t position = 0;
  };
  [[nodiscard]] Seat seat(std::uint32_t family, std::uint32_t rank) const {
    return seats_[family][rank];
  }
  /// The rank at the other end of a message of `rank`.
  [[nodiscard]] std::uint32_t peer(const Operation& message, std::uint32_t rank) const;
  /// "rank 3 (stage 1), operation 17 'F2' (send)".
  [[nodiscard]] std::string describe(std::uint32_t rank, std::uint32_t operation) const;
  /// Operations of all ranks together.
  [[nodiscard]] std::uint64_t operation_count() const;

 private:
  void check_peer(std::uint32_t rank, std::uint32_t operation, Diagnostics& problems) const;

  Parts parts_;
  std::vector<std::uint32_t> role_of_;
  std::vector<std::vector<Seat>> seats_;
};

/// Several workloads side by side, each from its own time on: their ranks follow one another, and
/// their roles and families get the prefix "NAME: " where one is given.
struct WorkloadJob {
  const Workload& workload;
  std::string name{};
  Time arrival{};
};
[[nodiscard]] Workload side_by_side(std::span<const WorkloadJob> jobs);

}  // namespace railyard::collectives

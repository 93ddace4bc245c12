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

/// A dependency on another operation of the same program: the operation begins after the other one
/// has ended or, with `on_begin`, has begun.
struct Dependency {
  std::uint32_t operation = 0;  ///< index in the program
  bool on_begin = false;
};

/// An operation of a rank. Each kind uses the following fields; the others keep their default.
///   compute, copy, host   `duration`: kernels, copies between GPU and host, gaps of the host
///   collective            `collective` of `bytes` (as in Collective) in the rank's group of
///                         `family`; `peer` is the root's position (broadcast, reduce).
///                         `duration`: start-up time before its bytes move, in addition to the
///                         time of the network (for example streams that wait for each other)
///   send, receive         `bytes` to or from `peer`, a position in the rank's group of `family`.
///                         A message starts when both sides have begun. Both streams are occupied
///                         until it has arrived
/// A collective or message of 0 bytes takes no time on the network. It acts as a barrier or as a
/// dependency between ranks.
struct Operation {
  /// No stream: the operation begins as soon as its dependencies allow.
  static constexpr std::uint16_t kUnordered = std::numeric_limits<std::uint16_t>::max();

  OperationKind kind = OperationKind::compute;
  Kind collective = Kind::all_reduce;
  bool is_relative = false;  ///< `peer` is relative to the rank's own position, cyclically
  std::uint16_t stream = 0;  ///< index into Program::streams
  std::uint32_t name = 0;    ///< index into Workload::names()
  std::uint32_t family = 0;  ///< index into Workload::families()
  std::int32_t peer = 0;
  std::uint32_t tag = 0;  ///< messages: equal on both sides
  Time duration{};
  Bytes bytes{};
  /// Collective or message: its rate in this workload / its rate alone (because of concurrent
  /// kernels or limits of frameworks). It applies inside hosts, not to links between switches.
  float rate_share = 1;
  /// Collective or message: the fraction of compute speed that its ranks lose while it runs.
  float compute_share = 0;
};

[[nodiscard]] std::string_view to_text(OperationKind kind);
/// Collectives, sends and receives.
[[nodiscard]] constexpr bool is_communication(OperationKind kind) {
  return kind == OperationKind::collective || kind == OperationKind::send ||
         kind == OperationKind::receive;
}

/// The operations of a rank in the order in which its host issues them. Operations of a stream run
/// one after another in this order, as on a CUDA stream. Streams run concurrently. The k-th
/// collective of a rank in a group matches the k-th collective of the other ranks in that group.
/// The k-th message to a peer with some tag matches the peer's k-th receive with that tag.
struct Program {
  std::vector<std::string> streams{};
  std::vector<Operation> operations{};
  /// Dependencies of operation i: after[j] for after_ends[i - 1] <= j < after_ends[i].
  std::vector<Dependency> after{};
  std::vector<std::uint32_t> after_ends{};

  [[nodiscard]] std::span<const Dependency> dependencies(std::uint32_t operation) const {
    const std::uint32_t first = operation == 0 ? 0 : after_ends[operation - 1];
    return std::span(after).subspan(first, after_ends[operation] - first);
  }
};

/// Disjoint, ordered groups of ranks that communicate, for example all tensor-parallel groups. A
/// rank is in at most one group of a family. Messages identify peers by their position in the
/// group.
struct GroupFamily {
  std::string name{};
  std::vector<std::vector<std::uint32_t>> groups{};
};

/// Ranks that run the same program, for example the GPUs of a pipeline stage.
struct WorkloadRole {
  std::string name{};
  std::uint32_t program = 0;
  std::vector<std::uint32_t> ranks{};
};

/// Operations on ranks 0..n-1 with dependencies, for example a training step or a trace of one.
/// Immutable. Its size grows with its programs, not with its ranks: a step with 16 pipeline stages
/// on 16,384 GPUs has 16 programs. The mapping of ranks to GPUs is an input of a run.
///
/// Example: two ranks compute for 1 ms and then all-reduce 100 MB. This is one role with ranks {0,
/// 1}, a program with two operations on one stream, and a family with the single group {0, 1}.
class Workload {
 public:
  struct Parts {
    std::uint32_t ranks = 0;
    std::vector<std::string> names{};  ///< of operations
    std::vector<GroupFamily> families{};
    std::vector<Program> programs{};
    std::vector<WorkloadRole> roles{};
  };
  /// Throws InputError with all problems: indices out of range, ranks without a role or with two,
  /// ranks that are twice in a family, and communication of ranks outside of its family.
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

  /// The group and position of a rank in a family.
  struct Membership {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t group = kNone;  ///< kNone: in no group
    std::uint32_t position = 0;
  };
  [[nodiscard]] Membership membership(std::uint32_t family, std::uint32_t rank) const {
    return memberships_[family][rank];
  }
  /// The rank at the other end of a message of `rank`.
  [[nodiscard]] std::uint32_t peer(const Operation& message, std::uint32_t rank) const;
  /// "rank 3 (stage 1), operation 17 'F2' (send)".
  [[nodiscard]] std::string describe(std::uint32_t rank, std::uint32_t operation) const;
  /// Number of operations of all ranks.
  [[nodiscard]] std::uint64_t operation_count() const;

 private:
  void check_peer(std::uint32_t rank, std::uint32_t operation, Diagnostics& problems) const;

  Parts parts_;
  std::vector<std::uint32_t> role_of_;
  std::vector<std::vector<Membership>> memberships_;
};

/// A workload that starts at `arrival`, with a name for the prefix "NAME: " of its roles and
/// families ("": no prefix).
struct WorkloadJob {
  const Workload& workload;
  std::string name{};
  Time arrival{};
};
/// Combines workloads into one that runs them concurrently. The ranks of a workload follow those of
/// the previous one.
[[nodiscard]] Workload side_by_side(std::span<const WorkloadJob> jobs);

}  // namespace railyard::collectives

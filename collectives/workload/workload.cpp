#include "collectives/workload/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using Memberships = std::vector<std::vector<Workload::Membership>>;

/// The group and position of each rank in each family.
Memberships memberships_of(const Workload::Parts& parts, Diagnostics& problems) {
  Memberships memberships(parts.families.size(), std::vector<Workload::Membership>(parts.ranks));
  for (std::size_t f = 0; f < parts.families.size(); ++f) {
    const GroupFamily& family = parts.families[f];
    for (std::size_t g = 0; g < family.groups.size(); ++g) {
      const auto& group = family.groups[g];
      for (std::size_t i = 0; i < group.size(); ++i) {
        const std::string where = fmt::format("/families/{}/groups/{}/{}", f, g, i);
        if (group[i] >= parts.ranks) {
          problems.add(where, fmt::format("rank {} of '{}' does not exist", group[i], family.name),
                       fmt::format("ranks are 0 to {}", parts.ranks - 1));
          continue;
        }
        Workload::Membership& membership = memberships[f][group[i]];
        if (membership.group != Workload::Membership::kNone)
          problems.add(where, fmt::format("rank {} is in '{}' twice", group[i], family.name),
                       "give the groups that overlap a family each");
        membership = {static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(i)};
      }
    }
  }
  return memberships;
}

std::vector<std::uint32_t> roles_of(const Workload::Parts& parts, Diagnostics& problems) {
  constexpr std::uint32_t kNone = Workload::Membership::kNone;
  std::vector<std::uint32_t> roles(parts.ranks, kNone);
  for (std::size_t r = 0; r < parts.roles.size(); ++r) {
    const WorkloadRole& role = parts.roles[r];
    const std::string where = fmt::format("/roles/{}", r);
    if (role.program >= parts.programs.size())
      problems.add(where + "/program", fmt::format("program {} does not exist", role.program));
    for (const std::uint32_t rank : role.ranks) {
      if (rank >= parts.ranks) {
        problems.add(where + "/ranks", fmt::format("rank {} does not exist", rank),
                     fmt::format("ranks are 0 to {}", parts.ranks - 1));
      } else if (roles[rank] != kNone) {
        problems.add(where + "/ranks", fmt::format("rank {} already has role '{}'", rank,
                                                   parts.roles[roles[rank]].name));
      } else {
        roles[rank] = static_cast<std::uint32_t>(r);
      }
    }
  }
  for (std::uint32_t rank = 0; rank < parts.ranks; ++rank)
    if (roles[rank] == kNone)
      problems.add("/roles", fmt::format("rank {} is missing: no role lists it", rank));
  return roles;
}

void check_operation(const Workload::Parts& parts, const Program& program, std::uint32_t index,
                     const std::string& where, Diagnostics& problems) {
  const Operation& operation = program.operations[index];
  if (operation.stream != Operation::kUnordered && operation.stream >= program.streams.size())
    problems.add(where + "/stream", fmt::format("stream {} does not exist", operation.stream));
  if (operation.name >= parts.names.size())
    problems.add(where, fmt::format("name {} does not exist", operation.name));
  if (operation.duration < Time()) problems.add(where + "/duration", "is negative");
  if (operation.bytes < Bytes()) problems.add(where + "/bytes", "is negative");
  if (!(operation.rate_share > 0) || operation.rate_share > 1)
    problems.add(where + "/rate_share", "must lie above 0 and be at most 1");
  if (!(operation.compute_share >= 0) || operation.compute_share >= 1)
    problems.add(where + "/compute_share", "must be at least 0 and below 1");
  if (is_communication(operation.kind) && operation.family >= parts.families.size())
    problems.add(where + "/family", fmt::format("family {} does not exist", operation.family));
  for (const Dependency& other : program.dependencies(index)) {
    if (other.operation >= program.operations.size())
      problems.add(where + "/after", fmt::format("operation {} does not exist", other.operation));
    if (other.operation == index) problems.add(where + "/after", "waits for itself");
  }
}

void check_programs(const Workload::Parts& parts, Diagnostics& problems) {
  for (std::size_t p = 0; p < parts.programs.size(); ++p) {
    const Program& program = parts.programs[p];
    const std::string where = fmt::format("/programs/{}", p);
    if (program.after_ends.size() != program.operations.size() ||
        (!program.after_ends.empty() && program.after_ends.back() != program.after.size()) ||
        !std::is_sorted(program.after_ends.begin(), program.after_ends.end())) {
      problems.add(where, "dependencies do not match the operations");
      continue;
    }
    for (std::uint32_t i = 0; i < program.operations.size(); ++i)
      check_operation(parts, program, i, fmt::format("{}/operations/{}", where, i), problems);
  }
}

/// The position of a message's peer in a group. It may be out of range.
std::int64_t peer_position(const Operation& message, std::uint32_t own, std::size_t size) {
  if (!message.is_relative) return message.peer;
  const auto n = static_cast<std::int64_t>(size);
  return ((static_cast<std::int64_t>(own) + message.peer) % n + n) % n;
}

/// The first communication of each family and peer.
std::vector<std::uint32_t> different_peers(const Program& program) {
  std::set<std::tuple<std::uint32_t, std::int32_t, bool, bool>> seen;
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
    const Operation& its = program.operations[i];
    const bool is_collective = its.kind == OperationKind::collective;
    if (is_communication(its.kind) &&
        seen.emplace(its.family, its.peer, its.is_relative, is_collective).second)
      first.push_back(i);
  }
  return first;
}

}  // namespace

std::string_view to_text(OperationKind kind) {
  static constexpr std::array<std::string_view, 6> kNames{"compute", "collective", "send",
                                                          "receive", "copy",       "host"};
  return kNames[static_cast<std::size_t>(kind)];
}

Workload::Workload(Parts parts) : parts_(std::move(parts)) {
  Diagnostics problems("");
  role_of_ = roles_of(parts_, problems);
  memberships_ = memberships_of(parts_, problems);
  check_programs(parts_, problems);
  problems.throw_if_any();
  for (const WorkloadRole& role : parts_.roles) {
    const std::vector<std::uint32_t> shown = different_peers(parts_.programs[role.program]);
    for (const std::uint32_t rank : role.ranks)
      for (const std::uint32_t i : shown) check_peer(rank, i, problems);
  }
  problems.throw_if_any();
}

void Workload::check_peer(std::uint32_t rank, std::uint32_t index, Diagnostics& problems) const {
  const Operation& operation = program_of(rank).operations[index];
  const Membership own = memberships_[operation.family][rank];
  const GroupFamily& family = parts_.families[operation.family];
  if (own.group == Membership::kNone) {
    problems.add(
        "", fmt::format("{}: no group of '{}' holds the rank", describe(rank, index), family.name));
    return;
  }
  const auto& group = family.groups[own.group];
  const std::int64_t peer = peer_position(operation, own.position, group.size());
  if (peer < 0 || peer >= static_cast<std::int64_t>(group.size()))
    problems.add("", fmt::format("{}: position {} is not in its group of {} ranks",
                                 describe(rank, index), operation.peer, group.size()));
  else if (operation.kind != OperationKind::collective && peer == own.position)
    problems.add("", fmt::format("{}: the rank is its own peer", describe(rank, index)));
}

std::uint32_t Workload::peer(const Operation& message, std::uint32_t rank) const {
  const Membership own = membership(message.family, rank);
  const auto& group = parts_.families[message.family].groups[own.group];
  return group[static_cast<std::size_t>(peer_position(message, own.position, group.size()))];
}

std::string Workload::describe(std::uint32_t rank, std::uint32_t operation) const {
  const Operation& its = program_of(rank).operations[operation];
  const std::string& role = parts_.roles[role_of_[rank]].name;
  const std::string named = role.empty() ? "" : fmt::format(" ({})", role);
  return fmt::format("rank {}{}, operation {} '{}' ({})", rank, named, operation,
                     parts_.names[its.name], to_text(its.kind));
}

std::uint64_t Workload::operation_count() const {
  std::uint64_t count = 0;
  for (const WorkloadRole& role : parts_.roles)
    count += role.ranks.size() * parts_.programs[role.program].operations.size();
  return count;
}

namespace {

/// The program with a delay: operations without predecessors begin after `arrival`.
Program arriving(Program program, std::uint32_t name, Time arrival) {
  if (arrival <= Time()) return program;
  Program late;
  late.streams = std::move(program.streams);
  late.operations.push_back({.kind = OperationKind::host,
                             .stream = Operation::kUnordered,
                             .name = name,
                             .duration = arrival});
  late.after_ends.push_back(0);
  for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
    late.operations.push_back(program.operations[i]);
    late.after.push_back({0});
    for (const Dependency& other : program.dependencies(i))
      late.after.push_back({other.operation + 1, other.on_begin});
    late.after_ends.push_back(static_cast<std::uint32_t>(late.after.size()));
  }
  return late;
}

}  // namespace

Workload side_by_side(std::span<const WorkloadJob> jobs) {
  Workload::Parts all;
  for (const WorkloadJob& job : jobs) {
    const Workload& w = job.workload;
    const std::uint32_t first = all.ranks;
    const auto names = static_cast<std::uint32_t>(all.names.size());
    const auto families = static_cast<std::uint32_t>(all.families.size());
    const auto programs = static_cast<std::uint32_t>(all.programs.size());
    const std::string prefix = job.name.empty() ? "" : job.name + ": ";
    all.ranks += w.ranks();
    all.names.insert(all.names.end(), w.names().begin(), w.names().end());
    const auto arrival = static_cast<std::uint32_t>(all.names.size());
    if (job.arrival > Time()) all.names.emplace_back("arrival");
    for (GroupFamily family : w.families()) {
      family.name = prefix + family.name;
      for (auto& group : family.groups)
        for (std::uint32_t& rank : group) rank += first;
      all.families.push_back(std::move(family));
    }
    for (Program program : w.programs()) {
      for (Operation& operation : program.operations) {
        operation.name += names;
        operation.family += is_communication(operation.kind) ? families : 0;
      }
      all.programs.push_back(arriving(std::move(program), arrival, job.arrival));
    }
    for (WorkloadRole role : w.roles()) {
      role.name = role.name.empty() ? job.name : prefix + role.name;
      role.program += programs;
      for (std::uint32_t& rank : role.ranks) rank += first;
      all.roles.push_back(std::move(role));
    }
  }
  return Workload(std::move(all));
}

}  // namespace railyard::collectives

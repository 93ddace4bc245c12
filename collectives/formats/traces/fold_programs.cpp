#include "collectives/formats/traces/fold_programs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/digest.hpp"

namespace railyard::collectives {
namespace {

auto fields_of(const Operation& its) {
  return std::tuple(its.kind, its.collective, its.is_relative, its.stream, its.name, its.family,
                    its.peer, its.tag, its.duration, its.bytes, its.rate_share, its.compute_share);
}

bool are_equal(const Program& a, const Program& b) {
  const auto same_operation = [](const Operation& x, const Operation& y) {
    return fields_of(x) == fields_of(y);
  };
  const auto same_dependency = [](const Dependency& x, const Dependency& y) {
    return x.operation == y.operation && x.on_begin == y.on_begin;
  };
  return a.streams == b.streams && a.after_ends == b.after_ends &&
         std::ranges::equal(a.operations, b.operations, same_operation) &&
         std::ranges::equal(a.after, b.after, same_dependency);
}

/// A hash of the fields that usually differ: equal programs have equal hashes.
std::uint64_t number_of(const Program& program) {
  core::Fnv1a number;
  number.add(program.operations.size());
  for (const Operation& its : program.operations) {
    number.add(static_cast<std::uint64_t>(its.duration.picoseconds()));
    number.add(static_cast<std::uint64_t>(its.bytes.count()) + its.tag);
    number.add(static_cast<std::uint64_t>(its.peer) + its.name);
  }
  return number.value();
}

/// The group and position of each rank in a family.
struct Positions {
  std::vector<std::uint32_t> of_rank, size;
};
Positions positions_in(const GroupFamily& family, std::uint32_t ranks) {
  Positions positions{std::vector<std::uint32_t>(ranks, 0), std::vector<std::uint32_t>(ranks, 1)};
  for (const auto& group : family.groups) {
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      positions.of_rank[group[i]] = i;
      positions.size[group[i]] = static_cast<std::uint32_t>(group.size());
    }
  }
  return positions;
}

}  // namespace

void fold_programs(Workload::Parts& parts) {
  std::vector<Positions> positions;
  for (const GroupFamily& family : parts.families)
    positions.push_back(positions_in(family, parts.ranks));
  std::vector<WorkloadRole> roles;
  std::map<std::uint64_t, std::vector<std::size_t>> known;  // roles by number
  for (WorkloadRole& role : parts.roles) {
    Program& program = parts.programs[role.program];
    const std::uint32_t rank = role.ranks.front();
    for (Operation& its : program.operations) {
      const bool is_message = its.kind == OperationKind::send || its.kind == OperationKind::receive;
      if (!is_message || its.is_relative || role.ranks.size() > 1) continue;
      const std::uint32_t size = positions[its.family].size[rank];
      const std::uint32_t own = positions[its.family].of_rank[rank];
      its.is_relative = true;
      its.peer =
          static_cast<std::int32_t>((static_cast<std::uint32_t>(its.peer) + size - own) % size);
    }
    std::vector<std::size_t>& alike = known[number_of(program)];
    const auto same = std::ranges::find_if(alike, [&](std::size_t other) {
      return are_equal(parts.programs[roles[other].program], program);
    });
    if (same == alike.end()) {
      alike.push_back(roles.size());
      roles.push_back(std::move(role));
    } else {
      auto& ranks = roles[*same].ranks;
      ranks.insert(ranks.end(), role.ranks.begin(), role.ranks.end());
      program = {};
    }
  }
  std::vector<Program> programs;
  for (WorkloadRole& role : roles) {
    std::ranges::sort(role.ranks);
    programs.push_back(std::move(parts.programs[role.program]));
    role.program = static_cast<std::uint32_t>(programs.size() - 1);
  }
  parts.roles = std::move(roles);
  parts.programs = std::move(programs);
}

}  // namespace railyard::collectives

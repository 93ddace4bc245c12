#pragma once

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/workload/program_builder.hpp"
#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Ranks 0 to `count` - 1.
inline std::vector<std::uint32_t> first_ranks(std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

/// The family "all": one group of all ranks.
inline std::vector<GroupFamily> all_ranks(std::uint32_t count) {
  return {{.name = "all", .groups = {first_ranks(count)}}};
}

/// A workload whose ranks have a program each.
class RankPrograms {
 public:
  explicit RankPrograms(std::uint32_t ranks) : RankPrograms(ranks, all_ranks(ranks)) {}
  RankPrograms(std::uint32_t ranks, std::vector<GroupFamily> families)
      : families_(std::move(families)) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) builders_.emplace_back(names_);
  }
  RankPrograms(const RankPrograms&) = delete;
  RankPrograms& operator=(const RankPrograms&) = delete;

  ProgramBuilder& operator[](std::size_t rank) { return builders_[rank]; }
  /// The operations that were added since the last call.
  Workload workload() {
    Workload::Parts parts{.ranks = static_cast<std::uint32_t>(builders_.size()),
                          .families = families_};
    for (std::uint32_t rank = 0; rank < parts.ranks; ++rank) {
      parts.programs.push_back(builders_[rank].take());
      parts.roles.push_back({.name = "", .program = rank, .ranks = {rank}});
    }
    parts.names = names_.names();
    return Workload(std::move(parts));
  }

 private:
  NameTable names_;
  std::vector<GroupFamily> families_;
  std::vector<ProgramBuilder> builders_;
};

/// A workload whose ranks all run the program that `write` adds operations to. `parts` has the
/// ranks and the families.
template <class Write>
Workload one_program(Workload::Parts parts, Write write) {
  NameTable names;
  ProgramBuilder builder(names);
  write(builder);
  parts.programs = {builder.take()};
  parts.roles = {{.name = "all", .program = 0, .ranks = first_ranks(parts.ranks)}};
  parts.names = names.names();
  return Workload(std::move(parts));
}

inline std::uint32_t compute(ProgramBuilder& program, std::string_view name, Time time,
                             std::initializer_list<std::uint32_t> after = {}) {
  return program.add(name, {.stream = program.stream("compute"), .duration = time}, after);
}
inline std::uint32_t message(ProgramBuilder& program, OperationKind kind, std::string_view stream,
                             int peer, Bytes bytes,
                             std::initializer_list<std::uint32_t> after = {}) {
  return program.add(to_text(kind),
                     {.kind = kind, .stream = program.stream(stream), .peer = peer, .bytes = bytes},
                     after);
}
inline std::uint32_t all_reduce(ProgramBuilder& program, std::string_view stream, Bytes bytes,
                                std::initializer_list<std::uint32_t> after = {}) {
  return program.add(
      "all_reduce",
      {.kind = OperationKind::collective, .stream = program.stream(stream), .bytes = bytes}, after);
}

}  // namespace railyard::collectives

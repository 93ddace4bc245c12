#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "collectives/workload/workload.hpp"
#include "core/config/fields.hpp"

namespace railyard::collectives {

/// A workload in the form of its file (workload_json.hpp).
struct OperationText {
  std::optional<OperationKind> kind{};
  std::optional<std::int64_t> like{};  ///< index of an entry to copy; see like_operations.hpp
  std::string name{};
  std::string stream{};  ///< "": ordered only by dependencies
  Time duration{};
  std::optional<Kind> collective{};
  Bytes bytes{};
  std::string family{};
  std::optional<std::int64_t> peer{}, offset{};
  std::int64_t root = 0, tag = 0;
  double rate_share = 1, compute_share = 0;
  std::vector<std::int64_t> after{}, after_begin{};
  std::int64_t name_step = 0, tag_step = 0;  ///< increments per repetition of a RepeatText
  std::vector<std::int64_t> after_step{}, after_begin_step{};
};
/// Entries [first, first + count) of the list of operations run `times` times.
struct RepeatText {
  std::int64_t first = 0, count = 1, times = 2;
};
struct ProgramText {
  std::vector<OperationText> operations{};
  std::vector<RepeatText> repeats{};
};
struct FamilyText {
  std::string name{};
  std::vector<std::vector<std::int64_t>> groups{};
};
struct RoleText {
  std::string name{};
  std::int64_t program = 0;
  std::vector<std::int64_t> ranks{};
};
struct WorkloadFile {
  std::int64_t ranks = 0;
  std::vector<FamilyText> families{};
  std::vector<ProgramText> programs{};
  std::vector<RoleText> roles{};
};

}  // namespace railyard::collectives

namespace railyard {

template <>
struct core::EnumNames<collectives::OperationKind> {
  using K = collectives::OperationKind;
  static constexpr std::array<std::pair<K, std::string_view>, 6> table{
      {{K::compute, "compute"},
       {K::collective, "collective"},
       {K::send, "send"},
       {K::receive, "receive"},
       {K::copy, "copy"},
       {K::host, "host"}}};
};

template <>
struct core::Fields<collectives::OperationText> {
  using T = collectives::OperationText;
  static constexpr std::string_view
      name = "WorkloadOperation",
      doc = "An operation of a rank: compute, copy, host work, a collective or a message.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr double kMost = 4294967295.0;
    field("kind", &T::kind, "kind of operation; required without `like`");
    field("like", &T::like, core::FieldOptions{.minimum = 0, .maximum = kMost},
          "index of an earlier operation in the list, from 0. This operation copies all its "
          "settings except tag, `after`, `after_begin`, their steps, and a name given here");
    field("name", &T::name, "name in timelines");
    field("stream", &T::stream,
          "stream; its operations run in order. Left out: ordered by dependencies only");
    field("duration", &T::duration,
          "compute, copy, host: duration; collective: start-up time before its bytes move, in "
          "addition to the time of the network");
    field("collective", &T::collective, "collective: its kind");
    field("bytes", &T::bytes, "collective (as nccl-tests counts) or message: size");
    field("family", &T::family, "collective, message: family whose groups communicate");
    field("peer", &T::peer, core::FieldOptions{.minimum = 0, .maximum = kMost},
          "message: position of the other rank in the group");
    field("offset", &T::offset, core::FieldOptions{.minimum = -kMost / 2, .maximum = kMost / 2},
          "message: position of the other rank minus the rank's own position, cyclically; instead "
          "of `peer`");
    field("root", &T::root, core::FieldOptions{.minimum = 0, .maximum = kMost / 2},
          "broadcast, reduce: position of the root in the group");
    field("tag", &T::tag, core::FieldOptions{.minimum = 0, .maximum = kMost},
          "message: tag, equal on both sides");
    field("rate_share", &T::rate_share, core::FieldOptions{.minimum = 0, .maximum = 1},
          "collective, message: rate / rate alone");
    field("compute_share", &T::compute_share, core::FieldOptions{.minimum = 0, .maximum = 1},
          "collective, message: share of compute speed that its ranks lose meanwhile");
    field("after", &T::after,
          "indices of operations of the program that end before this one begins");
    field("after_begin", &T::after_begin,
          "indices of operations of the program that begin before this one begins");
    constexpr core::FieldOptions kStep{.minimum = -kMost, .maximum = kMost};
    field("name_step", &T::name_step, kStep,
          "in a repeat: increment of the first number in the name per repetition");
    field("tag_step", &T::tag_step, kStep, "in a repeat: increment of the tag per repetition");
    field("after_step", &T::after_step, kStep,
          "in a repeat: increments of the numbers in `after` per repetition; left out: the number "
          "of repeated operations");
    field("after_begin_step", &T::after_begin_step, kStep,
          "in a repeat: the same for `after_begin`");
  }
  static void check(const T& o, core::Problems& problems) {
    if (!o.after_step.empty() && o.after_step.size() != o.after.size())
      problems.add("after_step", "has one number for each of `after`, or none");
    if (!o.after_begin_step.empty() && o.after_begin_step.size() != o.after_begin.size())
      problems.add("after_begin_step", "has one number for each of `after_begin`, or none");
    if (o.like) {
      if (o.kind || !o.stream.empty() || o.duration != Time() || o.collective ||
          o.bytes != Bytes() || !o.family.empty() || o.peer || o.offset || o.root != 0 ||
          o.rate_share != 1 || o.compute_share != 0)
        problems.add("like",
                     "an operation with `like` has only a name, a tag, `after`, `after_begin` "
                     "and steps of its own");
      if (o.name.empty() && o.name_step != 0)
        problems.add("name_step", "a name taken from `like` is taken with its step");
      return;
    }
    if (!o.kind) return problems.add("kind", "is missing");
    using K = collectives::OperationKind;
    const bool talks = collectives::is_communication(*o.kind);
    if (talks && o.family.empty()) problems.add("family", "is missing");
    if (talks && *o.kind != K::collective && o.duration != Time())
      problems.add("duration", "a message has none: its bytes give its time");
    if (!talks && (!o.family.empty() || o.bytes != Bytes()))
      problems.add("kind", "only collectives and messages have a family and bytes");
    if ((o.kind == K::collective) != o.collective.has_value())
      problems.add("collective", "is given for collectives, and for nothing else");
    const bool is_message = o.kind == K::send || o.kind == K::receive;
    if (is_message && o.peer.has_value() == o.offset.has_value())
      problems.add("peer", "a message has either a peer or an offset");
    if (!is_message && (o.peer || o.offset))
      problems.add("peer", "only messages have a peer or an offset");
    if (!is_message && o.tag_step != 0) problems.add("tag_step", "only messages have a tag");
  }
};

template <>
struct core::Fields<collectives::RepeatText> {
  using T = collectives::RepeatText;
  static constexpr std::string_view name = "WorkloadRepeat",
                                    doc = "Consecutive operations that run several times.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr double kMost = 4294967295.0;
    field("first", &T::first, core::FieldOptions{.required = true, .minimum = 0, .maximum = kMost},
          "index of the first repeated operation, from 0");
    field("count", &T::count, core::FieldOptions{.required = true, .minimum = 1, .maximum = kMost},
          "number of repeated operations");
    field("times", &T::times, core::FieldOptions{.required = true, .minimum = 1, .maximum = kMost},
          "number of runs");
  }
};

template <>
struct core::Fields<collectives::ProgramText> {
  using T = collectives::ProgramText;
  static constexpr std::string_view name = "WorkloadProgram",
                                    doc = "Operations of a rank in the order of issue.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("operations", &T::operations, core::required, "operations in issue order");
    field("repeats", &T::repeats,
          "repeated parts of the list, in order; indices in `after` count every repetition");
  }
};

template <>
struct core::Fields<collectives::FamilyText> {
  using T = collectives::FamilyText;
  static constexpr std::string_view name = "WorkloadFamily",
                                    doc = "Disjoint ordered groups of ranks that communicate.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the family");
    field("groups", &T::groups, core::required, "ranks of each group");
  }
};

template <>
struct core::Fields<collectives::RoleText> {
  using T = collectives::RoleText;
  static constexpr std::string_view name = "WorkloadRole", doc = "Ranks that run the same program.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, "name of the role");
    field("program", &T::program, core::required, "index of the program");
    field("ranks", &T::ranks, core::required, "ranks with this role");
  }
};

template <>
struct core::Fields<collectives::WorkloadFile> {
  using T = collectives::WorkloadFile;
  static constexpr std::string_view
      name = "Workload",
      doc = "Operations on ranks with dependencies, for example a training step or a trace of one.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("ranks", &T::ranks, core::FieldOptions{.required = true, .minimum = 1, .maximum = 4e9},
          "number of ranks");
    field("families", &T::families, "families of communicating groups");
    field("programs", &T::programs, core::required, "programs, numbered from 0");
    field("roles", &T::roles, core::required, "program of each rank");
  }
};

}  // namespace railyard

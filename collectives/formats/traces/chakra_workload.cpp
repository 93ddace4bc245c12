#include "collectives/formats/traces/chakra_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "collectives/formats/traces/fold_programs.hpp"
#include "collectives/formats/traces/operation_order.hpp"
#include "collectives/formats/traces/traced_ranks.hpp"
#include "collectives/workload/program_builder.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

constexpr std::int64_t kMostMicroseconds = 1'000'000'000'000;

struct KindName {
  ChakraCollective chakra;
  Kind kind;
};
constexpr std::array kKinds{KindName{ChakraCollective::all_reduce, Kind::all_reduce},
                            KindName{ChakraCollective::reduce, Kind::reduce},
                            KindName{ChakraCollective::all_gather, Kind::all_gather},
                            KindName{ChakraCollective::broadcast, Kind::broadcast},
                            KindName{ChakraCollective::all_to_all, Kind::all_to_all},
                            KindName{ChakraCollective::reduce_scatter, Kind::reduce_scatter},
                            KindName{ChakraCollective::reduce_scatter_block, Kind::reduce_scatter},
                            KindName{ChakraCollective::barrier, Kind::all_reduce}};

/// Tag of messages that gathers and scatters consist of. It is larger than all tags of traces.
constexpr std::uint32_t kRootedTag = 1U << 31;

bool is_rooted(const ChakraNode& node) {
  return node.type == static_cast<std::uint64_t>(ChakraType::collective) &&
         (node.comm_type == static_cast<std::int64_t>(ChakraCollective::gather) ||
          node.comm_type == static_cast<std::int64_t>(ChakraCollective::scatter));
}

/// Counts over all ranks.
struct Counts {
  std::uint64_t priced = 0;    ///< computation from num_ops
  std::uint64_t timeless = 0;  ///< computation and memory without any time
  std::uint64_t metadata = 0;
  std::uint64_t barriers = 0;
  std::uint64_t rooted = 0;  ///< gathers and scatters
  std::uint64_t inferred_groups = 0;
};

/// Process groups by name: the given ones, otherwise the ranks whose traces use the name.
class Groups {
 public:
  Groups(std::span<const ChakraRank> ranks, const TraceImport& import) : given_(import.groups) {
    for (const ChakraRank& rank : ranks) {
      for (const ChakraNode& node : rank.trace.nodes) {
        if (node.type == static_cast<std::uint64_t>(ChakraType::collective) &&
            !node.group.empty() && !given_.contains(node.group))
          used_[node.group].insert(rank.rank);
      }
    }
    for (const auto& [name, members] : used_) given_[name].assign(members.begin(), members.end());
  }
  [[nodiscard]] const std::vector<std::uint32_t>& ranks(const std::string& name) const {
    return given_.at(name);
  }
  [[nodiscard]] std::size_t inferred() const { return used_.size(); }

 private:
  std::map<std::string, std::vector<std::uint32_t>> given_;
  std::map<std::string, std::set<std::uint32_t>> used_;
};

/// Makes the program of one rank.
class RankProgram {
 public:
  RankProgram(const ChakraRank& rank, const TracedRanks& ranks, const Groups& groups,
              FamilyTable& families, NameTable& names, const TraceImport& import, Counts& counts)
      : rank_(rank),
        ranks_(ranks),
        groups_(groups),
        families_(families),
        builder_(names),
        import_(import),
        counts_(counts),
        problems_(rank.file) {}

  Program build() {
    const std::vector<std::uint32_t> order = issue_order_of_nodes();
    std::vector<Dependency> after;
    for (const std::uint32_t i : order) {
      const ChakraNode& node = rank_.trace.nodes[i];
      after.clear();
      for (const std::uint64_t id : node.dependencies) {
        const std::uint32_t other = number_.at(id);
        const bool is_send =
            rank_.trace.nodes[other].type == static_cast<std::uint64_t>(ChakraType::send);
        after.push_back({.operation = place_[other], .on_begin = is_send});
      }
      place_[i] = is_rooted(node) ? add_rooted(node, after)
                                  : builder_.add(node.name, operation_of(node),
                                                 std::span<const Dependency>(after));
    }
    problems_.throw_if_any();
    return builder_.take();
  }

 private:
  void problem(const ChakraNode& node, std::string message, std::string hint = {}) {
    constexpr std::size_t kLongestName = 60;
    problems_.add(fmt::format("node {} '{}'", node.id, node.name.substr(0, kLongestName)),
                  std::move(message), std::move(hint));
  }

  std::vector<std::uint32_t> issue_order_of_nodes() {
    const std::vector<ChakraNode>& nodes = rank_.trace.nodes;
    const auto count = static_cast<std::uint32_t>(nodes.size());
    number_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) number_.emplace(nodes[i].id, i);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const std::uint64_t id : nodes[i].dependencies) {
        const auto found = number_.find(id);
        if (found == number_.end())
          problem(nodes[i], fmt::format("depends on node {}, which the file does not have", id));
        else
          edges.emplace_back(found->second, i);
      }
    }
    problems_.throw_if_any();
    std::vector<std::uint32_t> circle;
    auto order = issue_order(count, edges, circle);
    if (!order) {
      problem(nodes[circle.front()],
              fmt::format("is one of {} nodes that depend on each other", circle.size()));
      problems_.throw_if_any();
    }
    place_.resize(count);
    return *std::move(order);
  }

  Operation operation_of(const ChakraNode& node) {
    if (node.type > static_cast<std::uint64_t>(ChakraType::collective)) {
      problem(node, fmt::format("is of type {}, which Chakra 0.0.4 does not have", node.type));
      return {};
    }
    switch (static_cast<ChakraType>(node.type)) {
      case ChakraType::compute: return computation(node);
      case ChakraType::memory_load:
      case ChakraType::memory_store: return memory(node);
      case ChakraType::send:
      case ChakraType::receive: return message(node);
      case ChakraType::collective: return collective(node);
      case ChakraType::metadata:
        ++counts_.metadata;
        return {.kind = OperationKind::host, .stream = Operation::kUnordered};
      case ChakraType::invalid: break;
    }
    problem(node, "is of the type 'invalid'");
    return {};
  }

  Time recorded(const ChakraNode& node) {
    if (node.duration_us > static_cast<std::uint64_t>(kMostMicroseconds)) {
      problem(node, fmt::format("takes {} us, more than 11 days", node.duration_us));
      return {};
    }
    return Time::microseconds(static_cast<std::int64_t>(node.duration_us));
  }

  Operation computation(const ChakraNode& node) {
    Operation operation{.kind = node.runs_on_cpu ? OperationKind::host : OperationKind::compute,
                        .stream = builder_.stream(node.runs_on_cpu ? "host" : "compute"),
                        .duration = recorded(node)};
    if (node.duration_us > 0) return operation;
    if (node.operations <= 0 && node.tensor_size <= 0) {
      ++counts_.timeless;
    } else if (!import_.price) {
      problem(node, "has no duration, and its operations cannot be priced without a GPU");
    } else {
      ++counts_.priced;
      operation.duration =
          import_.price(static_cast<double>(std::max<std::int64_t>(node.operations, 0)),
                        static_cast<double>(std::max<std::int64_t>(node.tensor_size, 0)));
    }
    return operation;
  }

  Operation memory(const ChakraNode& node) {
    Operation operation = computation(node);
    operation.kind = OperationKind::copy;
    operation.stream = builder_.stream("memory");
    return operation;
  }

  bool has_size(const ChakraNode& node) {
    constexpr std::int64_t kMost = std::int64_t{1} << 50;
    if (node.comm_size < 0)
      problem(node, "has no comm_size");
    else if (node.comm_size > kMost)
      problem(node, fmt::format("has a comm_size of {} bytes", node.comm_size));
    return node.comm_size >= 0 && node.comm_size <= kMost;
  }

  Operation message(const ChakraNode& node) {
    const bool sends = node.type == static_cast<std::uint64_t>(ChakraType::send);
    const std::int64_t peer = sends ? node.destination : node.source;
    const std::string_view attribute = sends ? "comm_dst" : "comm_src";
    if (!has_size(node)) return {};
    if (peer < 0) {
      problem(node, fmt::format("has no {}", attribute));
    } else if (peer >= ranks_.world() || peer == rank_.rank) {
      problem(node, fmt::format("has rank {} as {} on rank {}; the job has ranks 0 to {}", peer,
                                attribute, rank_.rank, ranks_.world() - 1));
    } else if (!ranks_.is_complete()) {
      problem(node, "is a message, and not all ranks have a trace", "give a file for each rank");
    } else {
      return {.kind = sends ? OperationKind::send : OperationKind::receive,
              .stream = Operation::kUnordered,
              .family = families_.world_family(),
              .peer = static_cast<std::int32_t>(peer),
              .tag = static_cast<std::uint32_t>(std::max<std::int64_t>(node.tag, 0)),
              .duration = Time(),
              .bytes = Bytes(node.comm_size)};
    }
    return {};
  }

  Operation collective(const ChakraNode& node) {
    const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& known) {
      return static_cast<std::int64_t>(known.chakra) == node.comm_type;
    });
    if (found == kKinds.end()) {
      problem(node, node.comm_type < 0
                        ? "has no comm_type"
                        : fmt::format("is a collective of type {}, which is not supported",
                                      node.comm_type));
      return {};
    }
    if (names_dimensions(node)) return {};
    const bool is_barrier = found->chakra == ChakraCollective::barrier;
    if (!is_barrier && !has_size(node)) return {};
    counts_.barriers += is_barrier ? 1 : 0;
    return in_group(node, found->kind, is_barrier ? 4 : node.comm_size);
  }

  bool names_dimensions(const ChakraNode& node) {
    if (std::find(node.involved_dims.begin(), node.involved_dims.end(), false) ==
        node.involved_dims.end())
      return false;
    problem(node, "names dimensions of ASTRA-sim's network (involved_dim)",
            "name a process group with pg_name");
    return true;
  }

  /// A gather or scatter: messages of comm_size bytes between the root and each other rank, as in
  /// NCCL. Returns the operation that ends with it. For the root this is an extra operation after
  /// all its messages.
  std::uint32_t add_rooted(const ChakraNode& node, std::span<const Dependency> after) {
    const Operation nothing{.kind = OperationKind::host, .stream = Operation::kUnordered};
    if (names_dimensions(node) || !has_size(node)) return builder_.add(node.name, nothing, after);
    if (!ranks_.is_complete())
      problem(node, "is a gather or scatter, and not all ranks have a trace",
              "give a file for each rank");
    ++counts_.rooted;
    // in_group() has the family, the bytes, and the root as peer.
    Operation message = in_group(node, Kind::broadcast, node.comm_size);
    const std::vector<std::uint32_t> all = members(node);
    const auto root = static_cast<std::size_t>(message.peer);
    if (root >= all.size()) return builder_.add(node.name, nothing, after);
    const bool is_root = all[root] == rank_.rank;
    const bool gathers = node.comm_type == static_cast<std::int64_t>(ChakraCollective::gather);
    message.kind = is_root == gathers ? OperationKind::receive : OperationKind::send;
    message.tag = kRootedTag + message.family;
    if (!is_root) return builder_.add(node.name, message, after);
    std::vector<Dependency> ends;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == root) continue;
      message.peer = static_cast<std::int32_t>(i);
      ends.push_back({.operation = builder_.add(node.name, message, after)});
    }
    return builder_.add(node.name, nothing,
                        ends.empty() ? after : std::span<const Dependency>(ends));
  }

  /// The ranks of a node's group.
  [[nodiscard]] std::vector<std::uint32_t> members(const ChakraNode& node) const {
    if (!node.group.empty()) return groups_.ranks(node.group);
    std::vector<std::uint32_t> all(ranks_.world());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  Operation in_group(const ChakraNode& node, Kind kind, std::int64_t bytes) {
    Operation operation{
        .kind = OperationKind::collective, .collective = kind, .stream = Operation::kUnordered};
    std::size_t size = ranks_.world();
    if (node.group.empty()) {
      operation.family = families_.world_family();
    } else {
      const std::vector<std::uint32_t>& group = groups_.ranks(node.group);
      size = group.size();
      try {
        operation.family = families_.family(node.group, group);
      } catch (const std::invalid_argument& error) {
        problem(node, fmt::format("its group '{}' {}", node.group, error.what()));
      }
      if (std::find(group.begin(), group.end(), rank_.rank) == group.end())
        problem(node, fmt::format("its group '{}' does not hold rank {}", node.group, rank_.rank));
    }
    if (node.root >= static_cast<std::int64_t>(size))
      problem(node, fmt::format("has root {} in a group of {}", node.root, size));
    operation.peer = static_cast<std::int32_t>(std::max<std::int64_t>(node.root, 0));
    // comm_size is the input of a rank; the bytes of an all_gather here are its output.
    operation.bytes =
        Bytes(bytes) * (kind == Kind::all_gather ? static_cast<std::int64_t>(size) : 1);
    return operation;
  }

  const ChakraRank& rank_;
  const TracedRanks& ranks_;
  const Groups& groups_;
  FamilyTable& families_;
  ProgramBuilder builder_;
  const TraceImport& import_;
  Counts& counts_;
  Diagnostics problems_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  ///< of nodes by id; looked up only
  std::vector<std::uint32_t> place_;
};

std::vector<std::string> notes_of(const Counts& counts, const Groups& groups) {
  std::vector<std::string> notes;
  if (counts.priced > 0)
    notes.push_back(fmt::format(
        "{} nodes have no duration: the longer of num_ops / rate of matrix products and "
        "tensor_size / memory bandwidth of the GPU is assumed",
        counts.priced));
  if (counts.timeless > 0)
    notes.push_back(
        fmt::format("{} nodes of computation or memory take no time: they have neither "
                    "a duration nor num_ops",
                    counts.timeless));
  if (counts.metadata > 0)
    notes.push_back(fmt::format("{} metadata nodes have zero duration", counts.metadata));
  if (counts.barriers > 0)
    notes.push_back(fmt::format("{} barriers run as an all_reduce of 4 bytes", counts.barriers));
  if (counts.rooted > 0)
    notes.push_back(
        fmt::format("{} gathers and scatters of single ranks run as messages of their comm_size",
                    counts.rooted));
  if (groups.inferred() > 0)
    notes.push_back(
        fmt::format("{} process groups have no list of ranks: the "
                    "ranks whose traces use the group are assumed",
                    groups.inferred()));
  return notes;
}

}  // namespace

std::uint32_t rank_of_chakra_file(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  constexpr std::string_view kEnding = ".et";
  if (name.ends_with(kEnding)) {
    const std::size_t end = name.size() - kEnding.size();
    const std::size_t dot = name.rfind('.', end - 1);
    std::uint32_t rank = 0;
    if (dot != std::string::npos && end > 0) {
      const auto [rest, error] = std::from_chars(name.data() + dot + 1, name.data() + end, rank);
      if (error == std::errc() && rest == name.data() + end && rank < kMostTracedRanks) return rank;
    }
  }
  throw InputError(file, "", "the name does not tell the rank", "name it NAME.RANK.et");
}

ImportedWorkload workload_of_chakra(std::vector<ChakraRank> traces, const TraceImport& import) {
  std::vector<std::uint32_t> traced;
  for (const ChakraRank& rank : traces) {
    if (!traced.empty() && traced.back() == rank.rank)
      throw InputError(rank.file, "", fmt::format("is a second trace of rank {}", rank.rank));
    traced.push_back(rank.rank);
  }
  const std::uint32_t world = import.world.value_or(traced.back() + 1);
  if (traced.back() >= world)
    throw InputError(traces.back().file, "",
                     fmt::format("is of rank {}, and the job has {} ranks", traced.back(), world));
  if (!import.world && traced.size() < world) {
    std::uint32_t missing = 0;
    while (missing < traced.size() && traced[missing] == missing) ++missing;
    throw InputError(traces.back().file, "",
                     fmt::format("the traces are of {} of {} ranks; rank {} is missing",
                                 traced.size(), world, missing),
                     "give all files; --world N if ranks without a trace do the same");
  }
  const TracedRanks ranks(traced, world);
  const Groups groups(traces, import);
  FamilyTable families(ranks);
  NameTable names;
  Counts counts;
  Workload::Parts parts{
      .ranks = world, .names = {}, .families = {}, .programs = {}, .roles = ranks.roles()};
  for (ChakraRank& rank : traces) {
    parts.programs.push_back(
        RankProgram(rank, ranks, groups, families, names, import, counts).build());
    rank.trace = {};
  }
  std::vector<std::string> notes = notes_of(counts, groups);
  if (!ranks.is_complete()) notes.push_back(ranks.note());
  parts.names = names.names();
  parts.families = families.take();
  fold_programs(parts);
  return {.workload = Workload(std::move(parts)),
          .format = "chakra",
          .notes = std::move(notes),
          .recorded = std::nullopt};
}

}  // namespace railyard::collectives

#include "collectives/workload/meetings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace railyard::collectives {
namespace {

constexpr std::size_t kMostProblems = 100;

struct Link {
  std::uint32_t from = 0;
  ProgramOrder::Next next{};
};

void fill(std::vector<Link>& links, std::size_t operations, std::vector<std::uint32_t>& ends,
          std::vector<ProgramOrder::Next>& behind) {
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.from < b.from; });
  ends.assign(operations, 0);
  for (const Link& link : links) {
    behind.push_back(link.next);
    ++ends[link.from];
  }
  for (std::size_t i = 1; i < operations; ++i) ends[i] += ends[i - 1];
}

class Pairing {
 public:
  Pairing(const Communications& c, const RankClasses& classes, std::vector<Diagnostic>& problems)
      : c_(c), w_(c.workload()), classes_(classes), problems_(problems) {
    std::size_t participants = 0;
    for (const auto& ranks : classes.ranks) {
      const Program& program = w_.program_of(ranks.front());
      meetings_.of.emplace_back(program.operations.size(), Meetings::kNone);
      participants += static_cast<std::size_t>(std::ranges::count_if(
          program.operations, [](const Operation& its) { return is_communication(its.kind); }));
    }
    meetings_.participants.reserve(participants);
  }

  Meetings run() {
    for (const auto& transports : classes_.transports) {
      if (problems_.size() > kMostProblems) break;
      const Transport& transport = c_.transports()[transports.front()];
      if (transport.is_message())
        pair_messages(transports.front(), transport);
      else
        pair_collectives(transports.front(), transport);
    }
    return std::move(meetings_);
  }

 private:
  [[nodiscard]] const Operation& operation(std::uint32_t rank, std::uint32_t index) const {
    return w_.program_of(rank).operations[index];
  }

  void problem(std::string text, std::string hint = {}) {
    problems_.push_back({"", "", std::move(text), std::move(hint)});
  }

  /// The operations of a rank on a transport, in order.
  [[nodiscard]] std::vector<std::uint32_t> operations_on(std::uint32_t rank,
                                                         std::uint32_t transport,
                                                         OperationKind kind) const {
    std::vector<std::uint32_t> all;
    const auto uses = c_.uses(w_.roles()[w_.role_of(rank)].program);
    for (const auto& [user, use] : c_.users(transport))
      if (user == rank && uses[use].operation.kind == kind)
        all.insert(all.end(), uses[use].operations.begin(), uses[use].operations.end());
    std::sort(all.begin(), all.end());
    return all;
  }

  void add(std::uint32_t rank, std::uint32_t index) {
    const std::uint32_t use = c_.use_of(w_.roles()[w_.role_of(rank)].program, index);
    meetings_.meetings.push_back(
        {.load = c_.load_of(rank, use),
         .first = static_cast<std::uint32_t>(meetings_.participants.size()),
         .count = 0});
  }

  void join(std::uint32_t rank, std::uint32_t index) {
    const std::uint32_t its = classes_.of_rank[rank];
    meetings_.participants.push_back({its, index});
    meetings_.of[its][index] = static_cast<std::uint32_t>(meetings_.meetings.size() - 1);
    ++meetings_.meetings.back().count;
  }

  void pair_collectives(std::uint32_t number, const Transport& transport) {
    // Considers one rank of each class in the group.
    std::vector<std::uint32_t> ranks;
    std::vector<std::vector<std::uint32_t>> operations;
    std::set<std::uint32_t> seen;
    for (const std::uint32_t rank : w_.families()[transport.family].groups[transport.group]) {
      if (!seen.insert(classes_.of_rank[rank]).second) continue;
      ranks.push_back(rank);
      operations.push_back(operations_on(rank, number, OperationKind::collective));
    }
    const auto least = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    const auto fewest = std::min_element(operations.begin(), operations.end(), least);
    const auto most = std::max_element(operations.begin(), operations.end(), least);
    for (std::size_t k = 0; k < fewest->size(); ++k) {
      add(ranks[0], operations[0][k]);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        join(ranks[i], operations[i][k]);
        if (!agree(ranks[0], operations[0][k], ranks[i], operations[i][k])) return;
      }
    }
    if (fewest->size() == most->size()) return;
    const auto more = static_cast<std::size_t>(most - operations.begin());
    const auto fewer = static_cast<std::size_t>(fewest - operations.begin());
    problem(fmt::format("{}: rank {} of its group '{}' never comes to it",
                        w_.describe(ranks[more], (*most)[fewest->size()]), ranks[fewer],
                        w_.families()[transport.family].name),
            "all ranks of a group do the same collectives");
  }

  bool agree(std::uint32_t a, std::uint32_t i, std::uint32_t b, std::uint32_t j) {
    const Operation &one = operation(a, i), &other = operation(b, j);
    const bool rooted = one.collective == Kind::broadcast || one.collective == Kind::reduce;
    if (one.collective == other.collective && one.bytes == other.bytes &&
        (!rooted || one.peer == other.peer))
      return true;
    problem(fmt::format("{} is {} of {}, but {} meets it with {} of {}", w_.describe(a, i),
                        to_text(one.collective), core::to_text(one.bytes), w_.describe(b, j),
                        to_text(other.collective), core::to_text(other.bytes)),
            "all ranks of a group do the same collectives in the same order");
    return false;
  }

  void pair_messages(std::uint32_t number, const Transport& transport) {
    const std::uint32_t sender = transport.ends[0], receiver = transport.ends[1];
    std::map<std::uint32_t, std::array<std::vector<std::uint32_t>, 2>> by_tag;
    for (const std::uint32_t i : operations_on(sender, number, OperationKind::send))
      by_tag[operation(sender, i).tag][0].push_back(i);
    for (const std::uint32_t i : operations_on(receiver, number, OperationKind::receive))
      by_tag[operation(receiver, i).tag][1].push_back(i);
    for (const auto& [tag, both] : by_tag) {
      const auto& [sends, receives] = both;
      for (std::size_t k = 0; k < std::min(sends.size(), receives.size()); ++k) {
        const Bytes sent = operation(sender, sends[k]).bytes;
        const Bytes wanted = operation(receiver, receives[k]).bytes;
        if (sent != wanted)
          problem(fmt::format("{} sends {}, but {} expects {}", w_.describe(sender, sends[k]),
                              core::to_text(sent), w_.describe(receiver, receives[k]),
                              core::to_text(wanted)));
        add(sender, sends[k]);
        join(sender, sends[k]);
        join(receiver, receives[k]);
      }
      if (sends.size() > receives.size())
        problem(fmt::format("{}: rank {} never receives it (tag {})",
                            w_.describe(sender, sends[receives.size()]), receiver, tag));
      if (sends.size() < receives.size())
        problem(fmt::format("{}: rank {} never sends it (tag {})",
                            w_.describe(receiver, receives[sends.size()]), sender, tag));
    }
  }

  const Communications& c_;
  const Workload& w_;
  const RankClasses& classes_;
  std::vector<Diagnostic>& problems_;
  Meetings meetings_;
};

}  // namespace

ProgramOrder::ProgramOrder(const Program& program) : waits(program.operations.size(), 0) {
  std::vector<Link> ends, begins;
  std::vector<std::uint32_t> last(program.streams.size(), Communications::kNone);
  for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
    const std::uint16_t stream = program.operations[i].stream;
    if (stream != Operation::kUnordered) {
      if (last[stream] != Communications::kNone) {
        ends.push_back({last[stream], {i, true}});
        ++waits[i];
      }
      last[stream] = i;
    }
    for (const Dependency& other : program.dependencies(i)) {
      (other.on_begin ? begins : ends).push_back({other.operation, {i, false}});
      ++waits[i];
    }
  }
  fill(ends, waits.size(), end_ends, behind_end);
  fill(begins, waits.size(), begin_ends, behind_begin);
}

Meetings meetings_of(const Communications& communications, const RankClasses& classes,
                     std::vector<Diagnostic>& problems) {
  return Pairing(communications, classes, problems).run();
}

}  // namespace railyard::collectives

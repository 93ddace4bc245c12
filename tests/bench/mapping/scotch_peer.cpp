#include "tests/bench/mapping/scotch_peer.hpp"

#ifdef RAILYARD_HAS_SCOTCH
#include <cstdio>
// scotch.h needs stdio.h first.
#include <algorithm>
#include <map>
#include <scotch.h>
#include <stdexcept>

#include "tests/bench/process_cost.hpp"
#endif

namespace railyard::bench {

#ifndef RAILYARD_HAS_SCOTCH

std::optional<placement::Mapping> map_with_scotch(const LeafTree&, const placement::Tiers&,
                                                  std::span<const placement::TrafficPhase>,
                                                  std::size_t, std::span<const Rank>, double&) {
  return std::nullopt;
}

#else

namespace {

using placement::JobRank;
using placement::Traffic;
using placement::TrafficPattern;
using placement::TrafficPhase;

void check(int result, const char* call) {
  if (result != 0) throw std::runtime_error(std::string(call) + " failed");
}

/// Bytes between ranks over a step, both directions added.
class PairBytes {
 public:
  explicit PairBytes(std::size_t ranks) : rows_(ranks) {}
  void add(JobRank a, JobRank b, double bytes) {
    if (a == b) return;
    rows_[a.index()][b.value()] += bytes;
    rows_[b.index()][a.value()] += bytes;
  }
  void add(const TrafficPhase& phase) {
    for (const Traffic& traffic : phase.traffic) {
      const double bytes = static_cast<double>(traffic.bytes.count()) * phase.count;
      for (std::size_t g = 0; g < traffic.groups.count(); ++g) {
        const auto group = traffic.groups[g];
        const std::size_t n = group.size();
        if (traffic.pattern == TrafficPattern::all_to_all) {
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j)
              add(group[i], group[j], 2 * bytes / static_cast<double>(n));
          }
          continue;
        }
        const bool ring = traffic.pattern == TrafficPattern::ring;
        for (std::size_t i = 0; i + (ring ? 0 : 1) < n; ++i)
          add(group[i], group[(i + 1) % n], ring ? bytes : 2 * bytes);
      }
    }
  }
  [[nodiscard]] const std::vector<std::map<std::uint32_t, double> >& rows() const { return rows_; }

 private:
  std::vector<std::map<std::uint32_t, double> > rows_;
};

/// The graph in Scotch's arrays; weights in MB, at least 1.
struct Graph {
  std::vector<SCOTCH_Num> first, neighbours, weights;
  explicit Graph(const PairBytes& pairs) {
    first.push_back(0);
    for (const auto& row : pairs.rows()) {
      for (const auto& [rank, bytes] : row) {
        neighbours.push_back(static_cast<SCOTCH_Num>(rank));
        weights.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(bytes / 1e6)));
      }
      first.push_back(static_cast<SCOTCH_Num>(neighbours.size()));
    }
  }
};

}  // namespace

std::optional<placement::Mapping> map_with_scotch(const LeafTree& tree, const placement::Tiers&,
                                                  std::span<const TrafficPhase> phases,
                                                  std::size_t ranks, std::span<const Rank> free,
                                                  double& spent) {
  PairBytes pairs(ranks);
  for (const TrafficPhase& phase : phases) pairs.add(phase);
  Graph arrays(pairs);
  SCOTCH_randomReset();
  SCOTCH_Graph graph;
  check(SCOTCH_graphInit(&graph), "SCOTCH_graphInit");
  check(SCOTCH_graphBuild(&graph, 0, static_cast<SCOTCH_Num>(ranks), arrays.first.data(),
                          arrays.first.data() + 1, nullptr, nullptr,
                          static_cast<SCOTCH_Num>(arrays.neighbours.size()),
                          arrays.neighbours.data(), arrays.weights.data()),
        "SCOTCH_graphBuild");
  const std::vector<SCOTCH_Num> sizes{tree.pods, tree.leaves, tree.nodes, tree.gpus};
  const std::vector<SCOTCH_Num> costs{1, 1, 1, 1};
  SCOTCH_Arch whole, part;
  SCOTCH_archInit(&whole);
  SCOTCH_archInit(&part);
  check(SCOTCH_archTleaf(&whole, 4, sizes.data(), costs.data()), "SCOTCH_archTleaf");
  std::vector<SCOTCH_Num> list;
  for (const Rank gpu : free) list.push_back(static_cast<SCOTCH_Num>(gpu.value()));
  std::ranges::sort(list);
  const auto gpus = static_cast<std::size_t>(tree.pods * tree.leaves * tree.nodes * tree.gpus);
  const bool is_part = list.size() < gpus;
  if (is_part) {
    check(SCOTCH_archSub(&part, &whole, static_cast<SCOTCH_Num>(list.size()), list.data()),
          "SCOTCH_archSub");
  }
  SCOTCH_Strat strategy;
  SCOTCH_stratInit(&strategy);
  std::vector<SCOTCH_Num> result(ranks);
  const double before = cpu_seconds();
  check(SCOTCH_graphMap(&graph, is_part ? &part : &whole, &strategy, result.data()),
        "SCOTCH_graphMap");
  spent = cpu_seconds() - before;
  placement::Mapping mapping;
  for (const SCOTCH_Num terminal : result) {
    // Terminals of a part are numbered by their place in the list.
    mapping.gpus.emplace_back(
        static_cast<std::uint32_t>(is_part ? list[static_cast<std::size_t>(terminal)] : terminal));
  }
  SCOTCH_stratExit(&strategy);
  if (is_part) SCOTCH_archExit(&part);
  SCOTCH_archExit(&whole);
  SCOTCH_graphExit(&graph);
  return mapping;
}

#endif

}  // namespace railyard::bench

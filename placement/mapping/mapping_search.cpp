#include "placement/mapping/mapping_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/diagnostic.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/mapping/arrangement.hpp"

namespace railyard::placement {
namespace {

// Limits of the search, chosen on the cases of results/mapping.md so that the search uses less CPU
// time than Scotch.
constexpr double kLayoutSteps = 40;      ///< layouts with split axes that are scored
constexpr double kWorkPerRank = 100;     ///< edges that local search visits, per rank
constexpr double kLeastWork = 50'000;    ///< the same for small jobs (about half a millisecond)
constexpr std::size_t kBestLayouts = 2;  ///< number of layouts passed to the next stage

constexpr double kAny = std::numeric_limits<double>::infinity();

/// Throws if a type has fewer free GPUs than ranks. With one type, cutting it into blocks checks
/// this.
void check_enough(const MappingRequest& request, std::span<const std::size_t> ranks) {
  for (std::size_t t = 0; ranks.size() > 1 && t < ranks.size(); ++t)
    if (ranks[t] > request.free[t].size())
      throw InputError("", "ranks",
                       fmt::format("{} of type {}, of which {} GPUs are free", ranks[t],
                                   type_name(static_cast<int>(t)), request.free[t].size()));
}

/// Entry i contains entry i of block_orders() for each type. A type with fewer orders repeats its
/// last one.
std::vector<MappingSpace::BlockOrder> orders_of(const Tiers& tiers,
                                                std::span<const NodeBlocks> blocks,
                                                std::span<const std::size_t> ranks) {
  std::vector<MappingSpace::BlockOrder> of_types;
  std::size_t most = 0;
  for (std::size_t t = 0; t < blocks.size(); ++t) {
    of_types.push_back(ranks[t] == 0 ? MappingSpace::BlockOrder(1)
                                     : block_orders(tiers, blocks[t], ranks[t] / blocks[t].block));
    most = std::max(most, of_types.back().size());
  }
  std::vector<MappingSpace::BlockOrder> orders(most);
  for (std::size_t o = 0; o < most; ++o)
    for (const MappingSpace::BlockOrder& own : of_types)
      orders[o].push_back(own[std::min(o, own.size() - 1)]);
  return orders;
}

}  // namespace

MappingSpace::MappingSpace(const Tiers& tiers, const MappingRequest& request)
    : tiers_(tiers), free_(request.free.joined()), kinds_(tiers, nodes_of(tiers, free_)) {
  const std::vector<std::size_t> ranks = request.ranks_by_type();
  check_enough(request, ranks);
  std::vector<std::vector<NodeBlocks>> of_types;
  std::size_t most = 0;
  for (std::size_t t = 0; t < ranks.size(); ++t) {
    of_types.push_back(ranks[t] == 0 ? std::vector<NodeBlocks>(1)
                                     : cut_into_blocks(tiers, request.free[t], ranks[t]));
    most = std::max(most, of_types.back().size());
  }
  for (std::size_t i = 0; i < most; ++i) {
    Cut& cut = cuts_.emplace_back();
    for (const std::vector<NodeBlocks>& cuts : of_types)
      cut.blocks.push_back(cuts[std::min(i, cuts.size() - 1)]);
    cut.orders = orders_of(tiers, cut.blocks, ranks);
    if (ranks.size() == 1)
      cut.alike = alike_blocks(tiers, cut.blocks[0], ranks[0], request.evaluate.available);
    // Compositions refer to parts of a cut, so they are created after the list of cuts is complete.
  }
  for (Cut& cut : cuts_) {
    if (!cut.alike) continue;
    cut.compositions = std::make_unique<Compositions>(tiers, *request.grid, request.phases,
                                                      request.evaluate, *cut.alike);
  }
}

std::optional<std::vector<std::uint32_t>> MappingSpace::nodes_of_blocks(
    const Cut& cut, std::span<const Rank> gpus) const {
  if (!cut.alike) return std::nullopt;
  const std::size_t block = cut.blocks[0].block;
  std::vector<std::uint32_t> nodes;
  for (std::size_t at = 0; at + block <= gpus.size(); at += block) {
    nodes.push_back(tiers_.gpu_position(gpus[at]).node);
    const std::uint32_t first = tiers_.cluster().node(NodeId(nodes.back())).first_rank.value();
    for (std::size_t i = 0; i < block; ++i) {
      if (gpus[at + i].value() != first + tiers_.gpu_position(cut.alike->example[i]).gpu)
        return std::nullopt;
    }
  }
  return nodes;
}

MappingSearch::MappingSearch(const Tiers& tiers, const MappingRequest& request,
                             const MappingSpace& space, std::size_t finalists)
    : tiers_(tiers), request_(request), space_(space), most_finalists_(finalists) {}

std::vector<Candidate> MappingSearch::run() {
  add_given_order();
  for (const MappingSpace::Cut& cut : space_.cuts()) search_blocks(cut);
  if (request_.effort > 0) exchange_places();
  for (Candidate& candidate : finalists_) candidate.choice.evaluated = evaluated_;
  return std::move(finalists_);
}

Candidate MappingSearch::best_axis_order(const GpusByType& gpus) {
  const Places over = places(gpus);
  for (const Layout& layout : axis_orders(*request_.grid)) (void)try_layout(layout, over);
  Candidate best = std::move(finalists_.front());
  finalists_.clear();
  best.choice.evaluated = evaluated_;
  return best;
}

UnitLoads& MappingSearch::loads_of(const Composition& parts) {
  std::unique_ptr<UnitLoads>& loads = loads_[&parts];
  if (!loads) {
    loads = std::make_unique<UnitLoads>(tiers_, request_.phases, request_.evaluate, parts.traffic,
                                        parts.floors);
  }
  return *loads;
}

// Seconds above which a mapping is not one of the finalists.
double MappingSearch::finalist_limit() const {
  return finalists_.size() < most_finalists_ ? kAny : finalists_.back().choice.score.seconds;
}

MappingSearch::Places MappingSearch::places(const MappingSpace::Cut& cut,
                                            const MappingSpace::BlockOrder& order) const {
  Places places;
  places.compositions = cut.compositions.get();
  if (cut.alike) {
    for (const std::uint32_t b : order[0]) places.nodes.push_back(cut.alike->nodes[b]);
    return places;
  }
  for (std::size_t t = 0; t < order.size(); ++t) {
    std::vector<Rank>& gpus = places.gpus.emplace_back();
    for (const std::uint32_t b : order[t])
      gpus.insert(gpus.end(), cut.blocks[t][b].begin(), cut.blocks[t][b].end());
  }
  return places;
}

MappingSearch::Places MappingSearch::places(const GpusByType& gpus) const {
  for (const MappingSpace::Cut& cut : space_.cuts()) {
    if (auto nodes = space_.nodes_of_blocks(cut, gpus[0]))
      return {cut.compositions.get(), std::move(*nodes), {}};
  }
  Places places;
  for (std::size_t t = 0; t < gpus.size(); ++t)
    places.gpus.emplace_back(gpus[t].begin(), gpus[t].end());
  return places;
}

// Scores a layout. If its seconds exceed both finalist_limit() and `also`, the score may be
// infinite.
MappingScore MappingSearch::try_layout(const Layout& layout, const Places& places, double also,
                                       std::string name) {
  ++evaluated_;
  const double limit = std::max(also, finalist_limit());
  Candidate candidate;
  MappingScore& score = candidate.choice.score;
  score.seconds = kAny;
  if (places.compositions) {
    const Compositions::Placed placed = places.compositions->of(layout, limit);
    if (!placed.parts) return score;
    unit_nodes_.resize(placed.units.size());
    for (std::size_t q = 0; q < placed.units.size(); ++q)
      unit_nodes_[placed.units[q]] = places.nodes[q];
    score = loads_of(*placed.parts).place(unit_nodes_, limit);
    candidate.parts = placed.parts;
    candidate.nodes = unit_nodes_;
  } else {
    if (!evaluator_) evaluator_.emplace(tiers_, request_.phases, request_.evaluate);
    candidate.choice.mapping =
        map_in_order(request_.grid->ranks_in(layout), places.gpus, request_.rank_types);
    score = evaluator_->score(candidate.choice.mapping, limit);
  }
  const MappingScore found = score;
  if (finalists_.size() >= most_finalists_ && !is_better(found, finalists_.back().choice.score))
    return found;
  candidate.choice.layout = layout;
  candidate.choice.order = name.empty() ? to_text(layout) : std::move(name);
  if (candidate.parts)
    candidate.choice.mapping = candidate.parts->traffic.mapping(tiers_, candidate.nodes);
  note(std::move(candidate));
  return found;
}

void MappingSearch::note(Candidate candidate) {
  const auto same = [&](const Candidate& c) {
    return c.choice.mapping == candidate.choice.mapping;
  };
  if (std::ranges::any_of(finalists_, same)) return;
  const auto at = std::ranges::find_if(finalists_, [&](const Candidate& c) {
    return is_better(candidate.choice.score, c.choice.score);
  });
  if (at == finalists_.end() && finalists_.size() >= most_finalists_) return;
  finalists_.insert(at, std::move(candidate));
  if (finalists_.size() > most_finalists_) finalists_.pop_back();
}

void MappingSearch::add_given_order() {
  const auto dimensions = request_.grid->dimensions();
  (void)try_layout(Layout(dimensions.begin(), dimensions.end()),
                   places(request_.free.first(request_.ranks_by_type())), 0, "as given");
}

// Seconds above which a layout is not one of the best in the list.
double MappingSearch::list_limit(const std::vector<ScoredStrategy>& list) {
  return list.size() < kBestLayouts ? kAny : list.back().score.seconds;
}

// Inserts a layout into the list of the best, which is sorted and contains each layout once.
void MappingSearch::keep(std::vector<ScoredStrategy>& list, const Layout& layout,
                         const MappingScore& score) {
  const auto same = std::ranges::find(list, layout, &ScoredStrategy::layout);
  if (same != list.end()) {
    if (!is_better(score, same->score)) return;
    list.erase(same);
  }
  const auto at = std::ranges::find_if(
      list, [&](const ScoredStrategy& other) { return is_better(score, other.score); });
  list.insert(at, {layout, score});
  if (list.size() > kBestLayouts) list.pop_back();
}

void MappingSearch::search_blocks(const MappingSpace::Cut& cut) {
  std::vector<Places> over;
  for (const auto& order : cut.orders) over.push_back(places(cut, order));
  std::vector<ScoredStrategy> best;
  // The first three orders are: as given, in the order of the tree, and packed (fewer if some are
  // equal).
  const std::size_t plain = std::min<std::size_t>(3, over.size());
  for (const Layout& layout : axis_orders(*request_.grid)) {
    for (std::size_t o = 0; o < plain; ++o)
      keep(best, layout, try_layout(layout, over[o], list_limit(best)));
  }
  if (request_.effort > 0) split_axes(best, over[plain - 1]);
  for (const ScoredStrategy& scored : std::vector<ScoredStrategy>(best)) {
    for (const Places& order : over) (void)try_layout(scored.layout, order);
  }
}

// Steepest descent from each of the best layouts over neighbour layouts.
void MappingSearch::split_axes(std::vector<ScoredStrategy>& best, const Places& places) {
  auto left = static_cast<int>(kLayoutSteps * request_.effort);
  for (const ScoredStrategy& start : std::vector<ScoredStrategy>(best)) {
    ScoredStrategy at{start.layout, try_layout(start.layout, places, start.score.seconds)};
    bool moved = true;
    while (moved && left > 0) {
      moved = false;
      const Layout from = at.layout;
      for (const Layout& next : neighbours(from)) {
        if (--left < 0) break;
        const MappingScore score =
            try_layout(next, places, std::max(list_limit(best), at.score.seconds));
        keep(best, next, score);
        if (!is_better(score, at.score)) continue;
        at = {next, score};
        moved = true;
      }
    }
  }
}

void MappingSearch::exchange_places() {
  const auto ranks = static_cast<double>(request_.grid->size());
  const ArrangementOptions options{
      .work =
          static_cast<std::size_t>(request_.effort * std::max(kLeastWork, kWorkPerRank * ranks)),
      .seed = request_.seed};
  Candidate found = finalists_.front();
  ++evaluated_;
  std::size_t kept = 0;
  if (found.parts) {
    UnitLoads& loads = loads_of(*found.parts);
    loads.place(found.nodes);
    kept = improve_arrangement(tiers_, found.parts->traffic, loads, space_.kinds(), space_.free(),
                               options)
               .kept;
    found.nodes.assign(loads.nodes().begin(), loads.nodes().end());
    found.choice.score = loads.place(found.nodes);
    found.choice.mapping = found.parts->traffic.mapping(tiers_, found.nodes);
  } else {
    Arrangement moved = improve_arrangement(tiers_, request_.phases, request_.evaluate,
                                            found.choice.mapping, space_.free(), options);
    kept = moved.kept;
    found.choice.mapping = std::move(moved.mapping);
    found.choice.score = evaluator_->score(found.choice.mapping);
  }
  if (!is_better(found.choice.score, finalists_.front().choice.score)) return;
  found.choice.exchanges = kept;
  note(std::move(found));
}

}  // namespace railyard::placement

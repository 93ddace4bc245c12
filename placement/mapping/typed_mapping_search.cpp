#include "placement/mapping/typed_mapping_search.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/mapping/arrangement.hpp"
#include "placement/mapping/node_blocks.hpp"
#include "placement/mapping/routed_score.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {
namespace {

// As the search for one type has them (placement/mapping/optimise.cpp).
constexpr int kLayoutSteps = 40;         ///< layouts with split axes that are scored
constexpr double kWorkPerRank = 500;     ///< edges that local search visits, per rank
constexpr double kLeastWork = 250'000;   ///< the same for small jobs
constexpr std::size_t kBestLayouts = 2;  ///< that go on to the next stage
constexpr std::size_t kFinalists = 4;    ///< that may be judged

/// GPUs of each type, in an order in which ranks take them.
using Places = std::vector<std::vector<Rank>>;

class TypedMappingSearch {
 public:
  TypedMappingSearch(const Tiers& tiers, const TypedMappingRequest& request)
      : tiers_(tiers),
        request_(request),
        grid_(strategy_grid(request.strategy)),
        types_(rank_types(request.strategy)),
        evaluator_(tiers, request.phases, request.evaluate) {
    for (std::size_t t = 0; t < request.types.size(); ++t)
      if (ranks_of(t) > request.types[t].free.size())
        throw InputError("", "ranks",
                         std::to_string(ranks_of(t)) + " of type " +
                             type_name(static_cast<int>(t)) + ", of which " +
                             std::to_string(request.types[t].free.size()) + " GPUs are free");
  }

  MappingChoice run() {
    const std::vector<Places> places = orders_of_places();
    for (const Layout& layout : axis_orders(grid_))
      for (const Places& places_of : places) (void)offer(layout, places_of);
    for (const Layout& layout : axis_orders(grid_)) (void)offer(layout, as_given());
    split_axes(places.back());
    const std::vector<MappingChoice> best(best_);
    for (std::size_t i = 0; i < std::min(kBestLayouts, best.size()); ++i) exchange(best[i]);
    return chosen();
  }

  MappingChoice run_axis_orders() {
    for (const Layout& layout : axis_orders(grid_)) (void)offer(layout, as_given());
    return std::move(best_.front());
  }

 private:
  [[nodiscard]] std::size_t ranks_of(std::size_t type) const {
    return static_cast<std::size_t>(std::ranges::count(types_, static_cast<int>(type)));
  }

  [[nodiscard]] Places as_given() const {
    Places places;
    for (const GpuType& type : request_.types) places.push_back(type.free);
    return places;
  }

  /// As given, by the tree and packed: what block_orders has for each type, side by side.
  [[nodiscard]] std::vector<Places> orders_of_places() const {
    std::vector<Places> all;
    for (std::size_t t = 0; t < request_.types.size(); ++t) {
      const std::size_t ranks = ranks_of(t);
      if (ranks == 0) continue;
      const NodeBlocks blocks = cut_into_blocks(tiers_, request_.types[t].free, ranks).front();
      const auto orders = block_orders(tiers_, blocks, ranks / blocks.block);
      if (all.size() < orders.size()) all.resize(orders.size(), all.empty() ? empty() : all.back());
      for (std::size_t o = 0; o < all.size(); ++o)
        for (const std::uint32_t b : orders[std::min(o, orders.size() - 1)])
          all[o][t].insert(all[o][t].end(), blocks[b].begin(), blocks[b].end());
    }
    return all;
  }
  [[nodiscard]] Places empty() const { return Places(request_.types.size()); }

  [[nodiscard]] Mapping mapped(const Layout& layout, const Places& places) const {
    std::vector<std::size_t> next(places.size(), 0);
    Mapping mapping{std::vector<Rank>(grid_.size())};
    for (const JobRank rank : grid_.ranks_in(layout)) {
      const auto type = static_cast<std::size_t>(types_[rank.index()]);
      mapping.gpus[rank.index()] = places[type][next[type]++];
    }
    return mapping;
  }

  MappingScore offer(const Layout& layout, const Places& places) {
    return offer({.mapping = mapped(layout, places),
                  .score = {},
                  .layout = layout,
                  .order = to_text(layout)});
  }
  MappingScore offer(MappingChoice choice) {
    ++evaluated_;
    choice.score = evaluator_.score(choice.mapping);
    const MappingScore score = choice.score;
    const auto at = std::ranges::find_if(
        best_, [&](const MappingChoice& c) { return is_better(score, c.score); });
    const auto same = [&](const MappingChoice& c) { return c.mapping == choice.mapping; };
    if (at - best_.begin() < static_cast<std::ptrdiff_t>(kFinalists) &&
        std::ranges::none_of(best_, same)) {
      best_.insert(at, std::move(choice));
      if (best_.size() > kFinalists) best_.pop_back();
    }
    return score;
  }

  /// From the best layouts to the best of their neighbours, while that is better.
  void split_axes(const Places& places) {
    int left = kLayoutSteps;
    const std::vector<MappingChoice> starts(best_);
    for (std::size_t i = 0; i < std::min(kBestLayouts, starts.size()); ++i) {
      Layout at = starts[i].layout;
      MappingScore score = offer(at, places);
      for (bool moved = true; moved && left > 0;) {
        moved = false;
        for (const Layout& next : neighbours(Layout(at))) {
          if (--left < 0) break;
          const MappingScore its = offer(next, places);
          if (!is_better(its, score)) continue;
          at = next;
          score = its;
          moved = true;
        }
      }
    }
  }

  /// Nodes change places with nodes of their shape, so that ranks stay on their types.
  void exchange(const MappingChoice& from) {
    std::vector<Rank> free;
    for (const GpuType& type : request_.types)
      free.insert(free.end(), type.free.begin(), type.free.end());
    const auto work = static_cast<std::size_t>(
        std::max(kLeastWork, kWorkPerRank * static_cast<double>(grid_.size())));
    Arrangement found =
        improve_arrangement(tiers_, request_.phases, request_.evaluate, from.mapping, free,
                            {.work = work, .seed = request_.seed});
    if (found.kept == 0) return;
    MappingChoice choice = from;
    choice.mapping = std::move(found.mapping);
    choice.exchanges = found.kept;
    (void)offer(std::move(choice));
  }

  /// The best, or of the finalists and the best axis order that whose flows take least.
  MappingChoice chosen() {
    if (request_.judged_by) {
      best_.push_back(TypedMappingSearch(tiers_, request_).run_axis_orders());
      RoutedScore routed(tiers_, request_.phases, *request_.judged_by, request_.evaluate);
      for (MappingChoice& choice : best_) choice.routed_seconds = routed(choice.mapping);
      std::ranges::stable_sort(best_, {}, &MappingChoice::routed_seconds);
    }
    best_.front().evaluated = evaluated_;
    return std::move(best_.front());
  }

  const Tiers& tiers_;
  const TypedMappingRequest& request_;
  RankGrid grid_;
  std::vector<int> types_;
  Evaluator evaluator_;
  std::vector<MappingChoice> best_;  ///< best first
  std::size_t evaluated_ = 0;
};

}  // namespace

MappingChoice optimise_mapping(const Tiers& tiers, const TypedMappingRequest& request) {
  return TypedMappingSearch(tiers, request).run();
}

MappingChoice best_axis_order(const Tiers& tiers, const TypedMappingRequest& request) {
  return TypedMappingSearch(tiers, request).run_axis_orders();
}

}  // namespace railyard::placement

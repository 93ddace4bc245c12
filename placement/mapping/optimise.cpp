#include "placement/mapping/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "placement/mapping/arrangement.hpp"
#include "placement/mapping/judge.hpp"
#include "placement/mapping/node_blocks.hpp"

namespace railyard::placement {
namespace {

// Bounds of the search, chosen on the cases of results/mapping.md so that it takes less CPU than
// Scotch does.
constexpr double kLayoutSteps = 40;      ///< layouts with split axes that are scored
constexpr double kWorkPerRank = 500;     ///< edges that local search visits, per rank
constexpr double kLeastWork = 250'000;   ///< the same for small jobs (about a millisecond)
constexpr std::size_t kBestLayouts = 2;  ///< how many go on to the next stage
constexpr std::size_t kFinalists = 4;    ///< of a search, that may be judged

class MappingSearch {
 public:
  /// With `keeps_finalists` more than the best is kept.
  MappingSearch(const Tiers& tiers, const MappingRequest& request, bool keeps_finalists = false)
      : tiers_(tiers),
        request_(request),
        keeps_finalists_(keeps_finalists),
        evaluator_(tiers, request.phases, request.evaluate) {}

  MappingChoice run() {
    take_as_given();
    for (const NodeBlocks& blocks : cut_into_blocks(tiers_, request_.free, request_.grid->size()))
      search_blocks(blocks);
    if (request_.effort > 0) exchange_places();
    best_.evaluated = evaluated_;
    return std::move(best_);
  }

  /// The best few that were scored, best first, each with other GPUs.
  [[nodiscard]] std::vector<MappingChoice> take_finalists() { return std::move(finalists_); }

  MappingChoice run_axis_orders() {
    const std::span<const Rank> gpus = request_.free.first(request_.grid->size());
    for (const Layout& layout : axis_orders(*request_.grid)) try_layout(layout, gpus);
    best_.evaluated = evaluated_;
    return std::move(best_);
  }

 private:
  struct Scored {
    Layout layout;
    MappingScore score;
  };

  /// Above that a mapping is neither the best nor among the finalists.
  [[nodiscard]] double worth() const {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    if (keeps_finalists_)
      return finalists_.size() < kFinalists ? kAny : finalists_.back().score.seconds;
    return best_.mapping.size() == 0 ? kAny : best_.score.seconds;
  }

  /// `also` is what seconds are worth knowing up to, beside worth().
  MappingScore offer(Mapping mapping, const Layout& layout, std::string order, double also = 0) {
    ++evaluated_;
    const MappingScore score = evaluator_.score(mapping, std::max(also, worth()));
    if (keeps_finalists_ &&
        (finalists_.size() < kFinalists || is_better(score, finalists_.back().score)))
      note_finalist({.mapping = mapping, .score = score, .layout = layout, .order = order});
    if (best_.mapping.size() == 0 || is_better(score, best_.score)) {
      best_.mapping = std::move(mapping);
      best_.score = score;
      best_.layout = layout;
      best_.order = std::move(order);
    }
    return score;
  }

  void note_finalist(MappingChoice choice) {
    const auto same = [&](const MappingChoice& c) { return c.mapping == choice.mapping; };
    const auto at = std::ranges::find_if(
        finalists_, [&](const MappingChoice& c) { return is_better(choice.score, c.score); });
    if (at == finalists_.end() && finalists_.size() >= kFinalists) return;
    if (std::ranges::any_of(finalists_, same)) return;
    finalists_.insert(at, std::move(choice));
    if (finalists_.size() > kFinalists) finalists_.pop_back();
  }

  MappingScore try_layout(const Layout& layout, std::span<const Rank> gpus, double also = 0) {
    return offer(map_in_order(request_.grid->ranks_in(layout), gpus), layout, to_text(layout),
                 also);
  }

  /// Up to what a list of layouts has a place.
  [[nodiscard]] static double room_in(const std::vector<Scored>& list) {
    return list.size() < kBestLayouts ? std::numeric_limits<double>::infinity()
                                      : list.back().score.seconds;
  }

  void take_as_given() {
    const std::span<const Rank> gpus =
        request_.free.first(std::min(request_.free.size(), request_.grid->size()));
    if (gpus.size() < request_.grid->size()) return;  // cut_into_blocks says so
    Mapping mapping{{gpus.begin(), gpus.end()}};
    const auto dimensions = request_.grid->dimensions();
    offer(std::move(mapping), Layout(dimensions.begin(), dimensions.end()), "as given");
  }

  static std::vector<Rank> gpus_in(const NodeBlocks& blocks, std::span<const std::uint32_t> order) {
    std::vector<Rank> gpus;
    gpus.reserve(order.size() * blocks.block);
    for (const std::uint32_t b : order) gpus.insert(gpus.end(), blocks[b].begin(), blocks[b].end());
    return gpus;
  }

  // Keeps the best layouts, best first, one entry each.
  static void keep(std::vector<Scored>& list, const Layout& layout, const MappingScore& score) {
    const auto same = std::ranges::find(list, layout, &Scored::layout);
    if (same != list.end()) {
      if (!is_better(score, same->score)) return;
      list.erase(same);
    }
    const auto at = std::ranges::find_if(
        list, [&](const Scored& other) { return is_better(score, other.score); });
    list.insert(at, {layout, score});
    if (list.size() > kBestLayouts) list.pop_back();
  }

  void search_blocks(const NodeBlocks& blocks) {
    const auto orders = block_orders(tiers_, blocks, request_.grid->size() / blocks.block);
    std::vector<Scored> best;
    // As given, by the tree, packed: the first three orders (fewer where they are the same).
    const std::size_t plain = std::min<std::size_t>(3, orders.size());
    std::vector<std::vector<Rank>> gpus;
    for (const auto& order : orders) gpus.push_back(gpus_in(blocks, order));
    for (const Layout& layout : axis_orders(*request_.grid)) {
      for (std::size_t o = 0; o < plain; ++o)
        keep(best, layout, try_layout(layout, gpus[o], room_in(best)));
    }
    if (request_.effort > 0) split_axes(best, gpus[plain - 1]);
    for (const Scored& scored : std::vector<Scored>(best)) {
      for (std::size_t o = 0; o < orders.size(); ++o) (void)try_layout(scored.layout, gpus[o]);
    }
  }

  // From the best layouts to the best of their neighbours, while that is better.
  void split_axes(std::vector<Scored>& best, std::span<const Rank> gpus) {
    auto left = static_cast<int>(kLayoutSteps * request_.effort);
    for (const Scored& start : std::vector<Scored>(best)) {
      Scored at{start.layout, try_layout(start.layout, gpus, start.score.seconds)};
      bool moved = true;
      while (moved && left > 0) {
        moved = false;
        const Layout from = at.layout;
        for (const Layout& next : neighbours(from)) {
          if (--left < 0) break;
          const MappingScore score =
              try_layout(next, gpus, std::max(room_in(best), at.score.seconds));
          keep(best, next, score);
          if (!is_better(score, at.score)) continue;
          at = {next, score};
          moved = true;
        }
      }
    }
  }

  void exchange_places() {
    const auto ranks = static_cast<double>(request_.grid->size());
    const auto work =
        static_cast<std::size_t>(request_.effort * std::max(kLeastWork, kWorkPerRank * ranks));
    Arrangement found =
        improve_arrangement(tiers_, request_.phases, request_.evaluate, best_.mapping,
                            request_.free, {.work = work, .seed = request_.seed});
    const std::string order = best_.order;
    const MappingScore before = best_.score;
    const MappingScore after = offer(std::move(found.mapping), Layout(best_.layout), order);
    if (is_better(after, before)) best_.exchanges = found.kept;
  }

  const Tiers& tiers_;
  const MappingRequest& request_;
  bool keeps_finalists_;
  Evaluator evaluator_;
  MappingChoice best_;
  std::vector<MappingChoice> finalists_;
  std::size_t evaluated_ = 0;
};

}  // namespace

MappingChoice optimise_mapping(const Tiers& tiers, const MappingRequest& request) {
  return request.judged_by ? judged_mapping(tiers, request) : MappingSearch(tiers, request).run();
}

std::vector<MappingChoice> mapping_finalists(const Tiers& tiers, const MappingRequest& request) {
  MappingSearch search(tiers, request, true);
  std::vector<MappingChoice> finalists{search.run()};
  for (MappingChoice& choice : search.take_finalists()) {
    if (choice.mapping != finalists.front().mapping) finalists.push_back(std::move(choice));
  }
  return finalists;
}

MappingChoice best_axis_order(const Tiers& tiers, const MappingRequest& request) {
  if (request.free.size() < request.grid->size())
    (void)cut_into_blocks(tiers, request.free, request.grid->size());
  return MappingSearch(tiers, request).run_axis_orders();
}

}  // namespace railyard::placement

#include "placement/search/width_loop.hpp"

#include <array>

#include "placement/strategy/divisors.hpp"

namespace railyard::placement {
namespace {

constexpr std::array kContexts{ContextKind::ring, ContextKind::all_gather, ContextKind::ulysses};

class Loops {
 public:
  Loops(const CostContext& context, const SearchSpace& space, const Shortlist& shortlist,
        const WidthLoop& loop)
      : job_(context.job), space_(space), shortlist_(shortlist), loop_(loop) {}

  void micro_batches(int tp, int cp) {
    for (const int micro_batch : divisors(job_.batch, space_.largest_micro_batch)) {
      Strategy s{.tp = tp, .cp = cp, .micro_batch = micro_batch};
      for (const bool sequence_parallel : {true, false}) {
        if (tp == 1 && sequence_parallel) continue;
        s.sequence_parallel = sequence_parallel;
        for (const ContextKind context : kContexts) {
          if (!is_possible(s, context)) continue;
          s.context = context;
          recomputations(s);
          if (shortlist_.is_stopped()) return;
        }
      }
    }
  }

 private:
  [[nodiscard]] bool is_possible(const Strategy& s, ContextKind context) const {
    if (s.cp == 1) return context == ContextKind::ring;
    return context != ContextKind::ulysses || job_.model.heads % (s.tp * s.cp) == 0;
  }

  void recomputations(Strategy s) {
    const bool stores_scores = job_.attention == AttentionKernel::unfused;
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      if (recompute == Recompute::selective && !stores_scores) continue;
      s.recompute = recompute;
      recomputed_operations(s);
      if (shortlist_.is_stopped()) return;
    }
  }

  /// Recomputation of single operations: none; norms and activation functions; with MLA also its
  /// up-projections. Few dense models gain by it, so these need SearchSpace::recompute_operations.
  void recomputed_operations(Strategy s) {
    overlaps(s);
    if (s.recompute == Recompute::full) return;
    if (!job_.model.moe && !space_.recompute_operations) return;
    s.recompute_norms = s.recompute_act = true;
    overlaps(s);
    if (!job_.model.mla) return;
    s.recompute_mla = true;
    overlaps(s);
  }

  void overlaps(Strategy s) {
    for (const bool overlap : {true, false}) {
      if (overlap && (!space_.overlap || s.tp == 1 || !s.sequence_parallel)) continue;
      s.tp_overlap = overlap;
      for (const bool ep_overlap : {true, false}) {
        if (ep_overlap && !(space_.overlap && job_.model.moe)) continue;
        if (ep_overlap && s.recompute == Recompute::full && !space_.ep_overlap) continue;
        s.ep_overlap = ep_overlap;
        loop_.search(s);
      }
    }
  }

  const Job& job_;
  const SearchSpace& space_;
  const Shortlist& shortlist_;
  const WidthLoop& loop_;
};

}  // namespace

void run_width_loop(const CostContext& context, const SearchSpace& space, Shortlist& shortlist,
                    const WidthLoop& loop) {
  const Job& job = context.job;
  Loops loops(context, space, shortlist, loop);
  const auto tensor_widths = static_cast<double>(loop.tensor.size());
  for (std::size_t i = 0; i < loop.tensor.size(); ++i) {
    const int tp = loop.tensor[i];
    if (job.model.heads % tp != 0) continue;
    const std::vector<int> context_widths = loop.context(tp);
    for (std::size_t j = 0; j < context_widths.size(); ++j) {
      const int cp = context_widths[j];
      const double part = static_cast<double>(j) / static_cast<double>(context_widths.size());
      shortlist.set_progress((static_cast<double>(i) + part) / tensor_widths);
      if (cp > 1 && (job.model.encoder || job.sequence % (2 * cp) != 0)) continue;
      if (!loop.has_pipelines(tp, cp)) continue;
      loops.micro_batches(tp, cp);
      if (shortlist.is_stopped()) return;
    }
  }
}

}  // namespace railyard::placement

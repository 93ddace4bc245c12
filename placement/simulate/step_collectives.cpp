#include "placement/simulate/step_collectives.hpp"

#include <cmath>
#include <limits>

#include "placement/cost/blocking.hpp"

namespace railyard::placement {
namespace {

/// A model in which one collective has a given time, and all others none.
class ProbeModel final : public CommunicationModel {
 public:
  ProbeModel(const TypeContext& context, const Strategy& strategy)
      : context_(context), strategy_(strategy) {}

  Time time(const GroupCollective& collective) const override {
    const std::size_t number = asked_.size();
    asked_.push_back(collective);
    if (number != target) return Time();
    const Time moving = in_step - blocking_start(context_, strategy_, collective);
    return Time::from_seconds(moving.seconds() * context_.share_in_step(collective));
  }
  [[nodiscard]] std::vector<GroupCollective> take() { return std::move(asked_); }

  std::size_t target = std::numeric_limits<std::size_t>::max();
  Time in_step{};

 private:
  const TypeContext& context_;
  const Strategy& strategy_;
  mutable std::vector<GroupCollective> asked_;
};

/// Calls `cost` for each collective in turn. `note` gets the collective, and the costs with it
/// taking 0, once and twice the probe time.
template <class Cost, class Note>
void probe(const TypeContext& c, const Strategy& s, Cost&& cost, Note&& note) {
  constexpr double kSeconds = 1000;
  ProbeModel model(c, s);
  const TypeContext asking{.job = c.job,
                           .gpu = c.gpu,
                           .communication = model,
                           .gpus_per_node = c.gpus_per_node,
                           .order = c.order,
                           .products = c.products};
  const auto without = cost(asking);
  const std::vector<GroupCollective> all = model.take();
  for (std::size_t i = 0; i < all.size(); ++i) {
    model.target = i;
    const auto ask = [&](double seconds) {
      model.in_step = Time::from_seconds(seconds);
      auto found = cost(asking);
      (void)model.take();
      return found;
    };
    const auto once = ask(kSeconds), twice = ask(2 * kSeconds);
    note(all[i], without, once, twice);
  }
}

/// Adds a collective if a time depends on it.
void add(const GroupCollective& what, Time without, Time once, Time twice,
         std::vector<PassCollective>& to) {
  const Time slope = twice - once;
  const double count = slope.seconds() / 1000;
  if (count < 0.5) return;
  // once = without + count x 1,000 s - window
  to.push_back(
      {what, static_cast<int>(std::lround(count)), std::max(Time(), without + slope - once)});
}

void add_passes(const GroupCollective& what, const LayerCost& without, const LayerCost& once,
                const LayerCost& twice, PassCollectives& to) {
  const auto exposed = [](const PassCost& pass) { return pass.tp + pass.cp + pass.ep; };
  add(what, exposed(without.forward), exposed(once.forward), exposed(twice.forward), to.forward);
  add(what, exposed(without.backward), exposed(once.backward), exposed(twice.backward),
      to.backward);
  add(what, exposed(without.recompute), exposed(once.recompute), exposed(twice.recompute),
      to.recompute);
}

}  // namespace

BlockCollectives block_collectives(const TypeContext& c, const Strategy& s,
                                   const GroupShapes& shapes) {
  BlockCollectives all;
  probe(
      c, s, [&](const TypeContext& asking) { return block_costs(asking, s, shapes); },
      [&](const GroupCollective& what, const BlockCosts& without, const BlockCosts& once,
          const BlockCosts& twice) {
        add_passes(what, without.dense, once.dense, twice.dense, all.dense);
        add_passes(what, without.sparse, once.sparse, twice.sparse, all.sparse);
        add_passes(what, without.embedding, once.embedding, twice.embedding, all.embedding);
        add_passes(what, without.head, once.head, twice.head, all.head);
        add_passes(what, without.tower, once.tower, twice.tower, all.tower);
        add_passes(what, without.projector, once.projector, twice.projector, all.projector);
      });
  return all;
}

ReplicaCollectives replica_collectives(const TypeContext& c, const Strategy& s,
                                       const GroupShapes& shapes, int stage) {
  ReplicaCollectives all;
  probe(
      c, s, [&](const TypeContext& asking) { return replica_work(asking, s, shapes, stage); },
      [&](const GroupCollective& what, const ReplicaWork& without, const ReplicaWork& once,
          const ReplicaWork& twice) {
        add(what, without.gather, once.gather, twice.gather, all.gather);
        add(what, without.reduce, once.reduce, twice.reduce, all.reduce);
        add(what, without.copies, once.copies, twice.copies, all.copies);
        add(what, without.tied, once.tied, twice.tied, all.tied);
      });
  return all;
}

}  // namespace railyard::placement

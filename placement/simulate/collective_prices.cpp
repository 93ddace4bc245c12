#include "placement/simulate/collective_prices.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "core/diagnostic.hpp"
#include "placement/cost/scored.hpp"
#include "placement/simulate/executed_collectives.hpp"

namespace railyard::placement {
namespace {

/// Forwards to another model and records the collectives.
class RecordingModel final : public CommunicationModel {
 public:
  explicit RecordingModel(const CommunicationModel& asked) : asked_(asked) {}

  [[nodiscard]] Time time(const GroupCollective& collective) const override {
    const bool moves = collective.shape.size > 1 && collective.bytes > 0;
    if (moves && std::ranges::find(seen_, collective) == seen_.end()) seen_.push_back(collective);
    return asked_.time(collective);
  }
  [[nodiscard]] const std::vector<GroupCollective>& seen() const { return seen_; }

 private:
  const CommunicationModel& asked_;
  mutable std::vector<GroupCollective> seen_;
};

/// A model that is never called, because the collective's role has no group.
class UnusedModel final : public CommunicationModel {
 public:
  [[nodiscard]] Time time(const GroupCollective& collective) const override {
    throw InputError("", std::string(name_of(collective.role)), "has no groups on this mapping");
  }
};

}  // namespace

std::vector<CollectivePrice> collective_prices(const CostContext& context, const Strategy& strategy,
                                               const Mapping& mapping, const Engine& engine) {
  CostContext recorded(context.job, context.order);
  std::vector<std::unique_ptr<RecordingModel>> models;
  for (const TypeContext& type : context.types) {
    const RecordingModel& model =
        *models.emplace_back(std::make_unique<RecordingModel>(type.communication));
    recorded.types.push_back({.job = type.job,
                              .gpu = type.gpu,
                              .communication = model,
                              .gpus_per_node = type.gpus_per_node,
                              .order = type.order,
                              .products = type.products,
                              .gpus = type.gpus,
                              .kind = type.kind});
  }
  static_cast<void>(score(recorded, strategy));

  const auto runs = std::make_shared<GroupRuns>(engine);
  const UnusedModel nothing;
  const ExecutedCollectives alone(runs, nothing, strategy, mapping);
  std::vector<CollectivePrice> prices;
  for (std::size_t t = 0; t < models.size(); ++t) {
    for (const GroupCollective& collective : models[t]->seen()) {
      const TypeContext& type = context.types[t];
      CollectivePrice& price =
          prices.emplace_back(CollectivePrice{.collective = collective,
                                              .type = static_cast<int>(t),
                                              .nominal = type.communication.time(collective),
                                              .share_in_step = type.share_in_step(collective),
                                              .in_step = type.collective(collective)});
      try {
        price.alone = alone.time(collective);
      } catch (const InputError&) {
        // The engine cannot run it; `alone` stays empty.
      }
    }
  }
  std::ranges::stable_sort(prices, {}, [](const CollectivePrice& p) {
    return std::tuple(p.type, p.collective.role, p.collective.kind, p.collective.bytes);
  });
  return prices;
}

}  // namespace railyard::placement

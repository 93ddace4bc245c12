#include "collectives/nccl/search/search_cache.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/nccl/search/canonical_node.hpp"

namespace railyard::collectives::nccl {
namespace {

/// The inputs of a search besides the node. Of the number of nodes only two properties matter:
/// whether there is more than one, and whether they reach the CollNet threshold.
struct Conditions {
  bool inter, collnet;
  SearchEnvironment environment;
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

/// A cached search. The key is the node itself in one cache, and its form (CanonicalNode) in the
/// other.
struct Answer {
  std::uint64_t hash = 0;  ///< of `key`
  std::shared_ptr<const System> key;
  Conditions conditions;
  std::shared_ptr<const SearchedNode> node;
  std::vector<int> nets{};  ///< of its form
};

class KnownNodes {
 public:
  [[nodiscard]] std::optional<Answer> find(const System& system,
                                           const Conditions& conditions) const {
    const std::uint64_t hash = hash_of(system);
    const std::lock_guard lock(mutex_);
    for (const Answer& known : answers_)
      if (known.hash == hash && known.conditions == conditions && *known.key == system)
        return known;
    return std::nullopt;
  }
  void add(Answer answer) {
    answer.hash = hash_of(*answer.key);
    const std::lock_guard lock(mutex_);
    if (answers_.size() == kMost) answers_.pop_front();
    answers_.push_back(std::move(answer));
  }

 private:
  // Far above the number of different GPU groups of a node in one plan.
  static constexpr std::size_t kMost = 256;
  mutable std::mutex mutex_;
  std::deque<Answer> answers_;
};

/// Looks up a node of several hosts by its form: groups of GPUs on other hosts have equal forms.
std::shared_ptr<const SearchedNode> search_by_form(
    const System& system, const Conditions& conditions,
    const std::function<std::shared_ptr<const SearchedNode>()>& search) {
  static KnownNodes forms;
  CanonicalNode form = canonical_node(system);
  if (const auto alike = forms.find(form.system, conditions))
    return std::make_shared<const SearchedNode>(
        searched_alike(system, *alike->node, alike->nets, form.nets, conditions.environment));
  auto node = search();
  forms.add({.key = std::make_shared<const System>(std::move(form.system)),
             .conditions = conditions,
             .node = node,
             .nets = std::move(form.nets)});
  return node;
}

}  // namespace

std::shared_ptr<const SearchedNode> searched_node(const System& system, int nodes,
                                                  const SearchEnvironment& environment) {
  const auto search = [&] {
    return std::make_shared<const SearchedNode>(search_node(system, nodes, environment));
  };
  if (!environment.graph_file.empty()) return search();
  static KnownNodes known;
  const Conditions conditions{.inter = nodes > 1,
                              .collnet = nodes >= environment.collnet_node_threshold,
                              .environment = environment};
  if (const auto found = known.find(system, conditions)) return found->node;
  auto node = system.hosts > 1 && system.fused.empty() ? search_by_form(system, conditions, search)
                                                       : search();
  known.add({.key = std::shared_ptr<const System>(node, &node->system),
             .conditions = conditions,
             .node = node});
  return node;
}

}  // namespace railyard::collectives::nccl

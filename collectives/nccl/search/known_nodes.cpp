#include "collectives/nccl/search/known_nodes.hpp"

#include <deque>
#include <mutex>

namespace railyard::collectives::nccl {
namespace {

/// What a search depends on. The number of nodes matters in two ways only: more than one, and at
/// least the CollNet threshold.
struct SearchKey {
  const System& system;
  bool inter, collnet;
  const SearchEnvironment& environment;
};

class KnownNodes {
 public:
  [[nodiscard]] std::shared_ptr<const SearchedNode> find(const SearchKey& key) const {
    const std::lock_guard lock(mutex_);
    for (const Answer& known : answers_)
      if (known.answers(key)) return known.node;
    return nullptr;
  }
  void add(const SearchKey& key, std::shared_ptr<const SearchedNode> node) {
    const std::lock_guard lock(mutex_);
    if (answers_.size() == kMost) answers_.pop_front();
    answers_.push_back({std::move(node), key.collnet, key.environment});
  }

 private:
  struct Answer {
    std::shared_ptr<const SearchedNode> node;  ///< with the system and `inter` of the key
    bool collnet;
    SearchEnvironment environment;

    [[nodiscard]] bool answers(const SearchKey& key) const {
      return node->inter == key.inter && collnet == key.collnet && environment == key.environment &&
             node->system == key.system;
    }
  };
  // Far more than the different groups of GPUs of a node that a plan asks for.
  static constexpr std::size_t kMost = 256;
  mutable std::mutex mutex_;
  std::deque<Answer> answers_;
};

}  // namespace

std::shared_ptr<const SearchedNode> searched_node(const System& system, int nodes,
                                                  const SearchEnvironment& environment) {
  const auto search = [&] {
    return std::make_shared<const SearchedNode>(search_node(system, nodes, environment));
  };
  if (!environment.graph_file.empty()) return search();
  static KnownNodes known;
  const SearchKey key{.system = system,
                      .inter = nodes > 1,
                      .collnet = nodes >= environment.collnet_node_threshold,
                      .environment = environment};
  if (auto found = known.find(key)) return found;
  auto answer = search();
  known.add(key, answer);
  return answer;
}

}  // namespace railyard::collectives::nccl

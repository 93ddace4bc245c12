#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/validate/measured.hpp"
#include "apps/validate/system_map.hpp"
#include "collectives/nccl/timing/time_model.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// A measured row with everything that its prediction needs: NCCL's choice does not depend on the
/// times that are fitted, so that it is made once.
struct JudgedRow {
  std::size_t table = 0;
  MeasuredRow measured;
  std::shared_ptr<const collectives::nccl::Machine> machine{};
  collectives::nccl::TimeQuery query{};
  double overhead_us = 0;  ///< of the benchmark

  /// The prediction with the parameters of the machine's files.
  [[nodiscard]] double predicted_us() const;
  /// How far it is off: +10 is ten per cent too long.
  [[nodiscard]] double error_pct() const;
};

/// A table that is judged.
struct JudgedTable {
  std::string name{}, source{}, cluster{}, generation{}, fabric{}, host{}, harness{};
};

/// Tables with their predictions, and what was left out.
struct Judged {
  std::vector<JudgedTable> tables{};
  std::vector<JudgedRow> rows{};
  std::vector<LeftOut> left_out{};
};

/// What a prediction is asked with.
struct JudgeRequest {
  SystemMap map{};
  std::string cluster{};  ///< for every table; "": by the map
};

/// Predicts every row of `tables`. Throws InputError for clusters that cannot be read.
[[nodiscard]] Judged judge(const std::vector<MeasuredTable>& tables, const JudgeRequest& request);

/// What is wanted of a communicator of a cluster.
struct Shape {
  std::string cluster{};
  int ranks = 0, nodes = 0;
  bool operator<(const Shape& other) const {
    return std::tie(cluster, ranks, nodes) < std::tie(other.cluster, other.ranks, other.nodes);
  }
};

/// Machines and tuning models by shape; each is searched once.
class Machines {
 public:
  struct Entry {
    std::shared_ptr<const collectives::nccl::Machine> machine;
    std::shared_ptr<const collectives::nccl::Communicator> communicator;
    std::string generation, fabric, host;  ///< names of the parameter sets
  };
  /// Throws InputError where the cluster cannot hold the ranks.
  const Entry& at(const Shape& shape);

 private:
  std::map<Shape, Entry> entries_{};
};

}  // namespace railyard::apps

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// A case of a suite: what `railyard sim` would be asked, at one or more sizes; or with a
/// job, what `railyard place` would be.
struct SuiteCase {
  std::string name;
  std::string cluster;
  std::optional<int> nodes;
  std::optional<int> gpus;
  std::string ranks;
  collectives::Kind collective = collectives::Kind::all_reduce;
  std::vector<Bytes> sizes;
  std::string algorithm = "auto";
  std::string protocol = "auto";
  std::optional<int> channels;
  std::string fidelity = "flow";
  std::string timing = "fitted";
  std::string routing;
  std::optional<int> qps;
  std::vector<std::string> fail, degrade, env;
  std::uint64_t seed = 1;
  std::optional<double> tolerance;
  std::string job, fix;
  std::optional<int> batch, verify;
  bool mapping = false;
};

/// Simulations whose times are to stay as they are (configs/suites/*.json).
struct Suite {
  std::string name;
  std::string source;
  /// Relative change of a time that is no finding; simulations repeat exactly, so this is how much
  /// a change of the models may move them unseen.
  double tolerance = 0.001;
  std::vector<SuiteCase> cases;
};

}  // namespace railyard::apps

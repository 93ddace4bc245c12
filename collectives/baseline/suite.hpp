#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// A case of a suite: a run of `railyard sim` at one or more sizes, or with a job a run of
/// `railyard place`.
struct SuiteCase {
  std::string name;
  std::string cluster;
  std::optional<int> nodes;
  std::optional<int> gpus;
  std::string ranks;
  Kind collective = Kind::all_reduce;
  std::vector<Bytes> sizes;
  std::optional<Bytes> bytes;  ///< a single size
  std::string algorithm = "auto";
  std::string protocol = "auto";
  std::optional<int> channels;
  std::string fidelity = "flow";
  std::string timing = "fitted";
  std::string routing;
  std::optional<int> qps;
  std::vector<std::string> fail, degrade, env;
  /// A case from whose times all times of this case must differ by more than the tolerance. A case
  /// with faults and without this key is compared with itself without faults.
  std::string differs_from;
  std::optional<std::uint64_t> seed;
  std::optional<double> tolerance;
  std::string job, fix;
  std::optional<int> batch, verify;
  bool mapping = false;
};

/// The sizes of a collective's case.
[[nodiscard]] inline std::vector<Bytes> sizes_of(const SuiteCase& one) {
  return one.bytes ? std::vector<Bytes>{*one.bytes} : one.sizes;
}

/// Simulations whose times must not change (configs/suites/*.json).
struct Suite {
  using Case = SuiteCase;
  std::string name;
  std::string source;
  /// Relative change of a time up to which it counts as the same. Simulations are deterministic, so
  /// this is the change of the models that is not reported.
  double tolerance = 0.001;
  std::vector<SuiteCase> cases;
};

}  // namespace railyard::collectives

#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "collectives/baseline/suite.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::Fields<collectives::SuiteCase> {
  using T = collectives::SuiteCase;
  static constexpr std::string_view name = "Case",
                                    doc = "A run of railyard sim, or of railyard place.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1};
    field("name", &T::name, core::required, "name in tables and baselines");
    field("cluster", &T::cluster, core::required, "cluster file, or a name in configs/clusters");
    field("nodes", &T::nodes, kCount, "number of nodes [the cluster file's]");
    field("gpus", &T::gpus, kCount, "use only the first ranks [all]");
    field("ranks", &T::ranks, "use these ranks: '0-7,16-23'");
    field("collective", &T::collective, "kind of collective");
    field("sizes", &T::sizes, "message sizes, as nccl-tests counts them");
    field("bytes", &T::bytes, "one size, as --bytes");
    field("algorithm", &T::algorithm, "algorithm, or auto");
    field("protocol", &T::protocol, "NCCL protocol: ll, ll128, simple or auto");
    field("channels", &T::channels, core::FieldOptions{.minimum = 1, .maximum = 1024},
          "number of channels [the algorithm's own]");
    field("fidelity", &T::fidelity, "analytic or flow; or a live backend: local, nccl");
    field("timing", &T::timing, "time model: fitted or nominal");
    field("routing", &T::routing, "routing policy [the cluster file's]");
    field("qps", &T::qps, core::FieldOptions{.minimum = 1, .maximum = 128},
          "queue pairs per connection");
    field("fail", &T::fail, "as --fail");
    field("degrade", &T::degrade, "as --degrade");
    field("env", &T::env, "as --env");
    field("differs_from", &T::differs_from,
          "name of a case of the same sizes from which each time must differ by more than the "
          "tolerance [with fail and degrade: a note if the case takes as long without them]");
    field("seed", &T::seed,
          "random seed for ECMP hashing and port choice [the cluster file's, or 1]");
    field("tolerance", &T::tolerance, core::FieldOptions{.minimum = 0, .maximum = 1},
          "relative change of a time that is accepted [the suite's]");
    field("job", &T::job, "find the best strategy of this job instead of simulating a collective");
    field("fix", &T::fix, "evaluate this strategy of the job only");
    field("batch", &T::batch, kCount, "sequences per step [the job's]");
    field("verify", &T::verify, core::FieldOptions{.minimum = 0, .maximum = 1000},
          "number of best strategies to simulate");
    field("mapping", &T::mapping, "search for the best mapping of ranks to GPUs");
  }
  static void check(const T& one, core::Problems& problems) {
    const bool has_sizes = !one.sizes.empty() || one.bytes;
    if (one.job.empty() != has_sizes)
      problems.add(one.job.empty() ? "sizes" : "job", "a case has either sizes or a job");
    if (one.bytes && !one.sizes.empty())
      problems.add("bytes", "is one size; a case has either bytes or sizes", "add it to sizes");
    if (!one.job.empty() && (one.fidelity == "local" || one.fidelity == "nccl"))
      problems.add("fidelity", "a job cannot run live");
    if (one.job.empty() && (!one.fix.empty() || one.batch || one.verify || one.mapping))
      problems.add("job", "is missing; fix, batch, verify and mapping need a job");
  }
};

template <>
struct core::Fields<collectives::Suite> {
  using T = collectives::Suite;
  static constexpr std::string_view name = "Suite",
                                    doc = "Simulations whose times must not change.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the suite");
    field("source", &T::source, "reason for these cases");
    field("tolerance", &T::tolerance, core::FieldOptions{.minimum = 0, .maximum = 1},
          "relative change of a time that is accepted");
    field("cases", &T::cases, core::required, "simulations");
  }
  static void check(const T& suite, core::Problems& problems) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      if (!names.insert(suite.cases[i].name).second) {
        problems.add("/cases/" + std::to_string(i) + "/name",
                     "two cases have the name '" + suite.cases[i].name + "'", "rename one of them");
      }
    }
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      const T::Case& one = suite.cases[i];
      if (one.differs_from.empty()) continue;
      const std::string pointer = "/cases/" + std::to_string(i) + "/differs_from";
      const auto twin = std::ranges::find(suite.cases, one.differs_from, &T::Case::name);
      if (twin == suite.cases.end() || &*twin == &one)
        problems.add(pointer, "no other case is called '" + one.differs_from + "'");
      else if (twin->sizes != one.sizes)
        problems.add(pointer, "'" + one.differs_from + "' has other sizes");
    }
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<collectives::SuiteCase>();
extern template const core::StructType& core::struct_type<collectives::Suite>();

}  // namespace railyard

#pragma once

#include <set>
#include <string>

#include "apps/regress/suite.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::Fields<apps::SuiteCase> {
  using T = apps::SuiteCase;
  static constexpr std::string_view name = "Case", doc = "What `railyard sim` is asked, or place.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1};
    field("name", &T::name, core::required, "what the case is called in tables and baselines");
    field("cluster", &T::cluster, core::required, "cluster file, or a name in configs/clusters");
    field("nodes", &T::nodes, kCount, "instead of the cluster file's");
    field("gpus", &T::gpus, kCount, "the first ranks take part; left out: all");
    field("ranks", &T::ranks, "the ranks that take part: '0-7,16-23'");
    field("collective", &T::collective, "what they do");
    field("sizes", &T::sizes, "as nccl-tests counts them");
    field("algorithm", &T::algorithm, "or auto");
    field("protocol", &T::protocol, "ll, ll128, simple or auto");
    field("channels", &T::channels, kCount, "left out: the algorithm's own");
    field("fidelity", &T::fidelity, "analytic, flow or packet; or a live backend: local, nccl");
    field("timing", &T::timing, "fitted or nominal");
    field("routing", &T::routing, "left out: the cluster file's");
    field("qps", &T::qps, kCount, "queue pairs per connection");
    field("fail", &T::fail, "as --fail");
    field("degrade", &T::degrade, "as --degrade");
    field("env", &T::env, "as --env");
    field("seed", &T::seed, "of the hashes");
    field("tolerance", &T::tolerance, core::FieldOptions{.minimum = 0, .maximum = 1},
          "instead of the suite's");
    field("job", &T::job, "the best strategy of this job is asked for, instead of a collective");
    field("fix", &T::fix, "score this strategy of the job alone");
    field("batch", &T::batch, kCount, "sequences of a step, instead of the job's");
    field("verify", &T::verify, core::FieldOptions{.minimum = 0, .maximum = 1000},
          "how many of the best are simulated");
    field("mapping", &T::mapping, "look for the best GPU of each rank");
  }
  static void check(const T& one, core::Problems& problems) {
    if (one.job.empty() == one.sizes.empty())
      problems.add(one.job.empty() ? "sizes" : "job", "a case has either sizes or a job");
    if (!one.job.empty() && (one.fidelity == "local" || one.fidelity == "nccl"))
      problems.add("fidelity", "a job is not run for real");
    if (one.job.empty() && (!one.fix.empty() || one.batch || one.verify || one.mapping))
      problems.add("job", "is missing: fix, batch, verify and mapping are of a job");
  }
};

template <>
struct core::Fields<apps::Suite> {
  using T = apps::Suite;
  static constexpr std::string_view name = "Suite",
                                    doc = "Simulations whose times are to stay as they are.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "why these cases");
    field("tolerance", &T::tolerance, core::FieldOptions{.minimum = 0, .maximum = 1},
          "relative change of a time that is no finding");
    field("cases", &T::cases, core::required, "the simulations");
  }
  static void check(const T& suite, core::Problems& problems) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      if (!names.insert(suite.cases[i].name).second) {
        problems.add("cases/" + std::to_string(i) + "/name",
                     "two cases are called '" + suite.cases[i].name + "'", "name them apart");
      }
    }
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<apps::SuiteCase>();
extern template const core::StructType& core::struct_type<apps::Suite>();

}  // namespace railyard

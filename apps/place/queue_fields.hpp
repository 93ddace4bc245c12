#pragma once

#include <set>
#include <string>

#include "apps/place/queue.hpp"
#include "core/config/fields.hpp"

namespace railyard {

template <>
struct core::Fields<apps::QueuedJob> {
  using T = apps::QueuedJob;
  static constexpr std::string_view name = "QueuedJob", doc = "A job that waits for its place.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1};
    field("name", &T::name, core::required, "what it is called");
    field("job", &T::job, core::required, "name in configs/jobs, or a file");
    field("gpus", &T::gpus, core::FieldOptions{.required = true, .minimum = 1},
          "how many it takes");
    field("fix", &T::fix, "its strategy, as --fix; left out: searched for");
    field("batch", &T::batch, kCount, "sequences of a step, instead of the job's");
  }
};

template <>
struct core::Fields<apps::Queue> {
  using T = apps::Queue;
  static constexpr std::string_view name = "Queue", doc = "Jobs that are to be placed together.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("source", &T::source, "where this comes from");
    field("jobs", &T::jobs, core::required, "the jobs, in the order in which they came");
  }
  static void check(const T& queue, core::Problems& problems) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < queue.jobs.size(); ++i)
      if (!names.insert(queue.jobs[i].name).second)
        problems.add("jobs/" + std::to_string(i) + "/name",
                     "two jobs are called '" + queue.jobs[i].name + "'", "name them apart");
  }
};

}  // namespace railyard

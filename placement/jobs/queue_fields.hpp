#pragma once

#include <set>
#include <string>

#include "core/config/fields.hpp"
#include "core/config/names.hpp"
#include "placement/jobs/queue.hpp"

namespace railyard {

template <>
struct core::Fields<placement::QueuedJob> {
  using T = placement::QueuedJob;
  static constexpr std::string_view name = "QueuedJob", doc = "A job that waits for nodes.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1};
    field("name", &T::name, core::required, "name of the job in this queue");
    field("job", &T::job, core::required, "name in configs/jobs, or a path");
    field("gpus", &T::gpus, core::FieldOptions{.required = true, .minimum = 1}, "number of GPUs");
    field("fix", &T::fix, "strategy, as for --fix; left out: place searches for the best");
    field("batch", &T::batch, kCount, "sequences per step; left out: the job's");
  }
};

template <>
struct core::Fields<placement::Queue> {
  using T = placement::Queue;
  static constexpr std::string_view name = "Queue", doc = "Jobs that are placed together.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("source", &T::source, "source of the data");
    field("jobs", &T::jobs, core::required, "jobs, in order of arrival");
  }
  static void check(const T& queue, core::Problems& problems) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
      const std::string at = "/jobs/" + std::to_string(i) + "/name";
      if (std::string problem = core::file_name_problem(queue.jobs[i].name); !problem.empty())
        problems.add(at, std::move(problem), "place --emit DIR makes a folder of this name");
      if (!names.insert(queue.jobs[i].name).second)
        problems.add(at, "two jobs are called '" + queue.jobs[i].name + "'",
                     "give each job a name of its own");
    }
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::QueuedJob>();
extern template const core::StructType& core::struct_type<placement::Queue>();

}  // namespace railyard

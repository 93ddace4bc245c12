#pragma once

#include <array>
#include <set>
#include <string>
#include <utility>

#include "core/config/fields.hpp"
#include "placement/capacity/goodput/failure_model.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::Component> {
  using E = placement::Component;
  static constexpr std::array<std::pair<E, std::string_view>, 6> table{
      {{E::gpu, "gpu"},
       {E::nic, "nic"},
       {E::cable, "cable"},
       {E::network_switch, "switch"},
       {E::node, "node"},
       {E::job, "job"}}};
};

template <>
struct core::Fields<placement::RepairTime> {
  using T = placement::RepairTime;
  static constexpr std::string_view name = "RepairTime",
                                    doc = "Time until a failed node is back in service.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("median", &T::median, core::required, "median repair time");
    field("mean", &T::mean,
          "mean repair time of a log-normal distribution; left out: every repair takes the median");
  }
  static void check(const T& repair, core::Problems& problems) {
    if (repair.mean && *repair.mean < repair.median)
      problems.add("mean", "is below the median", "a log-normal time has a mean above its median");
  }
};

template <>
struct core::Fields<placement::FailureCause> {
  using T = placement::FailureCause;
  static constexpr std::string_view name = "FailureCause", doc = "A cause of interruptions.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the cause");
    field("per", &T::per, core::required, "component to which the rate refers");
    field("per_year", &T::per_year, core::FieldOptions{.required = true, .minimum = 0},
          "interruptions per component in its first year");
    field("shape", &T::shape, core::FieldOptions{.minimum = 0.1, .maximum = 10},
          "Weibull shape by age: 1 constant rate, below 1 infant mortality, above 1 wear-out");
    field("keeps_node", &T::keeps_node, "the job restarts on the same nodes");
    field("caused_by_job", &T::caused_by_job, "caused by the job, not by hardware");
    field("detection", &T::detection, "time until the failure is detected, for this cause");
    field("repair", &T::repair, "time until the node is back in service, for this cause");
  }
};

template <>
struct core::Fields<placement::LemonNodes> {
  using T = placement::LemonNodes;
  static constexpr std::string_view name = "LemonNodes",
                                    doc = "Nodes that fail much more often than the others.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("share", &T::share, core::FieldOptions{.required = true, .minimum = 0, .maximum = 1},
          "share of the nodes");
    field("rate_factor", &T::rate_factor, core::FieldOptions{.required = true, .minimum = 1},
          "failure rate of these nodes / failure rate of other nodes");
    field("replaced_after", &T::replaced_after, core::FieldOptions{.minimum = 0},
          "interruptions after which such a node is replaced by a normal one; 0: never");
  }
};

template <>
struct core::Fields<placement::RepeatedFailures> {
  using T = placement::RepeatedFailures;
  static constexpr std::string_view name = "RepeatedFailures",
                                    doc = "Repaired nodes that fail again.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("share", &T::share, core::FieldOptions{.required = true, .minimum = 0, .maximum = 0.99},
          "share of the repaired nodes that fail again");
    field("scale", &T::scale, core::required,
          "Weibull scale: time from the return of a node until 63 % of the repeated failures");
    field("shape", &T::shape, core::FieldOptions{.minimum = 0.1, .maximum = 10},
          "Weibull shape of that time; below 1: most repeated failures come soon");
  }
};

template <>
struct core::Fields<placement::FailureModel> {
  using T = placement::FailureModel;
  static constexpr std::string_view name = "FailureModel", doc = "Failure rates and repair times.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the system");
    field("source", &T::source, core::required,
          "source of the values: document, page or measurement");
    field("covers", &T::covers, core::required, "interruptions that the rates include");
    field("causes", &T::causes, core::required, "causes of interruptions");
    field("repair", &T::repair, core::required, "time until a node is back in service");
    field("lemons", &T::lemons, "nodes that fail much more often than the others");
    field("repeats", &T::repeats,
          "repaired nodes that fail again; included in the rates of the causes");
    field("age", &T::age, "age of the components at the start of a run");
  }
  static void check(const T& model, core::Problems& problems) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < model.causes.size(); ++i) {
      const placement::FailureCause& cause = model.causes[i];
      if (!names.insert(cause.name).second)
        problems.add("causes/" + std::to_string(i) + "/name",
                     "two causes are called '" + cause.name + "'", "give each its own name");
      if (cause.shape < 1 && model.age == Duration())
        problems.add("age", "infant mortality (shape below 1) needs an age above 0",
                     "\"age\": \"30 days\"");
    }
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::RepairTime>();
extern template const core::StructType& core::struct_type<placement::FailureCause>();
extern template const core::StructType& core::struct_type<placement::LemonNodes>();
extern template const core::StructType& core::struct_type<placement::RepeatedFailures>();
extern template const core::StructType& core::struct_type<placement::FailureModel>();

}  // namespace railyard

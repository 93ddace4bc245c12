#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/fields.hpp"

namespace railyard::core::sweep {

/// The contents of a sweep file.
struct SweepFile {
  std::vector<std::string> command;
  std::vector<std::string> set, grid, list;
  std::optional<std::int64_t> samples;
  std::int64_t seed = 1;
};

}  // namespace railyard::core::sweep

namespace railyard {

template <>
struct core::Fields<core::sweep::SweepFile> {
  using T = core::sweep::SweepFile;
  static constexpr std::string_view name = "SweepFile",
                                    doc = "A command and the inputs to run it with.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("command", &T::command, core::required, "command words: [\"sim\", \"--bytes\", \"1G\"]");
    field("set", &T::set, "fields with one value: \"nodes=4\"");
    field("grid", &T::grid, "fields with several values, in all combinations: \"nodes=2,4,8\"");
    field("list", &T::list, "fields whose values change together");
    field("samples", &T::samples, core::FieldOptions{.minimum = 1},
          "number of random points, instead of all combinations");
    field("seed", &T::seed, core::FieldOptions{.minimum = 0}, "random seed of the points");
  }
};

}  // namespace railyard

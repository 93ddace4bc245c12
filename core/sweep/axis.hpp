#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core::sweep {

/// The interval from `least` to `most` for samples: uniform, or uniform in the logarithm.
struct Interval {
  double least = 0, most = 0;
  std::string unit;  ///< text after the number, " Gb/s"
  bool is_logarithmic = false;
};

/// A field of a sweep and its values. The field is a flag ("nodes") or a field in the config file
/// of a flag ("cluster:/fabric/leaf_oversubscription"). The value "" does not change the field.
struct Axis {
  std::string field;
  std::vector<std::string> values;
  std::optional<Interval> interval{};  ///< instead of values; only for samples
};

/// Reads "FIELD=VALUES". VALUES is a list of values and ranges, separated by ',' ("2,4,8") or, if
/// it contains ';', by ';':
///   2..64        whole numbers in steps of 1
///   2..64:+2     in steps of 2
///   1M..1G:*4    in steps of a factor; K, M, G and T are powers of 1024, as in sizes
///   0.5..2       every number between, for samples; "0.1..10:log" is uniform in the logarithm
/// Ends of a range may have the same unit: "100..400:+100 Gb/s" is written "100 Gb/s..400
/// Gb/s:+100". Throws InputError for `flag`.
[[nodiscard]] Axis parse_axis(std::string_view text, const std::string& flag);

/// The flag of a field: "cluster" for "cluster:/fabric/kind".
[[nodiscard]] std::string_view flag_of(std::string_view field);
/// The JSON pointer of a field; "" if it is a flag.
[[nodiscard]] std::string_view pointer_of(std::string_view field);

}  // namespace railyard::core::sweep

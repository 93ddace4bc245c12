#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::placement {

/// The plans that use an assumption.
enum class AssumedFor { all, purchase, grey_failures };

/// A number that a plan requires and that no config contains.
struct Assumption {
  std::string_view key;   ///< key of --assume
  std::string_view unit;  ///< "s", "W", ...
  double value, low, high;
  bool lower_is_better;
  double least, most;  ///< limits of valid input
  std::string_view source;
  AssumedFor what = AssumedFor::all;
  bool is_set = false;  ///< set by a flag; it then has no range
};

/// A point of the ranges: all assumptions at their value, all at their better end, or all at their
/// worse end.
enum class RangeEnd { value, better, worse };

/// The assumptions of a plan.
class Assumptions {
 public:
  /// All assumptions at their defaults (docs/models/plan.md).
  Assumptions();

  /// Sets values from texts "key=value", which the user gave to `flag`: times with a unit ("5min"),
  /// others as numbers in the unit of the table. Throws InputError for an unknown key, or an
  /// invalid value.
  void set(std::span<const std::string> texts, const std::string& flag);
  /// Sets the value of a key, which must exist.
  void set(std::string_view key, double value, std::string_view source);

  [[nodiscard]] double at(std::string_view key, RangeEnd end = RangeEnd::value) const;
  /// Whether a flag set the value of a key.
  [[nodiscard]] bool is_set(std::string_view key) const;
  [[nodiscard]] std::span<const Assumption> all() const { return all_; }

 private:
  [[nodiscard]] Assumption& find(std::string_view key);
  std::vector<Assumption> all_;
};

}  // namespace railyard::placement

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "placement/capacity/goodput/failure_model.hpp"

namespace railyard::placement {

/// A kind of grey failure: a component works, but slows the whole job until it is found.
struct GreyProcess {
  std::string name{};
  double per_second = 0;    ///< rate for all such components of the job; exponential
  double slowdown = 1;      ///< factor on the step time, at least 1
  double found = 0;         ///< mean seconds until it is found; exponential
  bool takes_node = false;  ///< once found, the job restarts without its node; false: repaired in
                            ///< place
  RepairTime repair{};      ///< repair of that node
};

/// The grey failures of a run, in order of time. With concurrent ones only the slowest counts,
/// because all components wait for it.
class GreySource {
 public:
  GreySource(const std::vector<GreyProcess>& processes, std::uint64_t seed);

  /// Time of the next event (a grey failure begins or is found) in seconds; infinite if there is
  /// none.
  [[nodiscard]] double next_time() const;
  /// A grey failure that was found.
  struct Found {
    std::size_t process = 0;
    double repair = 0;  ///< repair time of its node, in seconds
  };
  /// Processes the next event. Returns what was found; nothing if a grey failure began.
  std::optional<Found> take();

  /// Speed of the job / speed without grey failures.
  [[nodiscard]] double speed() const;
  /// The process that determines the speed. Requires an active one.
  [[nodiscard]] std::size_t slowest() const;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Active {
    std::size_t process = 0;
    double until = kNever;
  };
  void find_next();

  const std::vector<GreyProcess>& processes_;
  std::vector<core::RandomStream> streams_{};
  std::vector<double> begins_{};
  std::vector<Active> active_{};
  double next_ = kNever;
  std::optional<std::size_t> slowest_{};
};

}  // namespace railyard::placement

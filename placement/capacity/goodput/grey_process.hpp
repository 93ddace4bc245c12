#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "placement/capacity/goodput/failure_model.hpp"

namespace railyard::placement {

/// Components that work, but slow the whole job until they are found.
struct GreyProcess {
  std::string name{};
  double per_second = 0;    ///< of all such components of the job; exponential
  double slowdown = 1;      ///< of a step, at least 1
  double found = 0;         ///< mean seconds until it is found; exponential
  bool takes_node = false;  ///< found: the job restarts without its node; else repaired in place
  RepairTime repair{};      ///< of that node
};

/// The grey failures of a run in order of time. Of concurrent ones the slowest counts: the others
/// wait for it as well.
class GreySource {
 public:
  GreySource(const std::vector<GreyProcess>& processes, std::uint64_t seed);

  /// When the next one begins or is found, in seconds; infinite if there are none.
  [[nodiscard]] double next_time() const;
  /// A grey failure that was found.
  struct Found {
    std::size_t process = 0;
    double repair = 0;  ///< of its node, in seconds
  };
  /// Goes on to the next time; what was found then, nothing where one began.
  std::optional<Found> take();

  /// Speed of the job over that without grey failures.
  [[nodiscard]] double speed() const;
  /// The process that decides the speed; there must be an active one.
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

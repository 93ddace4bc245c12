#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "collectives/workload/meetings.hpp"
#include "collectives/workload/workload.hpp"
#include "core/units.hpp"

namespace railyard::sim {

/// A sequence of operations of a program that follows a collective: computation, and further
/// collectives of the same group. If all ranks of the group run the program and the operations
/// depend on nothing else, they begin and end together on all ranks. The sequence is then simulated
/// as one event.
///
/// Example: the computations of a pass and the tensor-parallel collectives between them.
struct Lockstep {
  std::uint32_t first = 0, last = 0;  ///< range of operations; `last` ends last
  /// By operation from `first` on: number of its predecessors in the sequence, including the
  /// initial collective.
  std::vector<std::uint32_t> waits;

  [[nodiscard]] std::uint32_t count() const { return last - first + 1; }
  [[nodiscard]] bool has(std::uint32_t operation) const {
    return operation >= first && operation <= last;
  }
};

/// The times of an operation relative to the begin of its sequence, and its last predecessor.
struct LockstepTime {
  Time begin{}, end{};
  std::uint32_t behind = 0;
  bool by_stream = false;
};

/// The sequences of a program.
class Locksteps {
 public:
  /// Both must outlive it.
  Locksteps(const collectives::Program& program, const collectives::ProgramOrder& order)
      : program_(program), order_(order), known_(program.operations.size(), kUnknown) {}

  /// The longest sequence after a collective; nullptr if there is none. Results are cached.
  [[nodiscard]] const Lockstep* behind(std::uint32_t collective);
  /// Computes the times of a sequence, by operation from `first` on. `duration(operation)`: its
  /// time alone. `times` is resized if it is too short. Returns whether the last operation ends
  /// last.
  bool run(std::uint32_t collective, const Lockstep& its,
           const std::function<Time(std::uint32_t)>& duration,
           std::vector<LockstepTime>& times) const;

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0}, kNone = kUnknown - 1;
  [[nodiscard]] bool may_follow(const collectives::Operation& collective,
                                std::uint32_t operation) const;
  [[nodiscard]] bool waits_beyond(std::uint32_t operation, std::uint32_t last) const;
  [[nodiscard]] bool ends_with(std::uint32_t collective, std::uint32_t last) const;

  const collectives::Program& program_;
  const collectives::ProgramOrder& order_;
  std::vector<std::uint32_t> known_;  ///< by operation, into found_
  std::deque<Lockstep> found_;
};

}  // namespace railyard::sim

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Maintains max-min rates as one level per link while streams start and end, for strongly coupled
/// streams: a completion then changes nearly every rate slightly, but few bottleneck links.
///
/// Let b(s) be the bottleneck link of stream s. Order the links so that the bottlenecks of the
/// streams of link l come before l. Given b, the levels solve the triangular system
///
///     x(l) = (C(l) - sum over s on l with b(s) != l of w(s,l)·x(b(s))) / sum of w(s,l) with b(s) =
///     l
///
/// in this order, by one pass over the lists of the links without reading streams. If x(b(s)) <=
/// x(l) for each stream s on each link l (and the sum does not exceed C(l) on links that are
/// nobody's bottleneck), each stream has a full link on which no stream is faster: these are the
/// max-min fair rates (Bertsekas and Gallager, Data Networks, 6.5.2). Otherwise l becomes the
/// bottleneck of the streams that are too fast, at the level s that fills l if all other rates
/// stay: sum of w·min(x(b), s) = C(l). Newton steps from below find s without overshooting, because
/// the left side is concave in s. Sorting the links by level makes the system triangular again for
/// the next pass. A result that a pass certifies is exact, after any number of passes. solve()
/// gives up after too many.
///
/// A pass evaluates only links whose inputs changed: one of their streams came, left or changed its
/// bottleneck, a bottleneck of their streams changed its level, or their capacity changed. Links
/// that are no stream's bottleneck come last. If most streams change their rates, a pass evaluates
/// all links from the first changed one on instead. If a link changes after its turn and no stream
/// changed its bottleneck, two links of equal level are in the wrong order, and solve() gives up.
class CoupledLevels {
 public:
  explicit CoupledLevels(FlowTable& table) : table_(table) {}

  /// Whether a table is supported: all its streams have hops.
  [[nodiscard]] static bool suits(const FlowTable& table);

  /// Starts from a table that was just filled; `saturated`: its bottleneck links in the order in
  /// which they filled up.
  void begin(std::span<const LinkIndex> saturated);
  /// Removes a stream; call it before the stream leaves its links.
  void release(Slot slot);
  /// Adds the pending streams of the table.
  void admit();
  void capacity_changed(LinkIndex link);
  /// Computes the levels. False: it gave up, and the table must be filled.
  [[nodiscard]] bool solve();

  /// By link: the rate of the streams whose bottleneck it is; infinite if there are none.
  [[nodiscard]] std::span<const double> levels() const { return level_; }
  /// The bottleneck links after begin() or the last solve(), by level, and some that no longer are.
  [[nodiscard]] std::span<const LinkIndex> holding() const { return order_; }
  /// A change of the bottleneck link of a stream.
  struct Move {
    Slot slot;
    LinkIndex from, to;
  };
  [[nodiscard]] std::span<const Move> moves() const { return moves_; }
  /// Writes the rate of every stream into the table.
  void write_rates() const;
  /// Whether recent solves changed few of the links that they visited.
  [[nodiscard]] bool is_idle() const { return idle_ >= kIdleSolves; }
  /// Whether recent solves changed nearly all rates, so that leaving out links that cannot fill
  /// pays.
  [[nodiscard]] bool is_dense() const { return dense_solves_ >= kIdleSolves; }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kIdleSolves = 32;

  struct Row {
    double others = 0;   ///< load of streams with other bottlenecks
    double fastest = 0;  ///< highest level of these
  };
  void append(LinkIndex link);
  void grow();
  void mark(LinkIndex link);
  void mark_others(Slot slot, LinkIndex link);
  void hold(LinkIndex link, double weight);
  void let_go(LinkIndex link, double weight);
  [[nodiscard]] LinkIndex slowest_of(Slot slot) const;
  [[nodiscard]] std::size_t first_due() const;
  [[nodiscard]] std::size_t first_of_moves(std::size_t from) const;
  [[nodiscard]] bool pass_over_due();
  [[nodiscard]] bool pass_over_all(std::size_t first);
  void choose_passes();
  void note_crossed(LinkIndex link);
  [[nodiscard]] Row read(LinkIndex link) const;
  [[nodiscard]] bool evaluate(LinkIndex link, double before);
  void spread(LinkIndex link);
  void take_over(LinkIndex link, double level);
  void sort();

  FlowTable& table_;
  std::vector<LinkIndex> order_;      ///< bottleneck links, in solve order
  std::vector<LinkIndex> begun_;      ///< links that became bottlenecks since the last sort()
  std::vector<std::uint32_t> rank_;   ///< by link: index in order_, or none
  std::vector<double> level_;         ///< by link
  std::vector<double> held_weight_;   ///< by link
  std::vector<std::uint32_t> held_;   ///< by link: streams whose bottleneck it is
  std::vector<std::uint8_t> is_due_;  ///< by link: whether its inputs changed
  std::size_t due_ = 0;               ///< number of due links
  std::vector<LinkIndex> due_empty_;  ///< due links that are not in order_
  std::vector<Move> moves_;
  std::size_t first_move_ = 0;  ///< of the current pass
  /// Levels that the current solve changed, and the streams whose bottlenecks these links are.
  std::size_t changed_ = 0, changed_streams_ = 0;
  bool is_dense_ = false;           ///< passes evaluate all links
  std::vector<LinkIndex> crossed_;  ///< while dense: links that streams cross
  std::vector<std::uint8_t> is_crossed_;
  std::vector<double> old_level_;  ///< by link, before the pass
  bool is_sorted_ = true;
  std::uint32_t dense_solves_ = 0, idle_ = 0;
  std::uint64_t passes_ = 0;
};

}  // namespace railyard::sim

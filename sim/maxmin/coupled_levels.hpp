#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Keeps max-min rates as one level per link while streams come and go, where everything is
/// coupled: a completion then changes nearly every rate a little, but which link holds which stream
/// hardly.
///
/// Let b(s) be the link that holds stream s, and let every link m that a stream of link l is held
/// by come before l in an order. Given b, the levels are the triangular system
///
///     x(l) = (C(l) - sum over s on l with b(s) != l of w(s,l)·x(b(s))) / sum of w(s,l) with b(s) =
///     l
///
/// solved in that order by one pass over the links' lists, which read nothing of the streams. Where
/// x(b(s)) <= x(l) holds for each stream s on each link l (and the sum does not exceed C(l) on
/// links that hold nobody), each stream has a full link on which none is faster: the rates are
/// max-min fair, and only they are (Bertsekas and Gallager, Data Networks, 6.5.2). Where it does
/// not hold, l takes over the streams that are too fast, at the level s that fills it if all others
/// keep theirs: sum of w·min(x(b), s) = C(l), found by Newton's steps from below, which cannot
/// overshoot as the left side is concave in s. Ordering links by level makes the system triangular
/// again, as l now comes before the links it took streams from; then the next pass. What the last
/// pass certifies is exact however many it took; if there are too many, solve() gives up.
///
/// A pass evaluates only links of which something changed: a stream that came, left or changed the
/// link that holds it, the level of a link that holds one of their streams, their capacity. Those
/// that hold no stream come last. Where most streams change their rate it goes over all links from
/// the first of these on. Where a link changed that had its turn already and no stream moved, two
/// links of equal level are in the wrong order: solve() gives up.
class CoupledLevels {
 public:
  explicit CoupledLevels(FlowTable& table) : table_(table) {}

  /// Whether a table's streams are of the kind that this can keep: all with hops.
  [[nodiscard]] static bool suits(const FlowTable& table);

  /// Takes over a table that was just filled; `saturated` lists the links that hold streams, in the
  /// order in which they filled up.
  void begin(std::span<const LinkIndex> saturated);
  /// Before a stream leaves its links.
  void release(Slot slot);
  /// Takes in the table's pending streams.
  void admit();
  void capacity_changed(LinkIndex link);
  /// Finds the levels anew. False: it gave up; the table must be filled.
  [[nodiscard]] bool solve();

  /// Level of a link: the rate of the streams it holds; infinite where it holds none.
  [[nodiscard]] std::span<const double> levels() const { return level_; }
  /// The links that hold streams, as of begin() or the last solve(); some may not any more.
  [[nodiscard]] std::span<const LinkIndex> holding() const { return order_; }
  /// Streams that changed the link that holds them in the last solve, in the order of the moves.
  struct Move {
    Slot slot;
    LinkIndex from, to;
  };
  [[nodiscard]] std::span<const Move> moves() const { return moves_; }
  /// Writes the rate of every stream into the table.
  void write_rates() const;
  /// Whether for some time most of what solve() went over has not changed.
  [[nodiscard]] bool is_idle() const { return idle_ >= kIdleSolves; }
  /// Whether for some time nearly all of it has, so that links that cannot fill are worth leaving
  /// out.
  [[nodiscard]] bool is_dense() const { return dense_solves_ >= kIdleSolves; }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kIdleSolves = 32;

  struct Row {
    double others = 0;   ///< what streams take of the link that others hold
    double fastest = 0;  ///< level of the fastest of them
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
  std::vector<LinkIndex> order_;      ///< links that hold streams
  std::vector<LinkIndex> begun_;      ///< links that do since the last sort()
  std::vector<std::uint32_t> rank_;   ///< by link: place in order_, or none
  std::vector<double> level_;         ///< by link
  std::vector<double> held_weight_;   ///< by link
  std::vector<std::uint32_t> held_;   ///< by link: streams it holds
  std::vector<std::uint8_t> is_due_;  ///< by link: whether it must be evaluated
  std::size_t due_ = 0;               ///< how many must be
  std::vector<LinkIndex> due_empty_;  ///< those of them without a place in order_
  std::vector<Move> moves_;
  std::size_t first_move_ = 0;  ///< of the present pass
  /// Levels that the present solve changed, and the streams that these links hold.
  std::size_t changed_ = 0, changed_streams_ = 0;
  bool is_dense_ = false;           ///< passes go over all links
  std::vector<LinkIndex> crossed_;  ///< then: links that streams cross
  std::vector<std::uint8_t> is_crossed_;
  std::vector<double> old_level_;
  bool is_sorted_ = true;
  std::uint32_t dense_solves_ = 0, idle_ = 0;
  std::uint64_t passes_ = 0;
};

}  // namespace railyard::sim

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/maxmin/backoff.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/redundant_links.hpp"
#include "sim/maxmin/stream.hpp"

namespace railyard::sim {

/// Hides links of a table that cannot saturate, while that pays off. The bytes of streams still
/// count on them (FlowTable::all_links).
class Pruning {
 public:
  explicit Pruning(Shortcut when) : when_(when) {}

  [[nodiscard]] bool is_on() const { return redundant_.has_value(); }
  [[nodiscard]] bool is_allowed() const { return when_ != Shortcut::never; }
  /// Whether enough streams were filled since the last search (counted by MaxMinSolver) to pay for
  /// another one.
  [[nodiscard]] bool pays(std::size_t streams, std::uint64_t filled) const;
  /// Searches for redundant links in a table without pending streams and hides them. If it returns
  /// true, the rates must be filled again.
  [[nodiscard]] bool begin(FlowTable& table, std::uint64_t filled);
  /// Whether the links can stay hidden with the pending streams; if so, hides the hops of those
  /// streams too. Links from `caps` on are caps of streams.
  [[nodiscard]] bool goes_on(FlowTable& table, LinkIndex caps);
  /// Shows all links again. Rates must be filled again.
  void end(FlowTable& table, std::uint64_t filled);
  /// Call it when the table has lost all its streams.
  void forget() { redundant_.reset(); }
  void capacity_changed(LinkIndex link, double before, double now) {
    if (redundant_ && !redundant_->allows(link, before, now)) is_stale_ = true;
  }
  /// Call it when a link becomes the cap of another stream.
  void cap_taken(LinkIndex link) {
    if (redundant_ && redundant_->is_redundant(link)) is_stale_ = true;
  }

  /// How often links were hidden, and how many in total.
  struct Counts {
    std::uint64_t times = 0, links = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  Shortcut when_;
  std::optional<RedundantLinks> redundant_;
  bool is_stale_ = false;            ///< a change invalidated the proofs
  std::uint64_t filled_before_ = 0;  ///< value at the last search or end
  Backoff backoff_;
  Counts counts_;
};

}  // namespace railyard::sim

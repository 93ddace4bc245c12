#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/maxmin/backoff.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/redundant_links.hpp"
#include "sim/maxmin/stream.hpp"

namespace railyard::sim {

/// Decides when the links of a table that cannot fill up are left out, and for how long. Streams
/// still carry their bytes over them (FlowTable::all_links).
class Pruning {
 public:
  explicit Pruning(Shortcut when) : when_(when) {}

  [[nodiscard]] bool is_on() const { return redundant_.has_value(); }
  [[nodiscard]] bool is_allowed() const { return when_ != Shortcut::never; }
  /// Whether enough was filled (MaxMinSolver counts the streams) since the last look to pay for
  /// another one.
  [[nodiscard]] bool pays(std::size_t streams, std::uint64_t filled) const;
  /// Looks for redundant links in a table without pending streams and hides them. Where it returns
  /// true rates must be filled anew.
  [[nodiscard]] bool begin(FlowTable& table, std::uint64_t filled);
  /// Whether the links that are left out may stay so with the streams that are pending, whose hops
  /// over them are then hidden too. Links from `caps` on are streams' caps.
  [[nodiscard]] bool goes_on(FlowTable& table, LinkIndex caps);
  /// Shows all links again. Rates must be filled anew.
  void end(FlowTable& table, std::uint64_t filled);
  /// The table has lost all its streams.
  void forget() { redundant_.reset(); }
  void capacity_changed(LinkIndex link, double before, double now) {
    if (redundant_ && !redundant_->allows(link, before, now)) is_stale_ = true;
  }
  /// A link is a cap of another stream now.
  void cap_taken(LinkIndex link) {
    if (redundant_ && redundant_->is_redundant(link)) is_stale_ = true;
  }

  /// How often links were left out, and how many in all.
  struct Counts {
    std::uint64_t times = 0, links = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  Shortcut when_;
  std::optional<RedundantLinks> redundant_;
  bool is_stale_ = false;            ///< something changed that the proofs do not allow
  std::uint64_t filled_before_ = 0;  ///< when last looked or ended
  Backoff backoff_;
  Counts counts_;
};

}  // namespace railyard::sim

#pragma once

#include <string>
#include <string_view>

#include "apps/output/report/report_data.hpp"
#include "core/drawing/markup.hpp"

namespace railyard::apps {

/// A <section> with a heading and the body; "" if the body is empty.
[[nodiscard]] std::string section(std::string_view id, std::string_view heading,
                                  const core::drawing::Markup& body);

/// The parts of the page's body, each a <section> with a heading, or "" if it would be empty.

/// The conclusions from the results, in a sentence each: the fastest of the compared runs and its
/// advantage, the best strategy, the error of predictions, the findings of regress.
[[nodiscard]] std::string answer_section(const Report& report);
/// Per collective, the curves at their largest common size as bars, fastest first.
[[nodiscard]] std::string comparison_section(const Report& report);
/// The fabric with link loads, and the table of loads.
[[nodiscard]] std::string fabric_section(const Report& report);
/// Per packet simulation with records: queues and pauses of the ports of each tier, and the
/// transfers that lost most time, with the port that each waited for.
[[nodiscard]] std::string packet_section(const Report& report);
/// Per collective, bus bandwidth and time over message size, and the errors of predictions.
[[nodiscard]] std::string chart_section(const Report& report);
/// The findings of `railyard regress`.
[[nodiscard]] std::string finding_section(const Report& report);
/// Per file of strategies: the parts of their steps, and from files of railyard place --timeline
/// the timeline of the best strategy and the GPU of each rank.
[[nodiscard]] std::string placement_section(const Report& report);
/// Per file of railyard plan train: days against cost, scaling, and for the chosen option its time
/// by part, its power, its largest wastes, and possible improvements.
[[nodiscard]] std::string plan_section(const Report& report);
/// Per file of railyard plan fabric: a table that compares the fabrics, their price and power, and
/// the bill of materials of the one to buy.
[[nodiscard]] std::string fabric_plan_section(const Report& report);
/// Per file of railyard plan serve: throughput per GPU against speed per user, latency over load
/// with the knee, the distribution of latencies, and the parts of a step.
[[nodiscard]] std::string serving_section(const Report& report);
/// Per file of railyard sweep show --pivot: a line per column.
[[nodiscard]] std::string pivot_section(const Report& report);
/// Every row of every file; columns that do not vary within a file are in the caption.
[[nodiscard]] std::string row_section(const Report& report);
/// The provenance of the files: commands, configs, seeds, builds.
[[nodiscard]] std::string provenance_section(const Report& report);

}  // namespace railyard::apps

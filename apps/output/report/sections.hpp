#pragma once

#include <string>

#include "apps/output/report/report_data.hpp"

namespace railyard::apps {

/// The parts of the page's body, each a <section> with its heading, or "" where there is nothing to
/// show.

/// Per collective, the curves at their largest common size as bars, fastest first.
[[nodiscard]] std::string comparison_section(const Report& report);
/// The fabric with link loads, and the table of loads.
[[nodiscard]] std::string fabric_section(const Report& report);
/// Per collective, bus bandwidth and time against message size, and how predictions fared.
[[nodiscard]] std::string chart_section(const Report& report);
/// What `railyard regress` found to have moved.
[[nodiscard]] std::string finding_section(const Report& report);
/// Per file of strategies: what their steps consist of, the timeline of the best and where its
/// ranks sit, where the file has them (railyard place --timeline).
[[nodiscard]] std::string placement_section(const Report& report);
/// Every row of every file; columns that do not vary within a file stand in the caption.
[[nodiscard]] std::string row_section(const Report& report);
/// Where the files come from: commands, configs, seeds, builds.
[[nodiscard]] std::string provenance_section(const Report& report);

}  // namespace railyard::apps

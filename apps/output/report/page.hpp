#pragma once

#include <string>
#include <vector>

#include "apps/output/report/report_data.hpp"

namespace railyard::apps {

/// Derives charts and loads; an empty title becomes one that names the clusters of the files.
[[nodiscard]] Report make_report(std::vector<ResultFile> files, std::string title = {});

/// The report as one HTML page (well-formed as XML too) that loads nothing from anywhere.
[[nodiscard]] std::string report_page(const Report& report);

}  // namespace railyard::apps

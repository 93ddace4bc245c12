#pragma once

#include <string>
#include <vector>

#include "apps/output/report/report_data.hpp"

namespace railyard::apps {

/// Derives charts and loads. An empty title is replaced by one with the clusters of the files.
[[nodiscard]] Report make_report(std::vector<ResultFile> files, std::string title = {});

/// The report as one HTML page, which loads nothing from elsewhere. It is also well-formed XML.
[[nodiscard]] std::string report_page(const Report& report);

}  // namespace railyard::apps

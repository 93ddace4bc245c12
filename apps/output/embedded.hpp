#pragma once

#include <string_view>

namespace railyard::apps {

/// Text files of this folder, embedded by the build (apps/CMakeLists.txt): HTML, CSS and script of
/// the report.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

}  // namespace railyard::apps

#pragma once

#include <string_view>

namespace railyard::apps {

/// Text files of this folder, embedded by the build (apps/CMakeLists.txt): HTML, CSS and script of
/// the report, the colours that page and pictures share, and the style of pictures.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kThemeCss;
extern const std::string_view kPictureCss;

}  // namespace railyard::apps

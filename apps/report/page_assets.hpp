#pragma once

#include <string_view>

namespace railyard::apps {

/// The page's shell, style and script: apps/report/page.{html,css,js} and apps/picture.css, embedded
/// by apps/CMakeLists.txt.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kPictureCss;

}  // namespace railyard::apps

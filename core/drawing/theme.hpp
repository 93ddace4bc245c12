#pragma once

#include <string_view>

namespace railyard::core::drawing {

/// The content of theme.css, embedded by the build (core/CMakeLists.txt): the colours that pages,
/// charts and pictures share.
extern const std::string_view kThemeCss;

}  // namespace railyard::core::drawing

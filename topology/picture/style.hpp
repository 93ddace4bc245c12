#pragma once

#include <string_view>

namespace railyard::topology::picture {

/// The content of picture.css, embedded by the build (topology/CMakeLists.txt): the style sheet of
/// pictures.
extern const std::string_view kPictureCss;

}  // namespace railyard::topology::picture

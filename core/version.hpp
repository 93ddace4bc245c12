#pragma once

#include <string_view>

namespace railyard::core {

/// How this Railyard was built, for --version and the provenance of results.
struct Build {
  std::string_view version;   ///< "0.2.0"
  std::string_view type;      ///< CMake build type: "RelWithDebInfo"
  std::string_view compiler;  ///< "GNU 12.2.0"
  std::string_view commit;    ///< abbreviated git commit, with "+" if files were changed; or ""
};

[[nodiscard]] Build build();

}  // namespace railyard::core

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// The modelled release that represents a release of NCCL.
struct Release {
  Version version = Version::v2_30;
  std::string note;  ///< not empty if the release itself is not modelled
};

/// 2.28.9 for releases before 2.29, 2.30.7 before 2.31, else 2.32.6 (2.31 moved the tuning to
/// src/tuning/).
[[nodiscard]] Version version_of_minor(int minor);

/// The release for "2.30", "2.30.7" or "2.33"; nothing if the text is not a release of NCCL 2.
[[nodiscard]] std::optional<Release> modelled_release(std::string_view text);

}  // namespace railyard::collectives::nccl

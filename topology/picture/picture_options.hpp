#pragma once

#include <optional>
#include <string>
#include <vector>

namespace railyard::topology::picture {

/// How busy the links of a tier are (docs/result-files.md: `tier`, `pod`), for colouring.
struct TierShade {
  std::string tier;        ///< "nvlink", "pcie", "port", "leaf-spine", "spine-core", ...
  std::optional<int> pod;  ///< not set: the whole tier
  double utilisation = 0;  ///< 0..1, the busiest link in either direction
};

/// How busy one cable is: the larger of its two directions.
struct CableShade {
  std::string cable;       ///< "pod0/leaf0 -- pod0/spine1", the lower end first
  double utilisation = 0;  ///< 0..1
};

struct PictureOptions {
  std::vector<TierShade> shades = {};   ///< none: links are drawn without load
  std::vector<CableShade> cables = {};  ///< where given, in place of the shade of their tier
  std::vector<std::string> binding =
      {};                  ///< names of links that must be seen; the first is highlighted
  bool standalone = true;  ///< a file of its own: with namespace, title and style sheet
};

}  // namespace railyard::topology::picture

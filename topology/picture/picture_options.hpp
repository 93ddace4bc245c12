#pragma once

#include <optional>
#include <string>
#include <vector>

namespace railyard::topology::picture {

/// The utilisation of a tier's links (docs/result-files.md: `tier`, `pod`), for colouring.
struct TierShade {
  std::string tier;        ///< "nvlink", "pcie", "port", "leaf-spine", "spine-core", ...
  std::optional<int> pod;  ///< not set: the whole tier
  double utilisation = 0;  ///< 0..1, of the busiest link in either direction
};

/// The utilisation of one cable: the larger of its two directions.
struct CableShade {
  std::string cable;       ///< "pod0/leaf0 -- pod0/spine1"; the lower end comes first
  double utilisation = 0;  ///< 0..1
};

struct PictureOptions {
  std::vector<TierShade> shades = {};   ///< empty: links are drawn without load
  std::vector<CableShade> cables = {};  ///< cables that are coloured separately from their tier
  std::vector<std::string> binding =
      {};                  ///< names of links that must be visible; the first is highlighted
  bool standalone = true;  ///< a complete file: with namespace, title and style sheet
};

}  // namespace railyard::topology::picture

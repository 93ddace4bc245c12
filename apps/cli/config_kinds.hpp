#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/config_node.hpp"

namespace railyard::apps {

/// A kind of config file.
struct ConfigKind {
  std::string_view name;
  std::string_view folder;  ///< folder in configs/ with named configs of this kind; "": none
  std::string (*schema)();  ///< JSON Schema
  std::string (*docs)();    ///< tables of the keys as Markdown
  /// Throws InputError with all problems of a file.
  void (*check)(const core::ConfigNode& file);
};

/// All kinds of config files.
[[nodiscard]] std::span<const ConfigKind> config_kinds();

}  // namespace railyard::apps

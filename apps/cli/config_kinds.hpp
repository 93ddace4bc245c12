#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/config_node.hpp"

namespace railyard::apps {

/// A kind of config file.
struct ConfigKind {
  std::string_view name;
  std::string_view folder;  ///< of configs/, where configs of the kind have names; else ""
  std::string (*schema)();  ///< JSON Schema
  std::string (*docs)();    ///< tables of the keys as Markdown
  /// Throws InputError with every problem of a file.
  void (*check)(const core::ConfigNode& file);
};

[[nodiscard]] std::span<const ConfigKind> config_kinds();

}  // namespace railyard::apps

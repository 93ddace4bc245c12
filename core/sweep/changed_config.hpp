#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config_node.hpp"
#include "core/sweep/temporary_folder.hpp"

namespace railyard::core::sweep {

/// A field of a config file and its new value: JSON, or else the text itself ("400 Gb/s").
struct FieldChange {
  std::string pointer;  ///< "/fabric/leaf_oversubscription", "/node/gpu/memory"
  std::string value;
};

/// The kind of config ("clusters") to which a flag ("cluster") or a key of a config ("node")
/// refers; "" if none.
[[nodiscard]] std::string_view kind_of_reference(std::string_view name);

/// Copies of config files with changed values, in a temporary folder that the destructor removes. A
/// pointer can continue into a referenced config: "/node/gpu/memory" of a cluster changes a copy of
/// the GPU of its node. Thread-safe.
class ChangedConfigs {
 public:
  /// `check` throws InputError for a copy with fields that its kind does not support.
  using Check = std::function<void(std::string_view kind, const ConfigNode& copy)>;
  explicit ChangedConfigs(Check check);
  ~ChangedConfigs();
  ChangedConfigs(const ChangedConfigs&) = delete;
  ChangedConfigs& operator=(const ChangedConfigs&) = delete;

  /// The path of a copy of the config `reference` of a kind with these changes; it has the file
  /// name of the original. Throws InputError if the config or a field does not exist.
  [[nodiscard]] std::string file(const std::string& reference, std::string_view kind,
                                 const std::vector<FieldChange>& changes);
  /// Replaces paths of copies in a text by the names of their originals.
  [[nodiscard]] std::string with_original_names(std::string text) const;

 private:
  std::string write(const std::filesystem::path& original, const std::string& shown,
                    std::string_view kind, const std::vector<FieldChange>& changes);

  Check check_;
  mutable std::mutex mutex_;
  std::optional<TemporaryFolder> folder_;  ///< created with the first copy
  std::map<std::string, std::string> written_;
};

}  // namespace railyard::core::sweep

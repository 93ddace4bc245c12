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

/// The kind of config ("clusters") that a flag ("cluster") or a key of a config ("node") names, or
/// "" where it names none.
[[nodiscard]] std::string_view kind_of_reference(std::string_view name);

/// Copies of config files with other values, in a temporary folder that its end removes. A pointer
/// may go on behind the name of another config: "/node/gpu/memory" of a cluster changes a copy of
/// the GPU that its node names. For several threads.
class ChangedConfigs {
 public:
  /// `check` throws InputError where a copy of a kind has fields that the kind does not have.
  using Check = std::function<void(std::string_view kind, const ConfigNode& copy)>;
  explicit ChangedConfigs(Check check);
  ~ChangedConfigs();
  ChangedConfigs(const ChangedConfigs&) = delete;
  ChangedConfigs& operator=(const ChangedConfigs&) = delete;

  /// The path of a copy of the config `reference` of a kind with those changes; its file name is
  /// that of the original. Throws InputError where there is no such config or place in it.
  [[nodiscard]] std::string file(const std::string& reference, std::string_view kind,
                                 const std::vector<FieldChange>& changes);
  /// A text in which copies have the names of their originals.
  [[nodiscard]] std::string with_original_names(std::string text) const;

 private:
  std::string write(const std::filesystem::path& original, const std::string& shown,
                    std::string_view kind, const std::vector<FieldChange>& changes);

  Check check_;
  mutable std::mutex mutex_;
  std::optional<TemporaryFolder> folder_;  ///< made with the first copy
  std::map<std::string, std::string> written_;
};

}  // namespace railyard::core::sweep

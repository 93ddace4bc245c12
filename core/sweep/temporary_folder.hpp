#pragma once

#include <filesystem>
#include <string>

namespace railyard::core::sweep {

/// A new folder in the system's folder for temporary files, which its end removes. It holds a
/// locked file, so that folders whose process was killed are known: making a folder removes those
/// with the same prefix that nobody locks.
class TemporaryFolder {
 public:
  /// Throws InputError where it cannot be made.
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace railyard::core::sweep

#pragma once

#include <filesystem>
#include <string>

namespace railyard::core::sweep {

/// A new folder for temporary files, removed by the destructor. It contains a locked file, so that
/// folders of killed processes can be identified: the constructor removes those with the same
/// prefix whose file is not locked.
class TemporaryFolder {
 public:
  /// Throws InputError if the folder cannot be created.
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

#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core::sweep {

/// Digests of all inputs of a command: its words, the version of Railyard, the content of each file
/// or shipped config that a word refers to, of the files that those refer to, and of shipped
/// configs that are used without a reference (GPUs, prices, failures, timings, switches). A word
/// that equals a file name by chance can only cause an unnecessary run. Thread-safe; reads each
/// file once.
class InputDigests {
 public:
  /// `version`: version of the program. Reads the shipped configs.
  explicit InputDigests(std::string version);
  [[nodiscard]] std::string digest(const std::vector<std::string>& words);

 private:
  using Files = std::set<std::filesystem::path>;
  struct File {
    std::string digest;
    Files named;  ///< files that it refers to
  };
  void add(std::string_view text, const std::filesystem::path& folder, Files& found);
  const File& read(const std::filesystem::path& path);

  std::mutex mutex_;
  std::string version_, shipped_;
  std::map<std::string, std::vector<std::filesystem::path>, std::less<>> names_;
  std::map<std::filesystem::path, File> files_;
  std::map<std::string, std::string, std::less<>> words_;  ///< digests of the files of a word
};

}  // namespace railyard::core::sweep

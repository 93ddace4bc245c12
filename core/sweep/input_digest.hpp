#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core::sweep {

/// Digests of everything that the result of a command depends on: its words, the version of
/// Railyard, the content of each file or shipped config that a word names, of what those name in
/// turn, and of the shipped configs that no word needs to name (GPUs, prices, failures, timings,
/// switches). A word that happens to equal a file's name only makes a point run again without need.
/// For several threads; reads each file once.
class InputDigests {
 public:
  /// `version`: of the program. Reads the shipped configs.
  explicit InputDigests(std::string version);
  [[nodiscard]] std::string digest(const std::vector<std::string>& words);

 private:
  using Files = std::set<std::filesystem::path>;
  struct File {
    std::string digest;
    Files named;  ///< by its texts
  };
  void add(std::string_view text, const std::filesystem::path& folder, Files& found);
  const File& read(const std::filesystem::path& path);

  std::mutex mutex_;
  std::string version_, shipped_;
  std::map<std::string, std::vector<std::filesystem::path>, std::less<>> names_;
  std::map<std::filesystem::path, File> files_;
  std::map<std::string, std::string, std::less<>> words_;  ///< digests of what a word names
};

}  // namespace railyard::core::sweep

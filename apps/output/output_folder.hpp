#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Creates a folder for output files and its parents, if they do not exist. Throws InputError for
/// `flag` with the system's error and `hint`.
void make_output_folder(const std::string& flag, const std::string& folder,
                        const std::string& hint);

/// A folder to which a command writes several files.
class OutputFolder {
 public:
  /// Creates it as make_output_folder() does.
  OutputFolder(const std::string& flag, const std::string& folder, const std::string& hint);

  /// Writes a file. Scripts (".sh") are executable. Throws InputError.
  void write(std::string_view name, const std::string& text, Context& context);
  /// Prints a note with the names of the files.
  void print_files(const Context& context) const;

 private:
  std::filesystem::path folder_;
  std::string files_;
};

}  // namespace railyard::apps

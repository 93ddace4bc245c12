#include "apps/output/output_folder.hpp"

#include <fmt/format.h>

#include <system_error>

#include "apps/output/result_output.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {

void make_output_folder(const std::string& flag, const std::string& folder,
                        const std::string& hint) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw InputError("", flag, fmt::format("cannot make {}: {}", folder, failed.message()), hint);
}

OutputFolder::OutputFolder(const std::string& flag, const std::string& folder,
                           const std::string& hint)
    : folder_(folder) {
  make_output_folder(flag, folder, hint);
}

void OutputFolder::write(std::string_view name, const std::string& text, Context& context) {
  const std::filesystem::path file = folder_ / name;
  write_text(text, file.string(), context);
  if (name.ends_with(".sh"))
    std::filesystem::permissions(file, std::filesystem::perms::owner_exec,
                                 std::filesystem::perm_options::add);
  files_ += fmt::format("{}{}", files_.empty() ? "" : ", ", name);
}

void OutputFolder::print_files(const Context& context) const {
  print_note(context, fmt::format("{}: {}", folder_.string(), files_));
}

}  // namespace railyard::apps

#include "apps/output/output_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/diagnostic.hpp"

namespace railyard::apps {

void make_output_folder(const std::string& flag, const std::string& folder,
                        const std::string& hint) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw InputError("", flag, fmt::format("cannot make {}: {}", folder, failed.message()), hint);
}

}  // namespace railyard::apps

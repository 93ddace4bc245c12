#pragma once

#include <filesystem>
#include <string>

#include "apps/output/rows.hpp"
#include "core/config/text_file.hpp"

namespace railyard::apps {

/// Adds a file that a run read, with the digest of its content, as `name`. Throws InputError for a
/// file that cannot be read or is larger than `limit`.
void add_config(Provenance& provenance, const std::string& name, const std::filesystem::path& path,
                Bytes limit = core::kMaxTextFile);

}  // namespace railyard::apps

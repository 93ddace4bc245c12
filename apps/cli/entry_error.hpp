#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"

namespace railyard::apps {

/// Moves problems of flags to the keys of the file entry that set them: "--fix" for the entry
/// "/jobs/0" becomes "/jobs/0/fix", and "--env NCCL_ALGO=x" becomes "/cases/2/env" with the value
/// in the message. Only flags in `keys` are changed ("fix"; empty: all). Problems without a
/// location get the entry; problems in files do not change. InputError::in_file() adds the file.
[[nodiscard]] InputError at_entry(const InputError& error, const std::string& entry,
                                  std::span<const std::string_view> keys = {});

}  // namespace railyard::apps

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"

namespace railyard::apps {

/// Problems of flags that an entry of a file has set, at the keys of that entry: "--fix" of the
/// entry "/jobs/0" becomes "/jobs/0/fix", and "--env NCCL_ALGO=x" "/cases/2/env" with the value in
/// the message. Only the flags named in `keys` are changed ("fix"; all where it is empty).
/// Problems without a place get the entry; those that name a file stay. InputError::in_file() adds
/// the file.
[[nodiscard]] InputError at_entry(const InputError& error, const std::string& entry,
                                  std::span<const std::string_view> keys = {});

}  // namespace railyard::apps

#pragma once

#include <string>

namespace railyard::apps {

/// Makes a folder for output files, with the folders above it; one that exists stays as it is.
/// Throws InputError at `flag` with the system's reason and `hint`.
void make_output_folder(const std::string& flag, const std::string& folder,
                        const std::string& hint);

}  // namespace railyard::apps

#pragma once

#include <string>

namespace railyard::apps {

/// Creates a folder for output files and its parents, if they do not exist. Throws InputError for
/// `flag` with the system's error and `hint`.
void make_output_folder(const std::string& flag, const std::string& folder,
                        const std::string& hint);

}  // namespace railyard::apps

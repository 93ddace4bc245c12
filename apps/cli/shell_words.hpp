#pragma once

#include <string>
#include <vector>

namespace railyard::apps {

/// The words for a shell: each after a space, quoted if necessary.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

}  // namespace railyard::apps

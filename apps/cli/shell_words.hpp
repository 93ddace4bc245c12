#pragma once

#include <string>
#include <vector>

namespace railyard::apps {

/// The words as a shell would need them, each after a space, quoted where necessary.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

}  // namespace railyard::apps

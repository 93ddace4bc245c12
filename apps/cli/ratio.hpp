#pragma once

#include <string>

namespace railyard::apps {

/// An oversubscription as people write it: "2", "1.5" or "3:2", capacity down over capacity up.
/// Throws InputError at `flag` for other text.
[[nodiscard]] double ratio_of(const std::string& text, const std::string& flag);

}  // namespace railyard::apps

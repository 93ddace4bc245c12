#pragma once

#include <string>

namespace railyard::apps {

/// Parses an oversubscription, downlink capacity / uplink capacity: "2", "1.5" or "3:2". Throws
/// InputError for `flag` otherwise.
[[nodiscard]] double ratio_of(const std::string& text, const std::string& flag);

}  // namespace railyard::apps

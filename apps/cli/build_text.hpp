#pragma once

#include <string>

namespace railyard::apps {

/// "railyard 0.2.0 (RelWithDebInfo, GNU 12.2.0, commit 1a2b3c4)".
[[nodiscard]] std::string version_text();
/// "RelWithDebInfo, GNU 12.2.0, commit 1a2b3c4".
[[nodiscard]] std::string build_text();

}  // namespace railyard::apps

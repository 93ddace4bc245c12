#pragma once

#include "hw/live_backend.hpp"

namespace railyard::hw {

/// The ranks as threads of this process (hw/local/local_executor.hpp). It needs LiveOptions::ranks.
/// There is no native collective to compare with.
[[nodiscard]] std::unique_ptr<LiveBackend> open_local(const LiveOptions& options);

}  // namespace railyard::hw

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "apps/bench/bench_flags.hpp"
#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// The collective of `railyard bench`, as values.
struct BenchRequest {
  collectives::Collective collective{};  ///< without a size
  std::vector<Bytes> sizes{};
  bool out = false, in = true;  ///< results in another buffer, in the send buffer: a row for each
};

/// Reads the flags of the collective. Throws InputError, also for flags that a backend does not
/// support.
[[nodiscard]] BenchRequest bench_request(const BenchFlags& flags, std::string_view backend);

/// --min-busbw; nothing without it. Throws InputError.
[[nodiscard]] std::optional<Bandwidth> least_busbw(const BenchFlags& flags);

}  // namespace railyard::apps

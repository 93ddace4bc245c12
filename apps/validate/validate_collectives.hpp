#pragma once

#include <optional>
#include <string>

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::apps {

/// Options that apply only to measured collectives.
struct CollectiveOptions {
  std::string cluster{};                          ///< cluster of every table; "": by the map
  std::string harness{};                          ///< launch mode of every table; "": by the map
  std::optional<collectives::Kind> collective{};  ///< of tables that do not state it
};

/// Predicts every row of the request's files. Throws InputError.
[[nodiscard]] Validation validate_collectives(const ValidationRequest& request,
                                              const CollectiveOptions& options, Context& context);

}  // namespace railyard::apps

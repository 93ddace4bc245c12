#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"
#include "placement/mapping/mapping.hpp"

namespace railyard::apps {

/// A strategy on its GPUs, to be launched.
struct Launch {
  const PlaceFlags& flags;
  const Question& question;
  const placement::Strategy& strategy;
  const placement::Mapping& mapping;
  bool equal_batches = true;  ///< every replica has the same number of micro-batches
};

/// Names of the formats of --emit, with what each is.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> launch_formats();
/// Whether --emit names a format (which goes to standard output), not a folder.
[[nodiscard]] bool is_launch_format(const std::string& name);

/// Writes what each --emit asks for. A format that cannot express the strategy or the mapping is an
/// InputError where it was asked for by name, a note where a folder gets every format that can.
void emit(const Launch& launch, Context& context);

}  // namespace railyard::apps

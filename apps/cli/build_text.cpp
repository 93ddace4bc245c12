#include "apps/cli/build_text.hpp"

#include <fmt/format.h>

#include "core/version.hpp"

namespace railyard::apps {

std::string build_text() {
  const core::Build build = core::build();
  const std::string commit = build.commit.empty() ? "" : fmt::format(", commit {}", build.commit);
  return fmt::format("{}, {}{}", build.type, build.compiler, commit);
}

std::string version_text() {
  return fmt::format("railyard {} ({})", core::build().version, build_text());
}

}  // namespace railyard::apps

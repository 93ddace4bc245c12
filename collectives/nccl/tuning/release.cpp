#include "collectives/nccl/tuning/release.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace railyard::collectives::nccl {
namespace {

std::string_view full_name(Version version) {
  switch (version) {
    case Version::v2_28: return "2.28.9";
    case Version::v2_30: return "2.30.7";
    case Version::v2_32: break;
  }
  return "2.32.6";
}

}  // namespace

Version version_of_minor(int minor) {
  if (minor < 29) return Version::v2_28;
  return minor < 31 ? Version::v2_30 : Version::v2_32;
}

std::optional<Release> modelled_release(std::string_view text) {
  // 2.MINOR, or 2.MINOR.PATCH.
  constexpr std::string_view kMajor = "2.";
  if (!text.starts_with(kMajor)) return std::nullopt;
  const char* const end = text.data() + text.size();
  int minor = 0, patch = 0;
  auto read = std::from_chars(text.data() + kMajor.size(), end, minor);
  if (read.ec != std::errc() || minor < 0) return std::nullopt;
  if (read.ptr != end) {
    if (*read.ptr != '.') return std::nullopt;
    read = std::from_chars(read.ptr + 1, end, patch);
    if (read.ec != std::errc() || read.ptr != end || patch < 0) return std::nullopt;
  }
  Release release{.version = version_of_minor(minor), .note = {}};
  const std::string_view modelled = full_name(release.version);
  const bool is_modelled = text == modelled || text == modelled.substr(0, modelled.rfind('.'));
  if (!is_modelled)
    release.note = fmt::format(
        "NCCL {} is not modelled; the answer uses NCCL {}, the nearest modelled release", text,
        modelled);
  return release;
}

}  // namespace railyard::collectives::nccl

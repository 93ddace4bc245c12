#include "collectives/nccl/graph/names.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace railyard::collectives::nccl {
namespace {

// src/graph/paths.cc, levelsOldToNew.
constexpr std::array kOldLevels{PathType::loc, PathType::pix, PathType::pxb,
                                PathType::phb, PathType::sys, PathType::sys};

}  // namespace

std::string_view to_text(GraphPattern pattern) {
  switch (pattern) {
    case GraphPattern::balanced_tree: return "BALANCED_TREE";
    case GraphPattern::split_tree: return "SPLIT_TREE";
    case GraphPattern::tree: return "TREE";
    case GraphPattern::ring: return "RING";
    case GraphPattern::nvls: return "NVLS";
    case GraphPattern::collnet_direct: return "COLLNET_DIRECT";
  }
  return "";
}

std::string_view to_text(CpuVendor vendor) {
  switch (vendor) {
    case CpuVendor::intel: return "Intel";
    case CpuVendor::amd: return "AMD";
    case CpuVendor::zhaoxin: return "Zhaoxin";
    case CpuVendor::arm: return "ARM";
    case CpuVendor::other: return "other";
    case CpuVendor::mixed: return "mixed";
  }
  return "";
}

std::optional<PathType> parse_level(std::string_view text) {
  for (int type = 0; type <= static_cast<int>(PathType::sys); ++type)
    if (to_text(static_cast<PathType>(type)) == text) return static_cast<PathType>(type);
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < 0) return std::nullopt;
  return kOldLevels[std::min(static_cast<std::size_t>(level), kOldLevels.size() - 1)];
}

}  // namespace railyard::collectives::nccl

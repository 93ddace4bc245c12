#include "placement/cost/gemm_tables.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

/// "A: NVIDIA H100, B: NVIDIA A100".
std::string list_of(std::span<const GpuType> types) {
  std::string text;
  for (std::size_t t = 0; t < types.size(); ++t)
    text += fmt::format("{}{}: {}", t == 0 ? "" : ", ", type_name(static_cast<int>(t)),
                        types[t].gpu.gpu.name);
  return text;
}

}  // namespace

void add_gemm_tables(std::span<const std::string> tables, std::span<GpuType> types,
                     const std::string& flag) {
  for (const std::string& table : tables) {
    const bool names_type = table.size() > 1 && table[1] == '=';
    const auto type = names_type ? static_cast<std::size_t>(table[0] - 'A') : std::size_t{0};
    if (!names_type && types.size() > 1)
      throw InputError(
          "", flag, fmt::format("a table applies to one type of GPU; these are {}", list_of(types)),
          fmt::format("{} A={}", flag, table));
    if (type >= types.size())
      throw InputError(
          "", flag,
          fmt::format("there is no GPU type {}; the types are {}", table[0], list_of(types)),
          fmt::format("{} A=FILE", flag));
    types[type].gpu.measured = GemmTable::read(names_type ? table.substr(2) : table);
  }
}

}  // namespace railyard::placement

#include "collectives/formats/measured_table.hpp"

#include <array>
#include <cctype>

namespace railyard::collectives {
namespace {

/// Lower case without what is not a letter or a digit.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) out += static_cast<char>(std::tolower(u));
  }
  return out;
}

}  // namespace

std::optional<Kind> collective_named(std::string_view text) {
  // Longer names first: reducescatter holds reduce.
  static constexpr std::array<std::pair<std::string_view, Kind>, 7> kNames{
      {{"reducescatter", Kind::reduce_scatter},
       {"allreduce", Kind::all_reduce},
       {"allgather", Kind::all_gather},
       {"alltoall", Kind::all_to_all},
       {"broadcast", Kind::broadcast},
       {"sendrecv", Kind::send_recv},
       {"reduce", Kind::reduce}}};
  const std::string word = plain(text);
  for (const auto& [name, kind] : kNames)
    if (word.find(name) != std::string::npos) return kind;
  return std::nullopt;
}

DataType type_named(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, DataType>, 18> kNames{
      {{"half", DataType::float16},
       {"float16", DataType::float16},
       {"fp16", DataType::float16},
       {"bfloat16", DataType::bfloat16},
       {"bf16", DataType::bfloat16},
       {"float8e4m3", DataType::float8_e4m3},
       {"f8e4m3", DataType::float8_e4m3},
       {"float8e5m2", DataType::float8_e5m2},
       {"f8e5m2", DataType::float8_e5m2},
       {"int8", DataType::int8},
       {"uint8", DataType::uint8},
       {"int32", DataType::int32},
       {"uint32", DataType::uint32},
       {"int64", DataType::int64},
       {"uint64", DataType::uint64},
       {"double", DataType::float64},
       {"float64", DataType::float64},
       {"float", DataType::float32}}};
  const std::string word = plain(text);
  for (const auto& [name, type] : kNames)
    if (word == name) return type;
  return DataType::float32;
}

}  // namespace railyard::collectives

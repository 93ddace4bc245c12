#include "collectives/formats/measured_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "collectives/formats/nccl_tests_types.hpp"

namespace railyard::collectives {
namespace {

/// Letters and digits in lower case; other characters are removed.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) out += static_cast<char>(std::tolower(u));
  }
  return out;
}

}  // namespace

std::vector<std::string> unread_notes(const MeasuredTable& table) {
  constexpr std::size_t kMost = 3;
  const std::size_t printed = std::min(table.unread.size(), kMost);
  const auto first = table.unread.begin();
  std::vector<std::string> notes(first, first + static_cast<std::ptrdiff_t>(printed));
  if (const std::size_t more = table.unread.size() - printed; more > 0)
    notes.push_back(fmt::format("{} more rows that cannot be read", more));
  return notes;
}

std::optional<Kind> collective_named(std::string_view text) {
  // Longer names first, because reducescatter contains reduce.
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
  // Names in other programs, and our names after plain().
  static constexpr std::array<std::pair<std::string_view, DataType>, 4> kNames{
      {{"fp16", DataType::float16},
       {"bf16", DataType::bfloat16},
       {"float8e4m3", DataType::float8_e4m3},
       {"float8e5m2", DataType::float8_e5m2}}};
  const std::string word = plain(text);
  for (const auto& [name, type] : kNames)
    if (word == name) return type;
  return type_of_nccl_tests(word).value_or(DataType::float32);
}

}  // namespace railyard::collectives

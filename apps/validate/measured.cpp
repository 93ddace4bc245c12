#include "apps/validate/measured.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "apps/validate/measured_formats.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::DataType;
using collectives::Kind;
using core::JsonValue;

/// Lower case without what is not a letter or a digit.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) out += static_cast<char>(std::tolower(u));
  }
  return out;
}

bool has(const JsonValue& root, std::string_view key) { return root.find(key) != nullptr; }

std::vector<MeasuredTable> parse_json_file(const std::string& name, std::string_view text,
                                           std::optional<Kind> kind) {
  const JsonValue root = core::parse_json(text, name);
  if (has(root, "datasets")) return measured_datasets(root);
  if (has(root, "railyard")) return {measured_result(name, root)};
  if (has(root, "results")) return {measured_nccl_json(name, root, kind)};
  throw InputError(name, "", "is not a file of measurements",
                   "a collection has \"datasets\", a result file of railyard \"railyard\", that of "
                   "nccl-tests -J \"results\"");
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
  static constexpr std::array<std::pair<std::string_view, DataType>, 14> kNames{
      {{"half", DataType::float16},
       {"float16", DataType::float16},
       {"fp16", DataType::float16},
       {"bfloat16", DataType::bfloat16},
       {"bf16", DataType::bfloat16},
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

std::vector<MeasuredTable> parse_measured(const std::string& name, std::string_view text,
                                          std::optional<Kind> kind) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) throw InputError(name, "", "is empty");
  if (text[first] == '{' || text[first] == '/') return parse_json_file(name, text, kind);
  return {measured_nccl_text(name, text, kind)};
}

std::vector<MeasuredTable> read_measured(const std::string& path, std::optional<Kind> kind) {
  return parse_measured(path, core::read_text_file(path), kind);
}

}  // namespace railyard::apps

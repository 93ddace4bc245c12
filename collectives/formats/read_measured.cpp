#include "collectives/formats/read_measured.hpp"

#include "collectives/formats/bench_result.hpp"
#include "collectives/formats/measured_datasets.hpp"
#include "collectives/formats/nccl_tests_output.hpp"
#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using core::JsonValue;

std::vector<MeasuredTable> parse_json_file(const std::string& name, std::string_view text,
                                           std::optional<Kind> kind) {
  const JsonValue root = core::parse_json(text, name);
  if (root.find("datasets") != nullptr) return measured_datasets(root);
  if (root.find("railyard") != nullptr) return {measured_result(name, root)};
  if (root.find("results") != nullptr) return {measured_nccl_json(name, root, kind)};
  throw InputError(name, "", "is not a file of measured collectives",
                   "a collection of tables has \"datasets\", a result file of railyard has "
                   "\"railyard\", the output of nccl-tests -J has \"results\"");
}

}  // namespace

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

std::vector<MeasuredTable> read_measured(const std::vector<std::string>& paths,
                                         std::optional<Kind> kind) {
  std::vector<MeasuredTable> tables;
  for (const std::string& path : paths)
    for (MeasuredTable& table : read_measured(path, kind)) tables.push_back(std::move(table));
  return tables;
}

}  // namespace railyard::collectives

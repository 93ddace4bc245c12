#include "collectives/formats/nccl_tests_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>

#include "collectives/formats/json_members.hpp"
#include "collectives/formats/measured_cells.hpp"

namespace railyard::collectives {
namespace {

using core::JsonValue;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::optional<double> number_in(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// "#  Rank  3 Group  0 Pid  4711 on  host1 device  3 [0000:07:00] NVIDIA H100 80GB HBM3".
struct Devices {
  int ranks = 0;
  std::set<std::string> hosts;
  std::string gpu;
  std::vector<NcclTestsDevice> by_rank;

  void read(const std::vector<std::string>& words) {
    const auto on = std::ranges::find(words, "on");
    if (words.size() < 3 || words[1] != "Rank" || on == words.end()) return;
    ++ranks;
    if (on + 1 != words.end()) hosts.insert(*(on + 1));
    const auto bus = std::ranges::find_if(words, [](const auto& w) { return w.ends_with(']'); });
    NcclTestsDevice device;
    if (on + 1 != words.end()) device.host = *(on + 1);
    if (bus != words.end()) device.place = bus->substr(bus->find('[') + 1);
    if (device.place.ends_with(']')) device.place.pop_back();
    by_rank.push_back(std::move(device));
    if (bus == words.end() || !gpu.empty()) return;
    for (auto word = bus + 1; word != words.end(); ++word) gpu += (gpu.empty() ? "" : " ") + *word;
  }
};

std::optional<Kind> kind_of(std::optional<Kind> asked, std::string_view stated,
                            const std::string& name) {
  if (asked) return asked;
  if (const auto kind = collective_named(stated)) return kind;
  return collective_named(name);
}

/// The collective of rows with a root column. nccl-tests prints the root -1 for collectives without
/// a root, and "none" for those without a reduction. The count is the number of elements of the
/// whole size or of size / ranks, depending on the collective (src/*.cu, *GetCollByteCount). Rows
/// of all_gather and all_to_all look the same.
std::optional<Kind> kind_of_row(const std::vector<std::string>& words, int ranks) {
  const auto size = number_in(words[0]), count = number_in(words[1]), root = number_in(words[4]);
  const bool reduces = words[3] != "none";
  if (!size || !count || !root || ranks < 2) return std::nullopt;
  if (*root >= 0) return reduces ? Kind::reduce : Kind::broadcast;
  if (!reduces) return std::nullopt;
  const double whole = *count * static_cast<double>(size_of(type_named(words[2])).count());
  if (whole == *size) return Kind::all_reduce;
  return whole * ranks == *size ? std::optional(Kind::reduce_scatter) : std::nullopt;
}

void finish(MeasuredTable& table, std::optional<Kind> kind) {
  if (!kind) {
    table.left_out =
        "does not contain the name of the measured collective; give it with --collective";
    table.needs_collective = true;
    table.rows.clear();
    return;
  }
  for (MeasuredRow& row : table.rows) row.collective.kind = *kind;
  if (table.rows.empty())
    table.left_out =
        table.unread.empty() ? "has no rows of nccl-tests" : "none of its rows can be read";
}

}  // namespace

MeasuredTable measured_nccl_text(const std::string& name, std::string_view text,
                                 std::optional<Kind> kind) {
  MeasuredTable table{.name = name, .software = "nccl-tests\n"};
  Devices devices;
  std::string stated;
  std::optional<Kind> of_rows;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;  // of the line
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0].starts_with('#')) {
      devices.read(words);
      if (line.find("_perf") != std::string::npos) stated = line;
      table.software += line + '\n';
      continue;
    }
    // The command, if a script printed it.
    if (stated.empty() && line.find("_perf") != std::string::npos) stated = line;
    // size count type redop [root] time algbw busbw ...; the root is there since 2.12.
    if (words.size() < 7) continue;
    const auto size = number_in(words[0]), count = number_in(words[1]);
    const bool with_root = number_in(words[4]) && words[4].find('.') == std::string::npos;
    // Not a row of the table, or a row of 0 bytes, which nccl-tests also prints.
    if (!size || !count || *size == 0) continue;
    const MeasuredCell bytes = size_cell(words[0]);
    const MeasuredCell time = time_cell(words[with_root ? 5 : 4]);
    if (words[3] == "none" || reduce_op_from(words[3]))
      for (const std::string& problem : {bytes.problem, time.problem})
        if (!problem.empty()) table.unread.push_back(fmt::format("line {}: {}", number, problem));
    if (!bytes.value || !time.value) continue;
    MeasuredRow row;
    row.collective.bytes = Bytes(static_cast<std::int64_t>(*bytes.value));
    row.collective.type = type_named(words[2]);
    row.collective.op = reduce_op_from(words[3]).value_or(ReduceOp::sum);
    row.time_us = *time.value;
    // time algbw busbw #wrong, then the same in place, where a column may be "N/A".
    const std::size_t in_place = with_root ? 9 : 8;
    if (words.size() > in_place) row.in_place_us = time_cell(words[in_place]).value.value_or(0);
    table.rows.push_back(row);
    if (with_root) of_rows = kind_of_row(words, devices.ranks);
  }
  table.hardware = "gpu: " + devices.gpu + '\n';
  table.devices = devices.by_rank;
  for (MeasuredRow& row : table.rows) {
    row.ranks = devices.ranks;
    row.nodes = static_cast<int>(devices.hosts.size());
  }
  const auto named = kind_of(kind, stated, name);
  finish(table, named ? named : of_rows);
  return table;
}

MeasuredTable measured_nccl_json(const std::string& name, const JsonValue& root,
                                 std::optional<Kind> kind) {
  MeasuredTable table{.name = name};
  // "env" may contain secrets, so only NCCL's own variables are copied.
  table.software =
      "nccl_version: " + text_of(root, "nccl_version") + "\nargs: " + text_of(root, "args") + '\n';
  if (const JsonValue* env = root.find("env")) {
    if (const auto* members = std::get_if<JsonValue::Object>(&env->data))
      for (const auto& [key, value] : *members)
        if (key.starts_with("NCCL_")) table.environment.emplace_back(key, text_of(*env, key));
  }
  Devices devices;
  if (const JsonValue* config = root.find("config")) {
    const JsonValue* list = config->find("devices");
    const auto* items = list == nullptr ? nullptr : std::get_if<JsonValue::List>(&list->data);
    for (const JsonValue& device : items == nullptr ? JsonValue::List{} : *items) {
      ++devices.ranks;
      for (const char* key : {"hostname", "host"})
        if (const std::string host = text_of(device, key); !host.empty())
          devices.hosts.insert(host);
      for (const char* key : {"name", "device_name", "gpu"})
        if (const std::string gpu = text_of(device, key); !gpu.empty()) devices.gpu = gpu;
    }
  }
  table.hardware = "gpu: " + devices.gpu + '\n';
  const JsonValue* results = root.find("results");
  const auto* rows = std::get_if<JsonValue::List>(&results->data);
  for (std::size_t i = 0; rows != nullptr && i < rows->size(); ++i) {
    const JsonValue& value = (*rows)[i];
    const JsonValue* out = value.find("out_of_place");
    if (number_of(value, "size") == 0) continue;  // nccl-tests writes rows of 0 bytes
    const MeasuredCell size = size_cell(value.find("size"));
    const MeasuredCell time = time_cell(out == nullptr ? nullptr : out->find("time"));
    for (const std::string& problem : {size.problem, time.problem})
      if (!problem.empty()) table.unread.push_back(fmt::format("results/{}: {}", i, problem));
    if (!size.value || !time.value) continue;
    MeasuredRow row;
    row.collective.bytes = Bytes(static_cast<std::int64_t>(*size.value));
    row.collective.type = type_named(text_of(value, "type"));
    row.collective.op = reduce_op_from(text_of(value, "redop")).value_or(ReduceOp::sum);
    row.time_us = *time.value;
    row.ranks = devices.ranks;
    row.nodes = static_cast<int>(devices.hosts.size());
    table.rows.push_back(row);
  }
  finish(table, kind_of(kind, text_of(root, "args"), name));
  return table;
}

}  // namespace railyard::collectives

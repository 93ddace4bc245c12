#include "collectives/workload/workload_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/workload/like_operations.hpp"
#include "collectives/workload/program_builder.hpp"
#include "collectives/workload/program_repeats.hpp"
#include "collectives/workload/workload_fields.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

std::vector<std::int64_t> wide(const std::vector<std::uint32_t>& ranks) {
  return {ranks.begin(), ranks.end()};
}

/// The ranks of a list. An invalid rank becomes the number of ranks, which the constructor of
/// Workload rejects.
std::vector<std::uint32_t> narrow(const std::vector<std::int64_t>& ranks, std::uint32_t count) {
  std::vector<std::uint32_t> result;
  for (const std::int64_t rank : ranks)
    result.push_back(rank < 0 || rank >= count ? count : static_cast<std::uint32_t>(rank));
  return result;
}

/// The decimal number from which a share was read, because floats have about seven digits.
double decimal(float share) { return std::stod(fmt::format("{:.7g}", share)); }

OperationText text_of(const Workload& workload, const Program& program, std::uint32_t index) {
  const Operation& its = program.operations[index];
  OperationText text{.kind = its.kind, .name = workload.names()[its.name]};
  if (its.stream != Operation::kUnordered) text.stream = program.streams[its.stream];
  text.duration = its.duration;
  if (is_communication(its.kind)) {
    text.family = workload.families()[its.family].name;
    text.bytes = its.bytes;
    text.tag = its.tag;
    text.rate_share = decimal(its.rate_share);
    text.compute_share = decimal(its.compute_share);
  }
  if (its.kind == OperationKind::collective) {
    text.collective = its.collective;
    text.root = its.peer;
  } else if (is_communication(its.kind)) {
    (its.is_relative ? text.offset : text.peer) = its.peer;
  }
  for (const Dependency& other : program.dependencies(index))
    (other.on_begin ? text.after_begin : text.after).push_back(other.operation);
  return text;
}

/// The same for the first repetition of a repeat.
OperationText text_of(const Workload& workload, const Program& program, const ProgramRepeat& repeat,
                      std::uint32_t index) {
  OperationText text = text_of(workload, program, index);
  const RepeatSteps steps = steps_of(program, workload.names(), repeat, index);
  text.name_step = steps.name;
  text.tag_step = steps.tag;
  const auto dependencies = program.dependencies(index);
  for (std::size_t d = 0; d < dependencies.size(); ++d)
    (dependencies[d].on_begin ? text.after_begin_step : text.after_step).push_back(steps.after[d]);
  const auto leave_out_default = [&](std::vector<std::int64_t>& all) {
    if (std::ranges::count(all, std::int64_t{repeat.count}) == std::ssize(all)) all.clear();
  };
  leave_out_default(text.after_step);
  leave_out_default(text.after_begin_step);
  return text;
}

ProgramText text_of(const Workload& workload, const Program& program) {
  ProgramText text;
  std::uint32_t next = 0;
  const auto add_until = [&](std::uint32_t end) {
    for (; next < end; ++next) text.operations.push_back(text_of(workload, program, next));
  };
  for (const ProgramRepeat& repeat : repeats_of(program, workload.names())) {
    add_until(repeat.first);
    text.repeats.push_back(
        {.first = std::ssize(text.operations), .count = repeat.count, .times = repeat.times});
    for (; next < repeat.first + repeat.count; ++next)
      text.operations.push_back(text_of(workload, program, repeat, next));
    next = repeat.first + repeat.count * repeat.times;
  }
  add_until(static_cast<std::uint32_t>(program.operations.size()));
  compress_likes(text);
  return text;
}

/// Limit on the operations of all programs in a file, with repetitions. Each needs about 100 bytes,
/// so this is about 5 GB.
constexpr std::int64_t kMostOperations = 50'000'000;

/// Adds the operations of a program in a file, with expanded repeats. Problems are reported at
/// `where`.
class ProgramReader {
 public:
  ProgramReader(const ProgramText& text, std::span<const FamilyText> families, std::string where,
                NameTable& names, std::int64_t& operations, Diagnostics& problems)
      : text_(text),
        families_(families),
        where_(std::move(where)),
        program_(names),
        operations_(operations),
        problems_(problems) {}

  Program read() {
    if (!are_repeats_right()) return {};
    std::size_t row = 0;
    for (const RepeatText& repeat : text_.repeats) {
      const auto first = static_cast<std::size_t>(repeat.first);
      const auto count = static_cast<std::size_t>(repeat.count);
      add_once(row, first);
      std::vector<Row> rows;
      for (row = first; row < first + count; ++row) rows.push_back(row_of(row, repeat.count));
      repeat_ = &repeat - text_.repeats.data();
      for (std::int64_t k = 0; k < repeat.times && problems_.empty(); ++k)
        for (const Row& one : rows) add(one, k);
    }
    add_once(row, text_.operations.size());
    return program_.take();
  }

 private:
  /// An entry of the list of operations.
  struct Row {
    std::size_t index = 0;
    const OperationText* text = nullptr;
    Operation operation{};
    NumberedName name{};
    std::vector<std::pair<std::int64_t, std::int64_t>> after{};  ///< of the first time, step
  };

  [[nodiscard]] std::string at(std::size_t row) const {
    return fmt::format("{}/operations/{}", where_, row);
  }

  bool are_repeats_right() {
    const std::size_t before = problems_.size();
    const auto rows = static_cast<std::int64_t>(text_.operations.size());
    std::int64_t end = 0;
    operations_ += rows;
    for (std::size_t i = 0; i < text_.repeats.size(); ++i) {
      const RepeatText& repeat = text_.repeats[i];
      const std::string where = fmt::format("{}/repeats/{}", where_, i);
      if (repeat.first < end)
        problems_.add(where, fmt::format("begins at operation {}, before the end of the repeat in "
                                         "front of it",
                                         repeat.first));
      end = repeat.first + repeat.count;
      if (end > rows) problems_.add(where, fmt::format("ends at operation {} of {}", end, rows));
      const std::int64_t left = kMostOperations - std::min(operations_, kMostOperations);
      if (repeat.times - 1 > left / repeat.count) {
        problems_.add(where, fmt::format("{} operations {} times: the programs of a file have at "
                                         "most {} million operations, repetitions included",
                                         repeat.count, repeat.times, kMostOperations / 1'000'000));
        return false;
      }
      operations_ += repeat.count * (repeat.times - 1);
    }
    return problems_.size() == before;
  }

  void add_once(std::size_t row, std::size_t end) {
    for (; row < end; ++row) {
      const OperationText& text = text_.operations[row];
      if (text.name_step != 0 || text.tag_step != 0 || !text.after_step.empty() ||
          !text.after_begin_step.empty())
        problems_.add(at(row), "has a step, but is not part of a repeat");
      add(row_of(row, 0), 0);
    }
  }

  [[nodiscard]] Row row_of(std::size_t row, std::int64_t step) {
    const OperationText& text = text_.operations[row];
    Row its{.index = row,
            .text = &text,
            .operation = {.kind = *text.kind, .stream = Operation::kUnordered}};
    Operation& operation = its.operation;
    if (!text.stream.empty()) operation.stream = program_.stream(text.stream);
    operation.duration = text.duration;
    if (is_communication(operation.kind)) {
      const auto family = std::ranges::find(families_, text.family, &FamilyText::name);
      operation.family = static_cast<std::uint32_t>(family - families_.begin());
      if (family == families_.end())
        problems_.add(at(row) + "/family", fmt::format("'{}' is not a family", text.family));
      operation.bytes = text.bytes;
      operation.rate_share = static_cast<float>(text.rate_share);
      operation.compute_share = static_cast<float>(text.compute_share);
    }
    if (text.collective) {
      operation.collective = *text.collective;
      operation.peer = static_cast<std::int32_t>(text.root);
    } else {
      operation.is_relative = text.offset.has_value();
      operation.peer = static_cast<std::int32_t>(text.offset.value_or(text.peer.value_or(0)));
    }
    its.name = numbered(text.name);
    if (text.name_step != 0 && its.name.number < 0)
      problems_.add(at(row) + "/name_step", fmt::format("'{}' has no number", text.name));
    const auto add_all = [&](const auto& others, const auto& steps) {
      for (std::size_t i = 0; i < others.size(); ++i)
        its.after.emplace_back(others[i], i < steps.size() ? steps[i] : step);
    };
    add_all(text.after, text.after_step);
    add_all(text.after_begin, text.after_begin_step);
    return its;
  }

  /// A row for the k-th time.
  void add(const Row& row, std::int64_t k) {
    const auto value = [&](std::int64_t first, std::int64_t step, std::string_view key,
                           std::string_view what) {
      const std::int64_t now = first + k * step;  // both below 2^32: no overflow
      if (now >= 0 && now <= 0xffffffff) return static_cast<std::uint32_t>(now);
      problems_.add(fmt::format("{}/{}", at(row.index), key),
                    k == 0 ? fmt::format("{} {} does not exist", what, now)
                           : fmt::format("{} {} of repetition {} of repeats/{} does not exist",
                                         what, now, k, repeat_));
      return std::uint32_t{0};
    };
    Operation operation = row.operation;
    if (is_communication(operation.kind))
      operation.tag = value(row.text->tag, row.text->tag_step, "tag", "tag");
    std::vector<Dependency> after;
    for (std::size_t i = 0; i < row.after.size(); ++i)
      after.push_back(
          {.operation = value(row.after[i].first, row.after[i].second, "after", "operation"),
           .on_begin = i >= row.text->after.size()});
    if (row.text->name_step == 0 || k == 0 || row.name.number < 0) {
      program_.add(row.text->name, operation, std::span<const Dependency>(after));
      return;
    }
    const std::uint32_t number = value(row.name.number, row.text->name_step, "name_step", "number");
    program_.add(fmt::format("{}{}{}", row.name.before, number, row.name.behind), operation,
                 std::span<const Dependency>(after));
  }

  const ProgramText& text_;
  std::span<const FamilyText> families_;
  std::string where_;
  std::ptrdiff_t repeat_ = 0;  ///< that is added
  ProgramBuilder program_;
  std::int64_t& operations_;  ///< of the programs so far
  Diagnostics& problems_;
};

Workload workload_of(WorkloadFile file) {
  Diagnostics problems("");
  Workload::Parts parts{.ranks = static_cast<std::uint32_t>(file.ranks)};
  for (const FamilyText& family : file.families) {
    GroupFamily& its = parts.families.emplace_back(GroupFamily{.name = family.name});
    for (const auto& group : family.groups) its.groups.push_back(narrow(group, parts.ranks));
  }
  NameTable names;
  std::int64_t operations = 0;
  for (std::size_t p = 0; p < file.programs.size(); ++p) {
    const std::string where = fmt::format("/programs/{}", p);
    if (!expand_likes(file.programs[p], where, problems)) continue;
    ProgramReader reader(file.programs[p], file.families, where, names, operations, problems);
    parts.programs.push_back(reader.read());
  }
  problems.throw_if_any();
  for (const RoleText& role : file.roles)
    parts.roles.push_back({.name = role.name,
                           .program = role.program < 0
                                          ? static_cast<std::uint32_t>(parts.programs.size())
                                          : static_cast<std::uint32_t>(role.program),
                           .ranks = narrow(role.ranks, parts.ranks)});
  parts.names = names.names();
  return Workload(std::move(parts));
}

}  // namespace

std::string write_workload(const Workload& workload) {
  WorkloadFile file{.ranks = workload.ranks()};
  for (const GroupFamily& family : workload.families()) {
    FamilyText& text = file.families.emplace_back(FamilyText{.name = family.name});
    for (const auto& group : family.groups) text.groups.push_back(wide(group));
  }
  for (const Program& program : workload.programs())
    file.programs.push_back(text_of(workload, program));
  for (const WorkloadRole& role : workload.roles())
    file.roles.push_back({.name = role.name, .program = role.program, .ranks = wide(role.ranks)});
  return core::write_config(file, "workload.schema.json");
}

Workload read_workload(std::string_view text, const std::string& file) {
  auto read = core::read_config_text<WorkloadFile>(text, file);
  try {
    return workload_of(std::move(read));
  } catch (const InputError& error) {
    throw error.in_file(file);
  }
}

}  // namespace railyard::collectives

#include "collectives/workload/workload_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "collectives/workload/program_builder.hpp"
#include "collectives/workload/workload_fields.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

std::vector<std::int64_t> wide(const std::vector<std::uint32_t>& ranks) {
  return {ranks.begin(), ranks.end()};
}

/// Ranks of a list; the number of ranks, which does not exist, for what is out of range.
std::vector<std::uint32_t> narrow(const std::vector<std::int64_t>& ranks, std::uint32_t count) {
  std::vector<std::uint32_t> result;
  for (const std::int64_t rank : ranks)
    result.push_back(rank < 0 || rank >= count ? count : static_cast<std::uint32_t>(rank));
  return result;
}

/// The decimal number that a share was written as: floats are written with seven digits.
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

/// An operation of a file; problems at `where`.
void add_operation(const OperationText& text, std::span<const FamilyText> families,
                   const std::string& where, ProgramBuilder& program, Diagnostics& problems) {
  Operation its{.kind = text.kind, .stream = Operation::kUnordered};
  if (!text.stream.empty()) its.stream = program.stream(text.stream);
  its.duration = text.duration;
  if (is_communication(text.kind)) {
    const auto family = std::ranges::find(families, text.family, &FamilyText::name);
    its.family = static_cast<std::uint32_t>(family - families.begin());
    if (family == families.end())
      problems.add(where + "/family", fmt::format("'{}' is not a family", text.family));
    its.bytes = text.bytes;
    its.tag = static_cast<std::uint32_t>(text.tag);
    its.rate_share = static_cast<float>(text.rate_share);
    its.compute_share = static_cast<float>(text.compute_share);
  }
  if (text.collective) {
    its.collective = *text.collective;
    its.peer = static_cast<std::int32_t>(text.root);
  } else {
    its.is_relative = text.offset.has_value();
    its.peer = static_cast<std::int32_t>(text.offset.value_or(text.peer.value_or(0)));
  }
  std::vector<Dependency> after;
  const auto add = [&](std::int64_t other, bool on_begin) {
    if (other < 0 || other > 0xffffffff)
      problems.add(where + "/after", fmt::format("operation {} does not exist", other));
    else
      after.push_back({static_cast<std::uint32_t>(other), on_begin});
  };
  for (const std::int64_t other : text.after) add(other, false);
  for (const std::int64_t other : text.after_begin) add(other, true);
  program.add(text.name, its, std::span<const Dependency>(after));
}

Workload workload_of(const WorkloadFile& file) {
  Diagnostics problems("");
  Workload::Parts parts{.ranks = static_cast<std::uint32_t>(file.ranks)};
  for (const FamilyText& family : file.families) {
    GroupFamily& its = parts.families.emplace_back(GroupFamily{.name = family.name});
    for (const auto& group : family.groups) its.groups.push_back(narrow(group, parts.ranks));
  }
  NameTable names;
  for (std::size_t p = 0; p < file.programs.size(); ++p) {
    ProgramBuilder program(names);
    const auto& operations = file.programs[p].operations;
    for (std::size_t i = 0; i < operations.size(); ++i)
      add_operation(operations[i], file.families,
                    fmt::format("/programs/{}/operations/{}", p, i), program, problems);
    parts.programs.push_back(program.take());
  }
  problems.throw_if_any();
  for (const RoleText& role : file.roles)
    parts.roles.push_back({.name = role.name,
                           .program = role.program < 0 ? static_cast<std::uint32_t>(
                                                             parts.programs.size())
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
  for (const Program& program : workload.programs()) {
    ProgramText& text = file.programs.emplace_back();
    for (std::uint32_t i = 0; i < program.operations.size(); ++i)
      text.operations.push_back(text_of(workload, program, i));
  }
  for (const WorkloadRole& role : workload.roles())
    file.roles.push_back({.name = role.name, .program = role.program, .ranks = wide(role.ranks)});
  return core::write_config(file, "workload.schema.json");
}

Workload read_workload(std::string_view text, const std::string& file) {
  const auto read = core::read_config_text<WorkloadFile>(text, file);
  try {
    return workload_of(read);
  } catch (const InputError& error) {
    throw error.in_file(file);
  }
}

}  // namespace railyard::collectives

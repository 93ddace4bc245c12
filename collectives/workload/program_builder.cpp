#include "collectives/workload/program_builder.hpp"

#include <algorithm>

namespace railyard::collectives {

std::uint32_t NameTable::id(std::string_view name) {
  if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
  const auto id = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(name, id);
  return id;
}

std::uint16_t ProgramBuilder::stream(std::string_view name) {
  const auto known = std::find(program_.streams.begin(), program_.streams.end(), name);
  const auto number = static_cast<std::uint16_t>(known - program_.streams.begin());
  if (known == program_.streams.end()) program_.streams.emplace_back(name);
  return number;
}

std::uint32_t ProgramBuilder::add(std::string_view name, Operation operation,
                                  std::initializer_list<std::uint32_t> after) {
  std::vector<Dependency> dependencies;
  for (const std::uint32_t other : after)
    if (other != kNothing) dependencies.push_back({other});
  return add(name, operation, std::span<const Dependency>(dependencies));
}

std::uint32_t ProgramBuilder::add(std::string_view name, Operation operation,
                                  std::span<const Dependency> after) {
  operation.name = names_->id(name);
  program_.operations.push_back(operation);
  program_.after.insert(program_.after.end(), after.begin(), after.end());
  program_.after_ends.push_back(static_cast<std::uint32_t>(program_.after.size()));
  return size() - 1;
}

}  // namespace railyard::collectives

#include "collectives/formats/nccl_tests_types.hpp"

#include <array>
#include <utility>

namespace railyard::collectives {
namespace {

/// nccl-tests src/common.cu, test_typenames: those that are not ours.
constexpr std::array<std::pair<std::string_view, DataType>, 5> kNames{
    {{"half", DataType::float16},
     {"float", DataType::float32},
     {"double", DataType::float64},
     {"f8e4m3", DataType::float8_e4m3},
     {"f8e5m2", DataType::float8_e5m2}}};

}  // namespace

std::string_view nccl_tests_type(DataType type) {
  for (const auto& [name, its] : kNames)
    if (its == type) return name;
  return to_text(type);
}

std::optional<DataType> type_of_nccl_tests(std::string_view name) {
  for (const auto& [its, type] : kNames)
    if (its == name) return type;
  return data_type_from(name);
}

}  // namespace railyard::collectives

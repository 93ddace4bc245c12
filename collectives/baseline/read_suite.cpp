#include "collectives/baseline/read_suite.hpp"

#include "collectives/baseline/suite_fields.hpp"
#include "core/config/config_path.hpp"

namespace railyard::collectives {

Suite read_suite(const std::string& reference) {
  return core::read_config<Suite>(core::resolve_config(reference, "suites"));
}

}  // namespace railyard::collectives

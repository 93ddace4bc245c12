#include "apps/regress/read_suite.hpp"

#include "apps/regress/suite_fields.hpp"
#include "core/config/config_path.hpp"

namespace railyard::apps {

Suite read_suite(const std::string& reference) {
  return core::read_config<Suite>(core::resolve_config(reference, "suites"));
}

}  // namespace railyard::apps

#pragma once

#include "apps/cli/context.hpp"
#include "apps/explain/explain_setting.hpp"
#include "apps/output/rows.hpp"

namespace railyard::apps {

/// Plans the best choices on the fabric, writes the files of --tuner-csv and --tuner-json, and
/// returns the ranges of the plan as rows. Throws InputError.
[[nodiscard]] RowTable write_tuning(ExplainSetting& setting, Context& context);

}  // namespace railyard::apps

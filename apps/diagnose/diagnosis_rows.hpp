#pragma once

#include "apps/output/rows.hpp"
#include "hw/diagnose/diagnosis.hpp"

namespace railyard::apps {

/// A row per finding, with evidence and next test.
[[nodiscard]] RowTable tabulate_findings(const hw::Diagnosis& diagnosis);
/// The same without long texts, for the terminal.
[[nodiscard]] RowTable summarise_findings(const hw::Diagnosis& diagnosis);
/// A row per finding, collective, number of GPUs and size.
[[nodiscard]] RowTable tabulate_size_effects(const hw::Diagnosis& diagnosis);
/// A row per collective, number of GPUs and size, with the healthy time.
[[nodiscard]] RowTable tabulate_baselines(const hw::Diagnosis& diagnosis);

}  // namespace railyard::apps

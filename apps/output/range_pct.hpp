#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/range/machine_range.hpp"
#include "placement/measured/step_range.hpp"

namespace railyard::apps {

/// Adds the column range_pct, the 80 % range of fitted times, to rows with a column "bytes", and
/// the evidence for the machine parts to the facts, if `requested` or a part is nominal. Returns a
/// note for each nominal part.
[[nodiscard]] std::vector<std::string> add_machine_range(
    const collectives::nccl::MachineRange& range, bool requested, RowTable& rows,
    Provenance& provenance);

/// The same for iteration_s in the rows and the summary of strategies, which have a column "gpus".
/// Adds its notes to those of the document.
[[nodiscard]] std::vector<std::string> add_step_range(const placement::StepRange& range,
                                                      bool requested, ResultDocument& document);

}  // namespace railyard::apps

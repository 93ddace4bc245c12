#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"

#include "collectives/nccl/timing/range/prediction_ranges_fields.hpp"
#include "core/config/config_path.hpp"

namespace railyard::collectives::nccl {

PredictionRanges read_prediction_ranges(const std::string& reference) {
  return core::read_config<PredictionRanges>(core::resolve_config(reference, "ranges"));
}

std::string write_prediction_ranges(const PredictionRanges& ranges) {
  return core::write_config(ranges, "../schema/ranges.schema.json");
}

}  // namespace railyard::collectives::nccl

#pragma once

#include <span>
#include <string>

#include "placement/cost/gpu_type.hpp"

namespace railyard::placement {

/// Reads tables of measured matrix products (GemmTable) into the types of GPU: "FILE", or with
/// several types "A=FILE". Throws InputError at `flag` for a type that does not exist and for a
/// table of no type where there are several.
void add_gemm_tables(std::span<const std::string> tables, std::span<GpuType> types,
                     const std::string& flag);

}  // namespace railyard::placement

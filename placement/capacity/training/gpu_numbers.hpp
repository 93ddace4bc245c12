#pragma once

#include <string>
#include <vector>

namespace railyard::placement {

/// Reads numbers of GPUs: a list "512,1024", which becomes ascending without duplicates, or a range
/// "512..8192" in steps of 2x, with its end. Throws InputError at `flag`.
[[nodiscard]] std::vector<int> parse_gpu_numbers(const std::string& text, const std::string& flag);

}  // namespace railyard::placement

#include "placement/model/batch_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/money.hpp"

namespace railyard::placement {
namespace {

// More than any published training: Llama 3 405B ends with 16M tokens per step, DeepSeek-V3 with
// 63M (arXiv 2407.21783, section 3.4.1; 2412.19437, section 4.2).
constexpr std::int64_t kManyTokens = 1'000'000'000;
constexpr std::int64_t kUsualTokens = 4'194'304;

}  // namespace

int missing_factor(int batch, int gpus) {
  int missing = 1;
  while (gpus % 2 == 0) gpus /= 2;
  for (int prime = 3; gpus > 1; prime += 2) {
    if (prime > gpus / prime) prime = gpus;  // the rest is a prime
    for (; gpus % prime == 0; gpus /= prime) {
      if (batch % prime == 0)
        batch /= prime;
      else
        missing *= prime;
    }
  }
  return missing;
}

std::vector<std::string> batch_notes(const Job& job, int gpus) {
  std::vector<std::string> notes;
  const std::int64_t tokens = std::int64_t{job.batch} * job.sequence;
  if (tokens > kManyTokens)
    notes.push_back(
        fmt::format("a step has {} tokens, because a batch is a number of sequences; 4M tokens are "
                    "a batch of {}",
                    core::count_text(static_cast<double>(tokens)),
                    std::max<std::int64_t>(1, kUsualTokens / job.sequence)));
  if (const int missing = missing_factor(job.batch, gpus); missing > 1) {
    // Suggest a multiple of the number of GPUs or, if that is more than twice as large as the
    // batch, of its odd part.
    const int unit = gpus <= 2 * job.batch ? gpus : gpus / (gpus & -gpus);
    notes.push_back(
        fmt::format("a batch of {} is not divisible by the factor {} of {} GPUs, so tp, pp or cp "
                    "must contain this factor; a divisible batch is --batch {}",
                    job.batch, missing, gpus, std::max(1, (job.batch + unit / 2) / unit) * unit));
  }
  return notes;
}

}  // namespace railyard::placement

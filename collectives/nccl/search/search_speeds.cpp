#include "collectives/nccl/search/search_speeds.hpp"

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/graph/search.cc, speedArrayIntra, speedArrayInter and those of sm90 and sm100.
constexpr float kIntra[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr float kInter[] = {48, 30, 28, 24, 20, 18,   15,   12,    10,   9,
                            7,  6,  5,  4,  3,  2.4F, 1.2F, 0.24F, 0.12F};
constexpr float kIntraHopper[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr float kInterHopper[] = {48, 45, 42, 40, 30,   24,   22,    20,   17.5F,
                                  15, 12, 6,  3,  2.4F, 1.2F, 0.24F, 0.12F};
constexpr float kIntraBlackwell[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
constexpr float kInterBlackwell[] = {96, 86,    80, 48, 45.1F, 42, 40,   30,   24,    22,
                                     20, 17.5F, 15, 12, 6,     3,  2.4F, 1.2F, 0.24F, 0.12F};
// NCCL 2.28.9, same arrays.
constexpr float kIntraBlackwell28[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
constexpr float kInterBlackwell28[] = {96,    48, 45.1F, 42, 40, 30,   24,   22,    20,
                                       17.5F, 15, 12,    6,  3,  2.4F, 1.2F, 0.24F, 0.12F};

}  // namespace

std::span<const float> search_speeds(int min_compute_capability, bool inter, Version version) {
  if (min_compute_capability >= kBlackwell && version == Version::v2_28)
    return inter ? std::span<const float>(kInterBlackwell28) : kIntraBlackwell28;
  if (min_compute_capability >= kBlackwell)
    return inter ? std::span<const float>(kInterBlackwell) : kIntraBlackwell;
  if (min_compute_capability >= kHopper)
    return inter ? std::span<const float>(kInterHopper) : kIntraHopper;
  return inter ? std::span<const float>(kInter) : kIntra;
}

}  // namespace railyard::collectives::nccl

#include <cstdio>

#include "core/units.hpp"

int main() {
  using namespace railyard::literals;
  const railyard::Time time = railyard::core::serialisation_time(1_GiB, 400_Gbps);
  std::puts(railyard::core::to_text(time).c_str());
}

#include "placement/mapping/layouts.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

std::vector<int> prime_factors(int n) {
  std::vector<int> primes;
  for (int p = 2; p * p <= n; ++p) {
    if (n % p == 0) primes.push_back(p);
    while (n % p == 0) n /= p;
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

Layout joined(const Layout& layout) {
  Layout out;
  for (const GridDimension& d : layout) {
    if (d.size == 1) continue;
    if (!out.empty() && out.back().axis == d.axis) {
      out.back().size *= d.size;
    } else {
      out.push_back(d);
    }
  }
  return out;
}

}  // namespace

std::vector<Layout> axis_orders(const RankGrid& grid) {
  Layout layout;
  for (std::size_t a = 0; a < kGridAxes; ++a) {
    const auto axis = static_cast<GridAxis>(a);
    if (grid.size(axis) > 1) layout.push_back({axis, grid.size(axis)});
  }
  std::vector<Layout> orders;
  do {
    orders.push_back(layout);
  } while (std::ranges::next_permutation(layout, {}, &GridDimension::axis).found);
  return orders;
}

std::vector<Layout> neighbours(const Layout& layout) {
  std::vector<Layout> found;
  const Layout self = joined(layout);
  const auto add = [&](const Layout& changed) {
    Layout next = joined(changed);
    if (next != self && std::ranges::find(found, next) == found.end())
      found.push_back(std::move(next));
  };
  for (std::size_t i = 0; i < self.size(); ++i) {
    std::vector<int> parts = prime_factors(self[i].size);
    if (std::ranges::find(parts, self[i].size) == parts.end()) parts.push_back(self[i].size);
    for (const int part : parts) {
      Layout rest = self;
      rest[i].size /= part;
      for (std::size_t at = 0; at <= rest.size(); ++at) {
        Layout changed = rest;
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), {self[i].axis, part});
        add(changed);
      }
    }
  }
  return found;
}

}  // namespace railyard::placement

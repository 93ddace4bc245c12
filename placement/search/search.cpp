#include "placement/search/search.hpp"

#include "placement/cost/data_parallel.hpp"
#include "placement/search/fixed_strategy.hpp"
#include "placement/search/one_type.hpp"
#include "placement/search/several_types.hpp"
#include "placement/search/shortlist.hpp"

namespace railyard::placement {

SearchResult search(const CostContext& context, const SearchSpace& space) {
  // A copy of the context with caches of product times for this search.
  std::vector<ProductTimes> products;
  products.reserve(context.types.size());
  for (const TypeContext& type : context.types) products.emplace_back(type.gpu);
  CostContext own(context.job, context.order);
  for (std::size_t t = 0; t < context.types.size(); ++t) {
    TypeContext type = context.types[t];
    type.products = &products[t];
    own.types.push_back(type);
  }

  Shortlist shortlist(own, space);
  if (space.fix) {
    consider_fixed(own, space, shortlist);
    return shortlist.release();
  }
  if (space.offload)
    for (const TypeContext& type : own.types) require_host_bandwidth(type.gpu);
  if (shortlist.is_one_type())
    search_one_type(own, space, shortlist);
  else
    search_several_types(own, space, shortlist);
  return shortlist.release();
}

}  // namespace railyard::placement

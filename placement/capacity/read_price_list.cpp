#include "placement/capacity/read_price_list.hpp"

#include "core/config/config_path.hpp"
#include "placement/capacity/price_list_fields.hpp"

namespace railyard::placement {

PriceList read_price_list(const std::string& reference) {
  return core::read_config<PriceList>(core::resolve_config(reference, "prices"));
}

}  // namespace railyard::placement

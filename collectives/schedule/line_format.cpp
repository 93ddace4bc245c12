#include "collectives/schedule/line_format.hpp"

namespace railyard::collectives {

double bytes_per_data_byte(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return 2.0;
    case Protocol::ll128: return 128.0 / 120.0;
    case Protocol::simple: break;
  }
  return 1.0;
}

}  // namespace railyard::collectives

#include "placement/launch/indented.hpp"

#include <algorithm>

namespace railyard::placement {

std::string indented(const std::string& text, std::size_t spaces) {
  const std::string margin(spaces, ' ');
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += margin + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace railyard::placement

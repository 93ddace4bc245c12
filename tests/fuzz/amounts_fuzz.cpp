// Texts with units and hostlists: any bytes are a value or an error; values are printed and read
// back to themselves.
#include <cstdint>
#include <cstdlib>

#include "core/units.hpp"
#include "topology/formats/hostlist.hpp"

namespace {

template <class Parse>
void round_trip(std::string_view text, const Parse& parse) {
  const auto read = parse(text);
  if (read.value.has_value() == !read.error.empty()) std::abort();
  if (!read.value) return;
  const auto again = parse(railyard::core::to_text(*read.value));
  if (!again.value || *again.value != *read.value) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  round_trip(text, core::parse_bytes);
  round_trip(text, core::parse_bandwidth);
  round_trip(text, core::parse_time);
  (void)core::parse_size(text);
  const auto names = topology::parse_hostlist(text, 10'000);
  if (names.value) {
    const auto again = topology::parse_hostlist(topology::format_hostlist(*names.value), 10'000);
    if (!again.value || *again.value != *names.value) std::abort();
  }
  return 0;
}

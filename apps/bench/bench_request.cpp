#include "apps/bench/bench_request.hpp"

#include "apps/cli/flag_value.hpp"
#include "apps/cli/setting.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

void set_places(const BenchFlags& flags, BenchRequest& request) {
  const bool is_nccl_tests = flags.format == "nccl-tests";
  if (is_nccl_tests && flags.place == "in") {
    throw InputError("", "--place", "the format nccl-tests requires out-of-place times",
                     "use --place both or out");
  }
  request.out = flags.place.empty() ? is_nccl_tests : flags.place != "in";
  request.in = flags.place != "out";
}

}  // namespace

BenchRequest bench_request(const BenchFlags& flags, std::string_view backend) {
  BenchRequest request{.collective = collective_of(flags.collective)};
  set_places(flags, request);
  request.sizes = sizes_of(flags.collective);
  if (!flags.workload.empty() || flags.output.trace.empty()) return request;
  if (request.sizes.size() > 1)
    throw InputError("", "--trace", "supports only a single size", "give one size: --bytes 64M");
  if (backend != "local")
    throw InputError("", "--trace", "supports the backend local only",
                     "'railyard sim --trace' shows a prediction for other backends");
  return request;
}

std::optional<Bandwidth> least_busbw(const BenchFlags& flags) {
  if (flags.min_busbw.empty()) return std::nullopt;
  return flag_value(core::parse_bandwidth(flags.min_busbw), "--min-busbw");
}

}  // namespace railyard::apps

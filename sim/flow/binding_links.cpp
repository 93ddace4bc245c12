#include "sim/flow/binding_links.hpp"

#include <algorithm>

namespace railyard::sim {
namespace {

constexpr std::size_t kLookedAt = 64;

StreamId slowest(Fluid& fluid, std::span<const StreamId> active) {
  const std::size_t stride = std::max<std::size_t>(1, active.size() / kLookedAt);
  StreamId found = active.front();
  for (std::size_t i = 0; i < active.size(); i += stride)
    if (fluid.rate(active[i]) < fluid.rate(found)) found = active[i];
  return found;
}

}  // namespace

void BindingLinks::observe(Fluid& fluid, std::span<const StreamId> active) {
  LinkId limit = LinkId::none();
  if (!active.empty()) {
    if (watched_.is_none()) watched_ = slowest(fluid, active);
    limit = fluid.bottleneck(watched_);
  }
  const bool is_flowing = !active.empty();
  if (limit == link_ && is_flowing == is_flowing_) return;
  pass_until(fluid.now());
  link_ = limit;
  is_flowing_ = is_flowing;
}

void BindingLinks::pass_until(double time) {
  if (time <= since_) return;
  const double seconds = time - since_;
  since_ = time;
  const auto same = std::find_if(times_.begin(), times_.end(), [&](const LinkTime& h) {
    return h.link == link_ && h.is_flowing == is_flowing_;
  });
  if (same != times_.end())
    same->seconds += seconds;
  else
    times_.push_back({link_, is_flowing_, seconds});
}

BindingLinks::LinkTime BindingLinks::longest() const {
  LinkTime best;
  for (const auto& held : times_)
    if (held.seconds > best.seconds) best = held;
  return best;
}

}  // namespace railyard::sim

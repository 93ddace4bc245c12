#include "sim/packet/transport/dcqcn.hpp"

#include <algorithm>
#include <limits>

namespace railyard::sim::packet {
namespace {

double bits(Bandwidth rate) { return static_cast<double>(rate.bits_per_second()); }

}  // namespace

DcqcnRule::DcqcnRule(const DcqcnParameters& p, Bandwidth line_rate)
    : g(p.g),
      line(bits(line_rate)),
      additive(bits(p.additive_increase)),
      hyper(bits(p.hyper_increase)),
      minimum(std::min(bits(p.minimum_rate), bits(line_rate))),
      alpha_timer(p.alpha_timer.picoseconds()),
      increase_timer(p.increase_timer.picoseconds()),
      decrease_interval(p.decrease_interval.picoseconds()),
      byte_counter(static_cast<std::uint64_t>(p.byte_counter.count())),
      fast_recovery(p.fast_recovery),
      clamp_target(p.clamp_target) {}

void Dcqcn::find_next() { next_ = std::min({alpha_at_, increase_at_, decrease_at_}); }

void Dcqcn::run_timers(const DcqcnRule& rule, std::int64_t now) {
  while (next_ <= now) {
    const std::int64_t at = next_;
    if (at == alpha_at_) {
      alpha_ *= 1 - rule.g;
      if (cnp_for_alpha_) alpha_ += rule.g;
      cnp_for_alpha_ = false;
      alpha_at_ += rule.alpha_timer;
    }
    if (at == decrease_at_) {
      if (cnp_for_cut_) cut(rule, at);
      cnp_for_cut_ = false;
      decrease_at_ += rule.decrease_interval;
    }
    if (at == increase_at_) {
      increase(rule, timer_steps_++);
      increase_at_ += rule.increase_timer;
    }
    find_next();
  }
}

void Dcqcn::congestion(const DcqcnRule& rule, std::int64_t now) {
  const bool first = !is_active_;
  is_active_ = true;
  if (rule.decrease_interval == 0) {
    // The rate is cut with the value of alpha before this CNP (equation 1 of the paper).
    cut(rule, now);
    alpha_ = (1 - rule.g) * alpha_ + rule.g;
    alpha_at_ = now + rule.alpha_timer;
    decrease_at_ = std::numeric_limits<std::int64_t>::max();
  } else {
    if (first) {
      alpha_at_ = now + rule.alpha_timer;
      decrease_at_ = now + rule.decrease_interval + 1;
      increase_at_ = std::numeric_limits<std::int64_t>::max();
    }
    cnp_for_alpha_ = cnp_for_cut_ = true;
  }
  find_next();
}

void Dcqcn::cut(const DcqcnRule& rule, std::int64_t now) {
  if (rule.clamp_target || has_increased_) target_ = rate_;
  rate_ = std::max(rule.minimum, rate_ * (1 - alpha_ / 2));
  increase_at_ = now + rule.increase_timer;
  timer_steps_ = byte_steps_ = 0;
  bytes_ = 0;
  has_increased_ = false;
}

void Dcqcn::increase(const DcqcnRule& rule, int step) {
  has_increased_ = true;
  const int most = rule.byte_counter == 0 ? step : std::max(timer_steps_, byte_steps_) - 1;
  const int least = rule.byte_counter == 0 ? step : std::min(timer_steps_, byte_steps_);
  if (most >= rule.fast_recovery)
    target_ += least > rule.fast_recovery ? rule.hyper : rule.additive;
  target_ = std::min(target_, rule.line);
  rate_ = std::min((rate_ + target_) / 2, rule.line);
}

}  // namespace railyard::sim::packet

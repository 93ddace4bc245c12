#include "hw/prediction_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace railyard::hw {
namespace {

using collectives::Measurement;

/// t = latency + per_byte * bytes, in seconds.
struct Line {
  double latency = 0;
  double per_byte = 0;
};

/// Least squares of the relative error: weights 1 / t^2, so that small sizes count as much as large
/// ones.
Line fitted(const std::vector<std::pair<double, double>>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const auto& [x, y] : points) {
    const double weight = 1 / (y * y);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double determinant = w * wxx - wx * wx;
  if (determinant == 0) return {};
  const double slope = (w * wxy - wx * wy) / determinant;
  return {(wy - slope * wx) / w, slope};
}

bool is_off(const Measurement& row, double most) {
  return row.live->error_pct && std::abs(*row.live->error_pct) > most * 100;
}

/// A row and the predicted time of the smallest message of its algorithm and protocol.
struct PredictedRow {
  Measurement& row;
  Time latency;
};

using Key = std::tuple<std::string, std::string, bool>;
Key key_of(const Measurement& row) { return {row.algorithm, row.protocol, row.live->in_place}; }

/// Sets the error terms for the rows of one algorithm, protocol and place, in order of size.
void set_error_terms_of(const std::vector<PredictedRow>& rows, bool has_others, double most) {
  std::vector<std::pair<double, double>> measured, predicted;
  std::size_t off = 0;
  for (const PredictedRow& one : rows) {
    const auto bytes = static_cast<double>(one.row.bytes.count());
    measured.emplace_back(bytes, one.row.live->p50.seconds());
    predicted.emplace_back(bytes, one.row.live->predicted->seconds());
    off += is_off(one.row, most) ? 1 : 0;
  }
  const Line real = fitted(measured);
  const Line model = fitted(predicted);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Measurement& row = rows[i].row;
    if (!is_off(row, most)) continue;
    const bool at_edge = i == 0 || i + 1 == rows.size();
    if (has_others && at_edge && off == 1 && rows.size() > 1) {
      row.live->error_term = "protocol switch";
    } else if (rows.size() == 1) {
      const bool small = rows[i].latency.seconds() * 2 > row.live->predicted->seconds();
      row.live->error_term = small ? "latency" : "bandwidth";
    } else {
      const double bytes = static_cast<double>(row.bytes.count());
      const bool slope =
          std::abs(real.per_byte - model.per_byte) * bytes > std::abs(real.latency - model.latency);
      row.live->error_term = slope ? "bandwidth" : "latency";
    }
  }
}

}  // namespace

void set_error_terms(std::vector<Measurement>& rows, const std::vector<Time>& latencies,
                     double most) {
  std::map<Key, std::vector<PredictedRow>> alike;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].live->predicted && rows[i].live->p50 > Time())
      alike[key_of(rows[i])].push_back({rows[i], latencies[i]});
  }
  for (auto& [key, of_key] : alike) {
    // Sizes ascend. Another key of the same place means that the choice changed between sizes.
    const bool place = std::get<2>(key);
    const auto others = std::ranges::count_if(
        alike, [&](const auto& other) { return std::get<2>(other.first) == place; });
    set_error_terms_of(of_key, others > 1, most);
  }
}

std::string below_floor(const std::vector<Measurement>& rows, Bandwidth least) {
  const auto best = std::ranges::max_element(rows, {}, &Measurement::busbw_GBps);
  const double floor = static_cast<double>(least.bits_per_second()) / 8e9;
  if (best == rows.end() || best->busbw_GBps >= floor) return {};
  return fmt::format("the best busbw is {:.4g} GB/s (at {} bytes), less than {:.4g} GB/s",
                     best->busbw_GBps, best->bytes.count(), floor);
}

}  // namespace railyard::hw

#include "collectives/nccl/timing/fit/table_predictions.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "collectives/nccl/timing/fit/machines.hpp"
#include "collectives/nccl/timing/time_queries.hpp"
#include "collectives/nccl/tuning/release.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "core/diagnostic.hpp"
#include "core/text_pattern.hpp"

namespace railyard::collectives::nccl {
namespace {

/// NCCL_ALGO=Ring and NCCL_PROTO=Simple of a table's environment; lists and ^ are not supported.
TuningSettings settings_of(const MeasuredTable& table) {
  TuningSettings settings;
  for (const auto& [key, value] : table.environment) {
    if (key == "NCCL_ALGO") {
      const auto algorithm = nccl_algorithm(value);
      if (!algorithm) continue;
      for (auto& row : settings.algorithms) {
        row.fill(false);
        row[index_of(*algorithm)] = true;
      }
    } else if (key == "NCCL_PROTO") {
      const auto protocol = nccl_protocol(value);
      if (!protocol) continue;
      for (auto& row : settings.protocols) {
        row.fill(ProtocolUse::off);
        row[index_of(*protocol)] = ProtocolUse::on;
      }
    }
  }
  return settings;
}

/// The release that represents that of a table; 2.30.7 if none is stated.
Version version_of(const MeasuredTable& table) {
  static const core::TextPattern kRelease(R"((?:NCCL|version)\D{0,12}2\.(\d{1,4}))");
  const auto minor = kRelease.first_group(table.software);
  return minor ? version_of_minor(std::stoi(*minor)) : Version::v2_30;
}

/// Adds the rows of one table.
class TablePredictor {
 public:
  TablePredictor(const MeasuredTable& table, const PredictionRequest& request, Machines& machines,
                 Predictions& predictions)
      : table_(table),
        request_(request),
        machines_(machines),
        predictions_(predictions),
        settings_(settings_of(table)),
        version_(version_of(table)) {}

  void run() {
    std::string reason = reason_to_leave_out(request_.map, table_);
    if (reason.empty()) reason = add_rows();
    if (!reason.empty()) predictions_.left_out.push_back({table_.name, reason});
    for (std::string& note : unread_notes(table_))
      predictions_.left_out.push_back({table_.name, std::move(note)});
  }

 private:
  std::string cluster_of(const MeasuredRow& row) const {
    if (!request_.cluster.empty()) return request_.cluster;
    if (!table_.cluster.empty()) return table_.cluster;
    return cluster_for(request_.map, table_, row);
  }

  /// Why the table could not be used, or "".
  std::string add_rows() {
    const Harness* harness =
        request_.harness ? &*request_.harness : harness_for(request_.map, table_);
    for (const MeasuredRow& row : table_.rows) {
      const std::string cluster = cluster_of(row);
      if (cluster.empty()) return why_unknown(request_.map, table_, row);
      if (row.ranks < 2) return "the number of ranks is not stated";
      if (request_.cluster.empty()) {
        // A rule selects by GPU and network, so the measured nodes may be larger than those of the
        // cluster.
        std::string reason = machines_.why_not({cluster, row.ranks, row.nodes});
        if (!reason.empty())
          return fmt::format("no shipped cluster is alike: {} {}", cluster, reason);
      }
      add_row(row, machines_.at({cluster, row.ranks, row.nodes}), cluster, harness);
    }
    return {};
  }

  const TuningModel& model_of(const Machines::Entry& entry) {
    auto& model = models_[entry.communicator.get()];
    if (!model)
      model = std::make_unique<TuningModel>(
          make_tuning_model(*entry.communicator, version_, settings_));
    return *model;
  }

  void add_row(const MeasuredRow& row, const Machines::Entry& entry, const std::string& cluster,
               const Harness* harness) {
    const auto query = chosen_query(model_of(entry), *entry.machine,
                                    {.kind = row.collective.kind,
                                     .bytes = row.collective.bytes.count(),
                                     .type = row.collective.type,
                                     .op = row.collective.op});
    if (!query) return;
    predictions_.rows.push_back(
        {.table = table_index(entry, cluster, harness),
         .measured = row,
         .machine = entry.machine,
         .query = *query,
         .launch = harness == nullptr ? topology::LaunchCost{} : harness->launch});
  }

  std::size_t table_index(const Machines::Entry& entry, const std::string& cluster,
                          const Harness* harness) {
    if (index_) return *index_;
    index_ = predictions_.tables.size();
    predictions_.tables.push_back({.name = table_.name,
                                   .source = table_.source,
                                   .cluster = cluster,
                                   .generation = entry.generation,
                                   .fabric = entry.fabric,
                                   .host = entry.host,
                                   .harness = harness == nullptr ? "" : harness->name});
    return *index_;
  }

  const MeasuredTable& table_;
  const PredictionRequest& request_;
  Machines& machines_;
  Predictions& predictions_;
  TuningSettings settings_;
  Version version_;
  std::map<const Communicator*, std::unique_ptr<TuningModel>> models_;
  std::optional<std::size_t> index_;
};

}  // namespace

double PredictedRow::predicted_us() const {
  return call_time(launch, *machine, query, collective_time(*machine, query).total());
}

double PredictedRow::error_pct() const { return (predicted_us() / measured.time_us - 1) * 100; }

Predictions predict_tables(const std::vector<MeasuredTable>& tables,
                           const PredictionRequest& request) {
  Predictions predictions;
  Machines machines;
  for (const MeasuredTable& table : tables)
    TablePredictor(table, request, machines, predictions).run();
  return predictions;
}

}  // namespace railyard::collectives::nccl

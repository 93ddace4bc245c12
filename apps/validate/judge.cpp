#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "apps/validate/predicted.hpp"
#include "collectives/nccl/timing/time_queries.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;

/// NCCL_ALGO=Ring and NCCL_PROTO=Simple as a table states them; lists and ^ are left to --env.
nccl::TuningSettings settings_of(const MeasuredTable& table) {
  nccl::TuningSettings settings;
  for (const auto& [key, value] : table.environment) {
    if (key == "NCCL_ALGO") {
      const auto algorithm = nccl::nccl_algorithm(value);
      if (!algorithm) continue;
      for (auto& row : settings.algorithms) {
        row.fill(false);
        row[nccl::index_of(*algorithm)] = true;
      }
    } else if (key == "NCCL_PROTO") {
      const auto protocol = nccl::nccl_protocol(value);
      if (!protocol) continue;
      for (auto& row : settings.protocols) {
        row.fill(nccl::ProtocolUse::off);
        row[nccl::index_of(*protocol)] = nccl::ProtocolUse::on;
      }
    }
  }
  return settings;
}

/// The tuning constants of the release that a table names: those of 2.28.9 before 2.29.
nccl::Version version_of(const MeasuredTable& table) {
  std::smatch match;
  static const std::regex kRelease(R"((?:NCCL|version)\D{0,12}2\.(\d+))", std::regex::icase);
  if (std::regex_search(table.software, match, kRelease) && std::stoi(match[1]) < 29)
    return nccl::Version::v2_28;
  return nccl::Version::v2_30;
}

/// Adds the rows of one table.
class TableJudge {
 public:
  TableJudge(const MeasuredTable& table, const JudgeRequest& request, Machines& machines,
             Judged& judged)
      : table_(table),
        request_(request),
        machines_(machines),
        judged_(judged),
        settings_(settings_of(table)),
        version_(version_of(table)) {}

  void run() {
    std::string reason = reason_to_leave_out(request_.map, table_);
    if (reason.empty()) reason = add_rows();
    if (!reason.empty()) judged_.left_out.push_back({table_.name, reason});
  }

 private:
  std::string cluster_of(const MeasuredRow& row) const {
    if (!request_.cluster.empty()) return request_.cluster;
    if (!table_.cluster.empty()) return table_.cluster;
    return cluster_for(request_.map, table_, row.nodes > 1);
  }

  /// Why the table could not be used, or "".
  std::string add_rows() {
    const Harness* harness = harness_for(request_.map, table_);
    for (const MeasuredRow& row : table_.rows) {
      const std::string cluster = cluster_of(row);
      if (cluster.empty()) return "no rule of the map holds for its hardware";
      if (row.ranks < 2) return "does not say how many ranks took part";
      add_row(row, machines_.at({cluster, row.ranks, row.nodes}), cluster, harness);
    }
    return {};
  }

  const nccl::TuningModel& model_of(const Machines::Entry& entry) {
    auto& model = models_[entry.communicator.get()];
    if (!model)
      model = std::make_unique<nccl::TuningModel>(
          nccl::make_tuning_model(*entry.communicator, version_, settings_));
    return *model;
  }

  void add_row(const MeasuredRow& row, const Machines::Entry& entry, const std::string& cluster,
               const Harness* harness) {
    const auto query = nccl::chosen_query(model_of(entry), *entry.machine,
                                          {.kind = row.collective.kind,
                                           .bytes = row.collective.bytes.count(),
                                           .type = row.collective.type,
                                           .op = row.collective.op});
    if (!query) return;
    judged_.rows.push_back(
        {.table = table_index(entry, cluster, harness),
         .measured = row,
         .machine = entry.machine,
         .query = *query,
         .overhead_us = harness == nullptr ? 0 : harness->overhead.microseconds()});
  }

  std::size_t table_index(const Machines::Entry& entry, const std::string& cluster,
                          const Harness* harness) {
    if (index_) return *index_;
    index_ = judged_.tables.size();
    judged_.tables.push_back({.name = table_.name,
                              .source = table_.source,
                              .cluster = cluster,
                              .generation = entry.generation,
                              .fabric = entry.fabric,
                              .host = entry.host,
                              .harness = harness == nullptr ? "" : harness->name});
    return *index_;
  }

  const MeasuredTable& table_;
  const JudgeRequest& request_;
  Machines& machines_;
  Judged& judged_;
  nccl::TuningSettings settings_;
  nccl::Version version_;
  std::map<const nccl::Communicator*, std::unique_ptr<nccl::TuningModel>> models_;
  std::optional<std::size_t> index_;
};

}  // namespace

double JudgedRow::predicted_us() const {
  return overhead_us + collective_time(*machine, query).total();
}

double JudgedRow::error_pct() const { return (predicted_us() / measured.time_us - 1) * 100; }

Judged judge(const std::vector<MeasuredTable>& tables, const JudgeRequest& request) {
  Judged judged;
  Machines machines;
  for (const MeasuredTable& table : tables) TableJudge(table, request, machines, judged).run();
  return judged;
}

}  // namespace railyard::apps

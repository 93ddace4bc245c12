#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "apps/output/report/sections.hpp"
#include "apps/output/report/validation.hpp"
#include "core/drawing/axes.hpp"
#include "core/drawing/markup.hpp"
#include "placement/strategy/strategy_names.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

// Times are called equal if they differ by less than 0.5 %.
constexpr double kEqual = 1.005;

std::string bound(const std::string& by) { return by.empty() ? "" : "; bound by " + by; }

std::string answer_of(const CurveChart& chart) {
  const auto field = compare(chart);
  if (!field) return {};
  const CurvePoint& best = *field->runs.front().point;
  CurveChart kind;
  kind.collective = chart.collective;
  const std::string title = title_of(kind);
  const std::string what =
      fmt::format("{} of {}{}", title, size_label(field->bytes), chart.is_live ? ", live" : "");
  const std::string numbers =
      fmt::format("{}, {} GB/s", time_reading(best.time_us), reading(best.busbw_GBps));
  const auto label = [&](const ComparedRun& run) { return chart.curves[run.curve].label; };
  if (field->runs.size() == 1) return fmt::format("{}: {}{}.", what, numbers, bound(best.bound_by));
  const ComparedRun &first = field->runs.front(), &last = field->runs.back();
  const double factor = last.point->time_us / best.time_us;
  if (factor < kEqual)
    return fmt::format("{}: all {} runs take the same time ({}){}.", what, field->runs.size(),
                       numbers, bound(best.bound_by));
  return fmt::format("{}: {} is fastest ({}), {:.2f} times as fast as {}{}.", what, label(first),
                     numbers, factor, label(last), bound(best.bound_by));
}

/// Answer for live runs with predictions.
std::string prediction_answer(const CurveChart& chart) {
  const std::vector<double> errors = prediction_errors(chart.curves);
  if (errors.empty()) return {};
  return fmt::format("{}: predictions differ from the measured time by {:.0f} % in the median.",
                     title_of(chart), errors[errors.size() / 2]);
}

std::string answer_of_strategies(const ResultFile& file) {
  if (file.rows.empty()) return {};
  const auto time = [&](std::size_t row) {
    return file.number(row, "simulated_s").value_or(file.number(row, "iteration_s").value_or(0));
  };
  std::vector<std::string> strategies;
  for (std::size_t row = 0; row < file.rows.size(); ++row)
    strategies.push_back(file.text(row, "strategy"));
  const std::vector<std::string> names = placement::name_strategies(strategies).names;
  const std::string cluster = file.provenance_of("cluster");
  std::string text =
      fmt::format("{}{}{}: {} is the best strategy, {} s a step", file.provenance_of("job"),
                  cluster.empty() ? "" : " on ", cluster, names.front(), reading(time(0)));
  if (const auto mfu = file.number(0, "mfu")) text += fmt::format(", MFU {:.1f} %", 100 * *mfu);
  if (const auto memory = file.number(0, "memory_GB"))
    text += fmt::format(", {} GB per GPU", reading(*memory));
  text += bound(file.text(0, "bound_by"));
  if (file.rows.size() > 1 && time(0) > 0) {
    const std::string longer = fmt::format("{:.1f} % longer", (time(1) / time(0) - 1) * 100);
    text += fmt::format(". The next, {}, takes {}", names[1],
                        longer == "0.0 % longer" ? "as long" : longer);
  }
  return text + ".";
}

std::string answer_of_regress(const ResultFile& file) {
  std::map<std::string, std::size_t> verdicts;
  for (std::size_t row = 0; row < file.rows.size(); ++row) ++verdicts[file.text(row, "verdict")];
  std::string text;
  for (const char* verdict : {"slower", "faster", "new", "missing"})
    if (const auto found = verdicts.find(verdict); found != verdicts.end())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found->second, verdict);
  return fmt::format("Regression gate: {} of {} rows.", text.empty() ? "no change" : text,
                     file.rows.size());
}

/// The fastest of several runs, or the time of a single run.
std::string answer_of_replay(const ResultFile& file) {
  if (file.rows.empty()) return {};
  const ResultSection* runs = file.section("runs");
  const ResultSection& all = runs == nullptr ? file : *runs;
  const auto time = [&](std::size_t row) { return all.number(row, "total_us").value_or(0); };
  const auto name = [&](std::size_t row) {
    const std::string cluster = all.text(row, "cluster"), workload = all.text(row, "workload");
    return cluster + (cluster.empty() || workload.empty() ? "" : ", ") + workload;
  };
  std::size_t best = 0, worst = 0;
  for (std::size_t row = 1; runs != nullptr && row < all.rows.size(); ++row) {
    if (time(row) < time(best)) best = row;
    if (time(row) > time(worst)) worst = row;
  }
  if (time(best) <= 0) return {};
  if (worst == best) {
    const std::string cluster = file.provenance_of("cluster");
    return fmt::format("The replayed workload takes {}{}{}.", time_reading(time(best)),
                       cluster.empty() ? "" : " on ", cluster);
  }
  return fmt::format("The replayed workload: {} is fastest ({}), {:.2f} times as fast as {}.",
                     name(best), time_reading(time(best)), time(worst) / time(best), name(worst));
}

/// NCCL's choice by size: "ring ll up to 64K, ring simple up to 1G".
std::vector<std::string> answers_of_explain(const ResultFile& file) {
  struct Choice {
    std::string what;
    double to = 0;
  };
  std::vector<std::pair<std::string, std::vector<Choice>>> by_collective;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const auto bytes = file.number(row, "bytes");
    if (file.text(row, "chosen") != "yes" || !bytes) continue;
    const std::string collective = file.text(row, "collective");
    if (by_collective.empty() || by_collective.back().first != collective)
      by_collective.emplace_back(collective, std::vector<Choice>{});
    std::vector<Choice>& choices = by_collective.back().second;
    const std::string what =
        fmt::format("{} {}", file.text(row, "algorithm"), file.text(row, "protocol"));
    if (choices.empty() || choices.back().what != what) choices.push_back({what, 0});
    choices.back().to = *bytes;
  }
  std::vector<std::string> answers;
  for (const auto& [collective, choices] : by_collective) {
    CurveChart kind;
    kind.collective = collective;
    std::string text;
    for (const Choice& choice : choices)
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", choice.what,
                          choices.size() > 1 ? "up to" : "at", size_label(choice.to));
    const std::string cluster = file.provenance_of("cluster");
    answers.push_back(fmt::format("{}{}{}: NCCL chooses {}.", title_of(kind),
                                  cluster.empty() ? "" : " on ", cluster, text));
  }
  return answers;
}

std::string answer_of_validation(const ResultFile& file) {
  std::vector<double> errors;
  const std::vector<ValidationTable> tables = validation_tables(file);
  for (const ValidationTable& table : tables)
    for (const ValidationPoint& point : table.points()) errors.push_back(std::fabs(point.error()));
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  return fmt::format("{} measured times in {} tables: predictions are {:.1f} % off in the median.",
                     errors.size(), tables.size(), errors[errors.size() / 2]);
}

}  // namespace

std::string answer_section(const Report& report) {
  std::vector<std::string> answers;
  for (const ResultFile& file : report.files) {
    if (file.kind == "replay") answers.push_back(answer_of_replay(file));
    if (file.kind == "explain")
      std::ranges::move(answers_of_explain(file), std::back_inserter(answers));
    if (file.kind == "regress_comparison") answers.push_back(answer_of_regress(file));
    if (file.kind == "strategies") answers.push_back(answer_of_strategies(file));
    if (is_validation(file)) answers.push_back(answer_of_validation(file));
  }
  for (const CurveChart& chart : report.charts) {
    answers.push_back(answer_of(chart));
    answers.push_back(prediction_answer(chart));
  }
  std::erase(answers, "");
  const bool has_own = std::ranges::any_of(
      report.files, [](const ResultFile& file) { return !file.answers.empty(); });
  if (answers.empty() && !has_own) return {};
  Markup html;
  html.open("ul", {{"class", "answers"}});
  // Answers of a command: the first line is the answer, the others explain it.
  for (const ResultFile& file : report.files) {
    if (file.answers.empty()) continue;
    html.open("li");
    for (const std::string& line : file.answers) html.element("p", {}, line);
    html.close().newline();
  }
  for (const std::string& answer : answers) html.element("li", {}, answer);
  html.close().newline();
  return html.str();
}

}  // namespace railyard::apps

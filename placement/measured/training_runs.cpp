#include "placement/measured/training_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/config/json_value.hpp"
#include "core/diagnostic.hpp"
#include "core/text_pattern.hpp"
#include "placement/model/flops.hpp"
#include "placement/model/job_fields.hpp"
#include "placement/model/model_fields.hpp"
#include "placement/strategy/nearest_interleave.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/strategy_fields.hpp"

namespace railyard::placement {
namespace {

bool matches(const std::string& expression, const std::string& text) {
  return core::TextPattern(expression).is_in(text);
}

bool matches(const TextMap& when, const MeasuredCells& cells) {
  return std::ranges::all_of(when, [&](const auto& condition) {
    const auto cell = cells.find(condition.first);
    return matches(condition.second, cell == cells.end() ? std::string() : cell->second);
  });
}

bool is_for(const std::string& rows, const std::string& context, const MeasuredRows& table) {
  return pointer_matches(rows, table.at) && (context.empty() || matches(context, table.context));
}

/// The measurement of a row: the value of a column, or the median of the columns that match a *.
std::optional<double> measured_value(const std::string& column, const MeasuredCells& cells) {
  std::string expression;
  for (const char c : column) expression += c == '*' ? "[^.]*" : core::TextPattern::quoted({&c, 1});
  const core::TextPattern pattern(expression, core::TextPattern::Case::counts);
  std::vector<double> values;
  for (const auto& [name, text] : cells) {
    if (name != column && (column.find('*') == column.npos || !pattern.is_all_of(name))) continue;
    // "90.5s": some tables write the unit after each number.
    const std::string number = text.ends_with('s') ? text.substr(0, text.size() - 1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc() && end == number.data() + number.size() && std::isfinite(value))
      values.push_back(value);
  }
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const double value = values[values.size() / 2];
  return value > 0 ? std::optional(value) : std::nullopt;
}

/// The settings of a row, by key.
TextMap settings_of(const TrainingSet& set, const MeasuredCells& cells) {
  TextMap settings = set.set;
  for (const auto& [key, column] : set.columns) {
    const auto cell = cells.find(column);
    if (cell == cells.end()) continue;
    std::string text = cell->second;
    const auto meaning = set.values.find(key);
    if (meaning != set.values.end()) {
      const auto known = meaning->second.find(text);
      if (known != meaning->second.end()) text = known->second;
    }
    if (!text.empty()) settings[key] = text;
  }
  for (const RowRule& rule : set.rules)
    if (matches(rule.when, cells))
      for (const auto& [key, value] : rule.set) settings[key] = value;
  return settings;
}

core::JsonValue value_of(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  const bool is_list = text.starts_with('[') || text.starts_with('{');
  if (number || is_list || text == "true" || text == "false") return core::parse_json(text, "");
  return core::JsonValue::text(text);
}

/// The settings with a prefix, as a config object.
core::JsonValue section(const TextMap& settings, const std::string& prefix) {
  core::JsonValue object = core::JsonValue::object();
  for (const auto& [key, text] : settings)
    if (key.starts_with(prefix)) object.set(key.substr(prefix.size()), value_of(text));
  return object;
}

template <class T>
void read_section(const TextMap& settings, const std::string& prefix, const std::string& where,
                  T& value) {
  core::read_config(core::ConfigNode::parse(core::to_text(section(settings, prefix)), where),
                    value);
}

std::string text_at(const TextMap& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? std::string() : found->second;
}

/// A positive integer. Throws InputError otherwise.
int count_of(const std::string& text, const std::string& key, const std::string& where) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  constexpr int kMost = 1 << 24;
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > kMost)
    throw InputError("", where, fmt::format("{} is '{}'", key, text),
                     fmt::format("a whole number from 1 to {}", kMost));
  return count;
}

Job job_of(const TextMap& settings, const std::string& where) {
  TextMap all = settings;
  Job job;
  if (const std::string model = text_at(settings, "model"); !model.empty())
    job.model = read_model(model, "");
  // If a row gives only the hidden size: 4 · hidden, as in GPT.
  if (all.contains("model.hidden") && !all.contains("model.ffn"))
    all["model.ffn"] = std::to_string(4 * count_of(all["model.hidden"], "model.hidden", where));
  if (job.model.name.empty()) all.emplace("model.name", where);
  for (const auto& [key, value] :
       {std::pair{"layers", job.model.layers}, std::pair{"hidden", job.model.hidden},
        std::pair{"ffn", job.model.ffn}, std::pair{"heads", job.model.heads},
        std::pair{"vocabulary", job.model.vocabulary}})
    if (value > 0) all.emplace(std::string("model.") + key, std::to_string(value));
  all.emplace("model.name", job.model.name);
  read_section(all, "model.", where, job.model);
  all.emplace("job.name", where);
  all.emplace("job.model", job.model.name);
  read_section(all, "job.", where, job);
  if (job.sequence == 0) job.sequence = job.model.sequence;
  return job;
}

double seconds_of(double value, StepUnit unit, const TrainingRun& run) {
  const double samples = run.job.batch, tokens = samples * run.job.sequence;
  Job square = run.job;
  square.attention = AttentionKernel::unfused;
  switch (unit) {
    case StepUnit::s: return value;
    case StepUnit::ms: return value / 1e3;
    case StepUnit::samples_per_s: return samples / value;
    case StepUnit::tokens_per_s: return tokens / value;
    case StepUnit::tokens_per_s_gpu: return tokens / (value * run.gpus);
    case StepUnit::tflops_recomputed:
      return step_flops_recomputed(square) / (value * 1e12 * run.gpus);
    case StepUnit::tflops_model: break;
  }
  return step_flops(square) / (value * 1e12 * run.gpus);
}

TrainingRun run_of(const TrainingSet& set, const MeasuredCells& cells, double measured,
                   const std::string& where) {
  const TextMap settings = settings_of(set, cells);
  TrainingRun run{.cluster = text_at(settings, "cluster"), .job = job_of(settings, where)};
  read_section(settings, "strategy.", where, run.strategy);
  Strategy& s = run.strategy;
  const std::string gpus = text_at(settings, "gpus");
  run.gpus = gpus.empty() ? s.gpus() : count_of(gpus, "gpus", where);
  const std::int64_t rest = std::int64_t{s.tp} * s.pp * s.cp;
  if (!settings.contains("strategy.dp") && rest > 0 && run.gpus % rest == 0)
    s.dp = static_cast<int>(run.gpus / rest);
  run.note = make_chunks_divide(run.job, s);
  if (s.interleave > 1) s.schedule = PipelineSchedule::interleaved;
  if (run.cluster.empty())
    throw InputError("", where, "has no cluster", "set \"cluster\" in the map");
  auto problems = strategy_problems(run.job, s, run.gpus, where);
  if (!problems.empty()) throw InputError(std::move(problems));
  run.measured_s = seconds_of(measured, set.unit, run);
  const Model& m = run.job.model;
  run.model = fmt::format("{} x {}", m.layers, m.hidden);
  run.group = fmt::format("{} layers of {}, {} tokens, {} GPUs of {}, batch {}", m.layers, m.hidden,
                          run.job.sequence, run.gpus, run.cluster, run.job.batch);
  return run;
}

std::string reason_of(const InputError& error) {
  std::string text;
  for (const Diagnostic& d : error.diagnostics()) text += (text.empty() ? "" : "; ") + d.message;
  return text;
}

/// The place of rows for messages: "steps.csv", "tables.json/tables/0/rows".
std::string place_of(const MeasuredRows& table) {
  return table.at == "csv" ? table.file : table.file + table.at;
}

/// The reason why rows that match no set are not used.
std::string reason_for(const TrainingMap& map, const MeasuredRows& table) {
  for (const LeftOutRows& left : map.left_out)
    if (is_for(left.rows, left.context, table)) return left.reason;
  return "no set of the map matches";
}

}  // namespace

TrainingRuns training_runs(const TrainingMap& map, const std::vector<MeasuredRows>& tables) {
  TrainingRuns all;
  for (const MeasuredRows& table : tables) {
    std::size_t unused = 0, unreadable = 0;
    std::string first_unreadable;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const MeasuredCells& cells = table.rows[row];
      bool used = false;
      for (std::size_t i = 0; i < map.sets.size(); ++i) {
        const TrainingSet& set = map.sets[i];
        if (!is_for(set.rows, set.context, table) || !matches(set.when, cells)) continue;
        const auto measured = measured_value(set.measured, cells);
        if (const auto cell = cells.find(set.measured); !measured && cell != cells.end()) {
          used = true;
          if (unreadable++ == 0)
            first_unreadable = fmt::format("{} is '{}' in {}/{}", set.measured,
                                           cell->second.substr(0, 40), place_of(table), row);
        }
        if (!measured) continue;
        used = true;
        const std::string where = fmt::format("{}/{}", table.at, row);
        try {
          TrainingRun run = run_of(set, cells, *measured, where);
          run.set = i;
          if (!set.memory.empty()) run.measured_gib = measured_value(set.memory, cells).value_or(0);
          if (!run.note.empty()) all.assumed.push_back(fmt::format("{}: {}", where, run.note));
          all.runs.push_back(std::move(run));
        } catch (const InputError& error) {
          all.left_out.push_back(
              fmt::format("{}/{} ({}): {}", place_of(table), row, set.name, reason_of(error)));
        }
      }
      if (!used) ++unused;
    }
    if (unreadable > 0)
      all.left_out.push_back(fmt::format("{} rows without a measured number above 0: {}",
                                         unreadable, first_unreadable));
    if (unused > 0)
      all.left_out.push_back(
          fmt::format("{} rows of {}: {}", unused, place_of(table), reason_for(map, table)));
  }
  return all;
}

}  // namespace railyard::placement

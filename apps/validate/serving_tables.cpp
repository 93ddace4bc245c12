#include "apps/validate/serving_tables.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::apps {

ServingTables read_serving_tables(const ValidationRequest& request, const char* map) {
  ServingTables found{.map_name = request.map.empty() ? map : request.map};
  found.map = placement::serving::read_serving_map(found.map_name);
  for (const std::string& file : request.files)
    for (placement::MeasuredRows& rows : placement::read_measured_rows(file))
      found.tables.push_back(std::move(rows));
  return found;
}

void note_left_out(const ValidationRequest& request, const std::vector<std::string>& left_out,
                   bool left, Validation& result, Context& context) {
  for (const std::string& reason : left_out) {
    result.notes.push_back("left out: " + reason);
    print_note(context, result.notes.back());
  }
  if (!left)
    throw InputError(
        request.files.front(), "", "no row matches the map",
        fmt::format("use --map with a map like configs/validation/{}.json",
                    result.map.find('/') == std::string::npos ? result.map : "serving"));
}

void check_group(const ValidationRequest& request, const std::string& group,
                 const core::ErrorSummary& errors, Validation& result) {
  if (request.max_error > 0 && errors.mean > request.max_error)
    result.findings.push_back(
        fmt::format("{}: mean error is {:.1f} %, above the {} % of --max-error", group, errors.mean,
                    request.max_error));
}

}  // namespace railyard::apps

#include "apps/validate/serving_tables.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::apps {

ServingTables read_serving_tables(const ValidationRequest& request, const char* map) {
  ServingTables found{.map_name = request.map.empty() ? map : request.map};
  found.map = placement::serving::read_serving_map(found.map_name);
  found.tables = placement::read_measured_rows(request.files);
  return found;
}

void note_left_out(const ValidationRequest& request, const std::vector<std::string>& left_out,
                   bool left, Validation& result, Context& context) {
  add_notes("left out: ", left_out, result, context);
  if (!left)
    throw InputError(
        request.files.front(), "", "no row matches the map",
        fmt::format("use --map with a map like configs/validation/{}.json",
                    result.map.find('/') == std::string::npos ? result.map : "serving"));
}

}  // namespace railyard::apps

#include "apps/validate/serving_tables.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/diagnostic.hpp"

namespace railyard::apps {

void note_left_out(const ValidationRequest& request, const std::vector<std::string>& left_out,
                   bool left, Validation& result, Context& context) {
  add_notes("left out: ", left_out, result, context);
  if (!left)
    throw InputError(
        request.files.front(), "", "no row matches the map",
        fmt::format("use --map with a map like configs/validation/{}.json",
                    result.map.find('/') == std::string::npos ? result.map : "serving"));
}

void set_tables(RowTable rows, RowTable errors, Validation& result) {
  result.rows = std::move(rows);
  result.errors = std::move(errors);
  result.sections = {{"groups", result.errors, false}};
}

}  // namespace railyard::apps

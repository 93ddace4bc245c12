#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::style {

/// One source or config file: its path from the top of the project, and its text.
struct Source {
  std::string path;
  std::string text;
};

/// The files of the rooms (.hpp and .cpp), or of configs/ (.json), sorted by path.
[[nodiscard]] std::vector<Source> read_rooms(const std::filesystem::path& top);
[[nodiscard]] std::vector<Source> read_configs(const std::filesystem::path& top);

/// Each rule gives one line for each place where a file breaks it.
using Violations = std::vector<std::string>;

/// core < topology < collectives < {sim, hw, placement} < apps: includes go downward only.
[[nodiscard]] Violations room_order(const Source& source);
/// CLI11 in apps alone; nlohmann/json in .cpp files alone; Boost in topology's .cpp files alone;
/// pugixml in .cpp files alone; MPI and CUDA in folders of their own below hw.
[[nodiscard]] Violations third_party(const Source& source);
/// Headers have #pragma once and no using-directive at the start of a line.
[[nodiscard]] Violations header_form(const Source& source);
/// No utils, helpers, misc or common.
[[nodiscard]] Violations file_name(const Source& source);
/// At most 450 lines.
[[nodiscard]] Violations file_size(const Source& source);
/// A config names its schema.
[[nodiscard]] Violations config_schema(const Source& source);

}  // namespace railyard::style

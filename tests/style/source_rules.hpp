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

/// The files of the rooms (.hpp and .cpp), of tests/ (the same), of configs/ (.json), or those that
/// cite others (README, CHANGELOG, docs/ and configs/), sorted by path.
[[nodiscard]] std::vector<Source> read_rooms(const std::filesystem::path& top);
[[nodiscard]] std::vector<Source> read_tests(const std::filesystem::path& top);
[[nodiscard]] std::vector<Source> read_configs(const std::filesystem::path& top);
[[nodiscard]] std::vector<Source> read_pages(const std::filesystem::path& top);

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
/// At most 900 lines. Files are cut where ideas part (about 150 lines are usual), not to keep a
/// count: the limit only stops a file that has become several.
[[nodiscard]] Violations file_size(const Source& source);
/// At most 100 columns a line; long strings are split.
[[nodiscard]] Violations line_width(const Source& source);
/// A config names its schema.
[[nodiscard]] Violations config_schema(const Source& source);

/// Units (a .cpp with its .hpp, named by the path without the ending) that include each other in a
/// circle: each circle once, its units sorted.
using Circle = std::vector<std::string>;
[[nodiscard]] std::vector<Circle> unit_circles(const std::vector<Source>& sources);
/// "a.hpp includes b, b.cpp includes a": the includes within a circle, for the message.
[[nodiscard]] std::string describe_circle(const Circle& circle, const std::vector<Source>& sources);

/// Folders that hold sources but no README.md of at least three lines (what lives here, what to
/// read first, what never belongs here), relative to the top; and files that such a page names in
/// `backticks` although they are neither below its folder nor below the top.
[[nodiscard]] Violations readme_faults(const std::filesystem::path& top,
                                       const std::vector<Source>& sources);

/// Files that a page cites and the tree lacks. A citation is a word that begins with a folder of
/// the project and ends like a file ("docs/models/flow.md"), a script ("script/demo"), or the
/// target of a link in Markdown, from the folder of the page. Not checked: patterns (*, <name>),
/// folders, units without an ending, files of ../shared, files that a command makes in
/// results/demo, and paths of another repository, which stands right before them ("NVIDIA/NeMo
/// docs/summary.md").
[[nodiscard]] Violations cited_files(const std::filesystem::path& top, const Source& source);

}  // namespace railyard::style

#include "tests/style/source_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/config/config_node.hpp"
#include "core/diagnostic.hpp"

namespace railyard::style {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kRooms{"core", "topology",  "collectives", "sim",
                                                 "hw",   "placement", "apps"};

std::vector<Source> read_folder(const fs::path& top, std::string_view folder,
                                const std::set<std::string>& extensions) {
  std::vector<Source> sources;
  if (!fs::is_directory(top / folder)) return sources;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top / folder)) {
    if (!entry.is_regular_file() || !extensions.contains(entry.path().extension().string()))
      continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    sources.push_back({fs::relative(entry.path(), top).generic_string(), std::move(text)});
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

struct Include {
  std::size_t line;
  std::string target;
  bool quoted;
};

std::vector<Include> includes_of(const Source& source) {
  std::vector<Include> includes;
  std::istringstream stream(source.text);
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    constexpr std::string_view kInclude = "#include ";
    if (!line.starts_with(kInclude)) continue;
    const bool quoted = line[kInclude.size()] == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', kInclude.size() + 1);
    if (end == std::string::npos) continue;
    includes.push_back(
        {number, line.substr(kInclude.size() + 1, end - kInclude.size() - 1), quoted});
  }
  return includes;
}

std::string room_of(std::string_view path) { return std::string(path.substr(0, path.find('/'))); }

bool is_header(const Source& source) { return source.path.ends_with(".hpp"); }

std::string unit_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

/// Strongly connected components of more than one unit (Tarjan, SIAM J. Comput. 1972).
class CircleSearch {
 public:
  explicit CircleSearch(const std::vector<Source>& sources) {
    for (const Source& source : sources) includes_[unit_of(source.path)];
    for (const Source& source : sources) {
      const std::string unit = unit_of(source.path);
      for (const Include& include : includes_of(source)) {
        const std::string other = unit_of(include.target);
        if (include.quoted && other != unit && includes_.contains(other))
          includes_[unit].insert(other);
      }
    }
  }

  std::vector<Circle> run() && {
    for (const auto& [unit, others] : includes_)
      if (!number_.contains(unit)) visit(unit);
    std::ranges::sort(circles_);
    return std::move(circles_);
  }

 private:
  void visit(const std::string& unit) {
    const int own = number_[unit] = lowest_[unit] = next_++;
    open_.push_back(unit);
    is_open_.insert(unit);
    for (const std::string& other : includes_.at(unit)) {
      if (!number_.contains(other)) visit(other);
      if (is_open_.contains(other)) lowest_[unit] = std::min(lowest_[unit], lowest_[other]);
    }
    if (lowest_[unit] != own) return;
    Circle circle;
    while (circle.empty() || circle.back() != unit) {
      circle.push_back(open_.back());
      is_open_.erase(open_.back());
      open_.pop_back();
    }
    std::ranges::sort(circle);
    if (circle.size() > 1) circles_.push_back(std::move(circle));
  }

  std::map<std::string, std::set<std::string>> includes_;
  std::map<std::string, int> number_, lowest_;
  std::vector<std::string> open_;
  std::set<std::string> is_open_;
  std::vector<Circle> circles_;
  int next_ = 0;
};

std::string at(const Source& source, std::size_t line, std::string_view what) {
  return fmt::format("{}:{}: {}", source.path, line, what);
}

/// Whether a path begins with a folder of the project that can be cited.
bool is_of_project(std::string_view path) {
  constexpr std::array<std::string_view, 6> kOthers{"cmake",   "configs", "docs",
                                                    "results", "script",  "tests"};
  const std::string_view folder = path.substr(0, std::min(path.find('/'), path.size()));
  return folder != path && (std::ranges::find(kRooms, folder) != kRooms.end() ||
                            std::ranges::find(kOthers, folder) != kOthers.end());
}

/// Whether a path is that of a file: "a/b.md", or a program in script/.
bool is_file(std::string_view path) {
  const std::string ending = fs::path(path).extension().string();
  return path.starts_with("script/") || (ending.size() > 1 && std::islower(ending[1]) != 0);
}

/// The words of a line that may be paths, with patterns and URLs as one word each.
std::vector<std::string_view> path_words(std::string_view line) {
  constexpr std::string_view kPathCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./~<>{}*$@:-";
  std::vector<std::string_view> words;
  for (std::size_t end = 0;;) {
    const std::size_t begin = line.find_first_of(kPathCharacters, end);
    if (begin == std::string_view::npos) return words;
    end = std::min(line.find_first_not_of(kPathCharacters, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
  }
}

/// The files of the project that a line cites.
std::vector<std::string> citations(std::string_view line) {
  std::vector<std::string> found;
  std::string_view before;
  for (std::string_view word : path_words(line)) {
    const bool is_foreign = before.find('/') != std::string_view::npos && !is_of_project(before) &&
                            before.data() + before.size() + 1 == word.data() &&
                            word.data()[-1] == ' ';
    before = word;
    word = word.substr(0, word.find(':'));
    while (word.ends_with('.')) word.remove_suffix(1);
    const bool is_pattern = word.find_first_of("~<>{}*$@") != std::string_view::npos;
    if (!is_foreign && !is_pattern && is_of_project(word) && is_file(word))
      found.emplace_back(word);
  }
  return found;
}

/// The targets of a line's links that are files.
std::vector<std::string> linked_files(const std::string& line) {
  std::vector<std::string> found;
  for (std::size_t begin = line.find("]("); begin != std::string::npos;
       begin = line.find("](", begin + 2)) {
    const std::string target = line.substr(begin + 2, line.find_first_of("#)", begin) - begin - 2);
    if (!target.empty() && target.find(':') == std::string::npos) found.push_back(target);
  }
  return found;
}

}  // namespace

std::vector<Source> read_rooms(const fs::path& top) {
  std::vector<Source> all;
  for (const std::string_view room : kRooms) {
    std::vector<Source> sources = read_folder(top, room, {".hpp", ".cpp"});
    std::move(sources.begin(), sources.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<Source> read_tests(const fs::path& top) {
  return read_folder(top, "tests", {".hpp", ".cpp"});
}

std::vector<Source> read_configs(const fs::path& top) {
  return read_folder(top, "configs", {".json"});
}

std::vector<Source> read_pages(const fs::path& top) {
  std::vector<Source> all = read_folder(top, "docs", {".md"});
  for (Source& source : read_folder(top, "configs", {".json", ".jsonc", ".csv", ".md"}))
    all.push_back(std::move(source));
  for (const char* page : {"CHANGELOG.md", "README.md"}) {
    std::ifstream stream(top / page, std::ios::binary);
    all.push_back({page, std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  return all;
}

Violations room_order(const Source& source) {
  using Rooms = std::set<std::string>;
  static const std::map<std::string, Rooms> kBelow{
      {"core", {}},
      {"topology", {"core"}},
      {"collectives", {"core", "topology"}},
      {"sim", {"core", "topology", "collectives"}},
      {"hw", {"core", "topology", "collectives"}},
      {"placement", {"core", "topology", "collectives"}},
      {"apps", {"core", "topology", "collectives", "sim", "hw", "placement"}},
  };
  const std::string room = room_of(source.path);
  Violations found;
  for (const Include& include : includes_of(source)) {
    if (!include.quoted) continue;
    const std::string other = room_of(include.target);
    if (!kBelow.contains(other))
      found.push_back(at(source, include.line,
                         fmt::format("\"{}\" is not a path from the top", include.target)));
    else if (other != room && !kBelow.at(room).contains(other))
      found.push_back(
          at(source, include.line, fmt::format("{} may not include {}", room, include.target)));
  }
  return found;
}

Violations third_party(const Source& source) {
  struct Rule {
    std::string_view prefix;
    std::string_view folder;  ///< "" for any
    bool headers;
    std::string_view text;
  };
  constexpr std::array<Rule, 12> kRules{{
      {"CLI/", "apps/", true, "CLI11 belongs in apps alone"},
      {"nlohmann/", "", false, "nlohmann/json belongs in .cpp files alone"},
      {"boost/", "topology/", false, "Boost belongs in topology's .cpp files alone"},
      {"pugixml", "", false, "pugixml belongs in .cpp files alone"},
      {"yaml-cpp/", "topology/", false, "yaml-cpp belongs in topology's .cpp files alone"},
      {"re2/", "core/text_pattern", false, "RE2 belongs in core/text_pattern.cpp alone"},
      {"protozero/", "collectives/formats/traces/", false,
       "protozero belongs in the .cpp files of collectives/formats/traces alone"},
      {"zlib.h", "collectives/formats/traces/compressed_file", false,
       "zlib belongs in compressed_file.cpp alone"},
      {"sqlite3.h", "core/sweep/database", false,
       "SQLite belongs in core/sweep/database.cpp alone"},
      {"mpi.h", "hw/mpi/", true, "MPI belongs in hw/mpi alone"},
      {"nccl.h", "hw/nccl/", true, "NCCL belongs in hw/nccl alone"},
      {"cuda", "hw/nccl/", true, "CUDA belongs in hw/nccl alone"},
  }};
  Violations found;
  for (const Include& include : includes_of(source)) {
    if (include.quoted) continue;
    for (const Rule& rule : kRules) {
      if (!include.target.starts_with(rule.prefix)) continue;
      if (!source.path.starts_with(rule.folder) || (is_header(source) && !rule.headers))
        found.push_back(at(source, include.line, rule.text));
    }
  }
  return found;
}

Violations header_form(const Source& source) {
  Violations found;
  if (!is_header(source)) return found;
  std::istringstream stream(source.text);
  std::string line;
  bool once = false;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    once |= line == "#pragma once";
    if (line.starts_with("using namespace"))
      found.push_back(at(source, number, "using-directive in a header"));
  }
  if (!once) found.push_back(at(source, 1, "no #pragma once"));
  return found;
}

Violations file_name(const Source& source) {
  const std::string stem = fs::path(source.path).stem().string();
  for (const std::string_view word : {"util", "utils", "helper", "helpers", "misc", "common"}) {
    const std::string ending = fmt::format("_{}", word);
    if (stem == word || stem.ends_with(ending))
      return {fmt::format("{}: name the file after its idea", source.path)};
  }
  return {};
}

Violations file_size(const Source& source) {
  constexpr auto kMost = 900;
  const auto lines = std::count(source.text.begin(), source.text.end(), '\n');
  if (lines <= kMost) return {};
  return {fmt::format("{}: {} lines are more than {}; split it where ideas part", source.path,
                      lines, kMost)};
}

Violations line_width(const Source& source) {
  constexpr std::ptrdiff_t kMost = 100;
  Violations found;
  std::istringstream stream(source.text);
  std::string line;
  bool is_text = false;  // inside a raw string: printed as it stands
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const bool was_text = is_text;
    is_text = is_text ? line.find(")\"") == std::string::npos : line.ends_with("R\"(");
    if (was_text) continue;
    // Continuation bytes of UTF-8 take no column.
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    });
    if (columns > kMost)
      found.push_back(at(source, number, fmt::format("{} columns, at most {}", columns, kMost)));
  }
  return found;
}

std::vector<Circle> unit_circles(const std::vector<Source>& sources) {
  return CircleSearch(sources).run();
}

std::string describe_circle(const Circle& circle, const std::vector<Source>& sources) {
  std::string text;
  for (const Source& source : sources) {
    if (!std::ranges::binary_search(circle, unit_of(source.path))) continue;
    for (const Include& include : includes_of(source)) {
      const std::string other = unit_of(include.target);
      if (!include.quoted || other == unit_of(source.path) ||
          !std::ranges::binary_search(circle, other))
        continue;
      if (!text.empty()) text += ", ";
      text += fmt::format("{} includes {}", source.path, other);
    }
  }
  return text;
}

Violations readme_faults(const fs::path& top, const std::vector<Source>& sources) {
  std::set<fs::path> folders;
  for (const Source& source : sources) folders.insert(fs::path(source.path).parent_path());
  Violations found;
  for (const fs::path& folder : folders) {
    std::ifstream stream(top / folder / "README.md", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (std::count(text.begin(), text.end(), '\n') < 3)
      found.push_back(fmt::format("{}: has no README.md of three lines", folder.generic_string()));
    static const std::regex kFile("`([a-z0-9_/]+\\.(hpp|cpp|md))`");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), kFile);
         at != std::sregex_iterator(); ++at) {
      const std::string file = (*at)[1];
      if (!fs::exists(top / folder / file) && !fs::exists(top / file))
        found.push_back(fmt::format("{}/README.md: there is no {}", folder.generic_string(), file));
    }
  }
  return found;
}

Violations cited_files(const fs::path& top, const Source& source) {
  constexpr std::string_view kMadeByCommands = "results/demo/";
  Violations found;
  std::istringstream stream(source.text);
  std::string line;
  const auto check = [&](std::size_t number, const fs::path& path, const std::string& cited) {
    if (!cited.starts_with(kMadeByCommands) && !fs::exists(path))
      found.push_back(at(source, number, fmt::format("there is no {}", cited)));
  };
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    for (const std::string& cited : citations(line)) check(number, top / cited, cited);
    if (!source.path.ends_with(".md")) continue;
    for (const std::string& linked : linked_files(line))
      check(number, top / fs::path(source.path).parent_path() / linked, linked);
  }
  return found;
}

Violations config_schema(const Source& source) {
  try {
    const core::ConfigNode root = core::ConfigNode::parse(source.text, source.path);
    const auto schema = root.find("$schema");
    if (schema && schema->text() && !schema->text()->empty()) return {};
    return {fmt::format("{}: has no \"$schema\"", source.path)};
  } catch (const InputError& error) {
    return {error.what()};
  }
}

}  // namespace railyard::style

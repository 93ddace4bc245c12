#include "collectives/formats/traces/import_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "collectives/formats/traces/chakra_workload.hpp"
#include "collectives/formats/traces/compressed_file.hpp"
#include "collectives/formats/traces/goal_workload.hpp"
#include "collectives/formats/traces/kineto_workload.hpp"
#include "collectives/workload/check_workload.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostText = std::uint64_t{4} << 30;

enum class Format : std::uint8_t { own, kineto, chakra, goal };

bool has_ending(const std::string& file, std::string_view ending) {
  return file.ends_with(ending) || file.ends_with(std::string(ending) + ".gz");
}

/// Position of the first character after white space and comments; npos if there is none.
std::size_t first_character(std::string_view text) {
  std::size_t at = text.find_first_not_of(" \t\r\n");
  while (at != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    if (!rest.starts_with("//") && !rest.starts_with("/*")) return at;
    const std::string_view ending = rest.starts_with("//") ? "\n" : "*/";
    const std::size_t end = rest.find(ending, 2);
    if (end == std::string_view::npos) return std::string_view::npos;
    at = text.find_first_not_of(" \t\r\n", at + end + ending.size());
  }
  return at;
}

/// Chakra is recognised by its file name. The other formats are recognised by the first text that
/// only one of them contains.
Format format_of(const std::string& file) {
  if (has_ending(file, ".et")) return Format::chakra;
  CompressedFile source(file);
  std::string begin(1 << 16, '\0');
  begin.resize(static_cast<std::size_t>(
      source.sgetn(begin.data(), static_cast<std::streamsize>(begin.size()))));
  const std::size_t first = first_character(begin);
  if (first == std::string::npos) throw InputError(file, "", "is empty");
  if (begin[first] != '{') {
    if (begin.find("num_ranks") != std::string::npos) return Format::goal;
    throw InputError(file, "", "does not have a supported format",
                     "railyard JSON, a PyTorch profile (JSON), Chakra (.et) or GOAL text");
  }
  const auto at = [&](std::string_view word) { return begin.find(word); };
  const std::size_t kineto = std::min({at("\"traceEvents\""), at("\"schemaVersion\""),
                                       at("\"deviceProperties\""), at("\"distributedInfo\"")});
  if (kineto != std::string::npos) return Format::kineto;
  const bool is_own =
      std::min({at("\"programs\""), at("\"roles\""), at("\"ranks\"")}) != std::string::npos;
  if (!is_own)
    throw InputError(
        file, "", "is JSON, but neither a workload nor a PyTorch profile",
        "a profile has \"traceEvents\"; railyard schema workload describes a workload");
  return Format::own;
}

/// The files of an argument. For a folder these are all its files, ordered by name.
std::vector<std::string> expanded(std::span<const std::string> files) {
  std::vector<std::string> all;
  for (const std::string& file : files) {
    std::error_code error;
    if (!fs::is_directory(file, error)) {
      all.push_back(file);
      continue;
    }
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(file, error)) {
      const std::string path = entry.path().string();
      if (entry.is_regular_file() &&
          (has_ending(path, ".et") || has_ending(path, ".json") || has_ending(path, ".goal")))
        found.insert(path);
    }
    if (found.empty())
      throw InputError(file, "", "is a folder without traces", "traces end in .et or .json[.gz]");
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

ImportedWorkload import_chakra(const std::vector<std::string>& files, const TraceImport& import) {
  std::vector<ChakraRank> ranks;
  for (const std::string& file : files) {
    const std::string name = file.ends_with(".gz") ? file.substr(0, file.size() - 3) : file;
    ranks.push_back({.rank = rank_of_chakra_file(name),
                     .file = file,
                     .trace = read_chakra(read_compressed(file, kMostText), file)});
  }
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const ChakraRank& a, const ChakraRank& b) { return a.rank < b.rank; });
  return workload_of_chakra(std::move(ranks), import);
}

ImportedWorkload read_one(const std::string& file, Format format, const TraceImport& import) {
  if (import.world)
    throw InputError("", "--world", fmt::format("{} already contains the number of ranks", file),
                     "leave it out");
  const std::string text = read_compressed(file, kMostText);
  if (format == Format::goal) return workload_of_goal(read_goal(text, file), file);
  return {.workload = read_workload(text, file),
          .format = "railyard",
          .notes = {},
          .recorded = std::nullopt};
}

void check(const ImportedWorkload& imported, const std::string& file) {
  std::vector<Diagnostic> problems = check_workload(imported.workload);
  for (Diagnostic& problem : problems)
    if (problem.file.empty()) problem.file = file;
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

bool is_own_workload(const std::string& file) {
  std::error_code error;
  return !fs::is_directory(file, error) && format_of(file) == Format::own;
}

ImportedWorkload import_workload(std::span<const std::string> files, const TraceImport& import) {
  const std::vector<std::string> all = expanded(files);
  const Format format = format_of(all.front());
  for (const std::string& file : all) {
    if (format_of(file) != format)
      throw InputError(file, "", fmt::format("is of another format than {}", all.front()),
                       "all files of a job have one format");
  }
  if (import.keeps_recorded && format != Format::kineto)
    throw InputError("", "--recorded", fmt::format("{} is not a PyTorch profile", all.front()),
                     "only PyTorch profiles record the time of collectives");
  if (!import.groups.empty() && (format == Format::own || format == Format::goal))
    throw InputError("", "--comm-groups",
                     fmt::format("{} already contains its process groups", all.front()),
                     "leave it out");
  const bool takes_several = format == Format::kineto || format == Format::chakra;
  if (!takes_several && all.size() > 1)
    throw InputError(all[1], "", fmt::format("{} already is a whole job", all[0]),
                     "run several jobs with --job NAME=FILE");
  ImportedWorkload imported = format == Format::kineto   ? workload_of_kineto(all, import)
                              : format == Format::chakra ? import_chakra(all, import)
                                                         : read_one(all[0], format, import);
  check(imported, all.front());
  return imported;
}

}  // namespace railyard::collectives

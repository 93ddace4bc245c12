#include "apps/output/report/page.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "apps/output/embedded.hpp"
#include "apps/output/report/sections.hpp"
#include "apps/output/report/validation.hpp"
#include "core/drawing/markup.hpp"
#include "core/drawing/theme.hpp"
#include "topology/picture/style.hpp"

namespace railyard::apps {

using namespace core::drawing;

namespace {

std::string default_title(const std::vector<ResultFile>& files) {
  std::set<std::string> clusters;
  for (const ResultFile& file : files) {
    const std::string cluster = file.provenance_of("cluster");
    if (!cluster.empty()) clusters.insert(std::filesystem::path(cluster).stem().string());
  }
  if (clusters.empty()) return "Railyard report";
  std::string title;
  for (const std::string& cluster : clusters) title += (title.empty() ? "" : ", ") + cluster;
  return "Railyard: " + title;
}

std::string header(const Report& report) {
  Markup html;
  html.open("header").element("h1", {}, report.title);
  std::size_t rows = 0;
  std::set<std::string> versions;
  for (const ResultFile& file : report.files) {
    rows += file.rows.size();
    if (!file.version.empty()) versions.insert(file.version);
  }
  std::string made = fmt::format("{} row{} from {} result file{}", rows, rows == 1 ? "" : "s",
                                 report.files.size(), report.files.size() == 1 ? "" : "s");
  for (const std::string& version : versions) made += ", railyard " + version;
  html.element("p", {{"class", "muted"}}, made + ". Commands and configs are listed at the end.");
  html.close().newline();
  return html.str();
}

/// The page's shell with each {{name}} replaced by a piece. Replacements are not searched again.
std::string fill(std::string_view shell,
                 const std::vector<std::pair<std::string_view, std::string_view>>& pieces) {
  std::string out;
  for (std::size_t at = 0; at < shell.size();) {
    const std::size_t begin = shell.find("{{", at);
    if (begin == std::string_view::npos) return out.append(shell.substr(at));
    const std::size_t end = shell.find("}}", begin);
    out.append(shell.substr(at, begin - at));
    for (const auto& [name, text] : pieces) {
      if (name == shell.substr(begin + 2, end - begin - 2)) out.append(text);
    }
    at = end + 2;
  }
  return out;
}

}  // namespace

Report make_report(std::vector<ResultFile> files, std::string title) {
  Report report;
  report.title = title.empty() ? default_title(files) : std::move(title);
  report.files = std::move(files);
  report.charts = collect_curves(report.files);
  report.loads = collect_loads(report.charts, report.files);
  return report;
}

std::string report_page(const Report& report) {
  std::string body = header(report);
  body += answer_section(report);
  body += finding_section(report);
  body += validation_section(report);
  body += comparison_section(report);
  body += fabric_section(report);
  body += packet_section(report);
  body += chart_section(report);
  body += placement_section(report);
  body += plan_section(report);
  body += fabric_plan_section(report);
  body += serving_section(report);
  body += pivot_section(report);
  body += row_section(report);
  body += provenance_section(report);
  const std::string style =
      fmt::format("{}{}{}", kThemeCss, kPageCss, topology::picture::kPictureCss);
  return fill(kPageHtml, {{"title", xml_escape(report.title)},
                          {"style", style},
                          {"body", body},
                          {"loads", loads_json(report.loads)},
                          {"script", kPageJs}});
}

}  // namespace railyard::apps

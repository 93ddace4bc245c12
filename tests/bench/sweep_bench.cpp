#include <benchmark/benchmark.h>

#include <filesystem>
#include <unistd.h>

#include "core/sweep/input_digest.hpp"
#include "core/sweep/point_queue.hpp"
#include "core/sweep/space.hpp"
#include "core/sweep/store.hpp"

namespace railyard::core::sweep {
namespace {

/// What a sweep adds to the commands that it runs, over all its points: enumeration, digests of the
/// inputs, handing out, and a transaction per point with a row of 20 columns.
void points_beside_their_commands(benchmark::State& state) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("railyard_sweep_bench_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  Outcome outcome{
      .exit_code = 0, .error = {}, .notes = "a note", .seconds = 0.01, .tables = {{.kind = "sim"}}};
  outcome.tables.front().rows.emplace_back();
  for (int i = 0; i < 20; ++i) {
    outcome.tables.front().columns.push_back({.name = "column" + std::to_string(i)});
    outcome.tables.front().rows.front().push_back(i % 2 == 0 ? Value(0.1 * i)
                                                             : Value("node0/nic0"));
  }
  Space space{.grid = {parse_axis("nodes=1..100", ""), parse_axis("bytes=1..100000:+1", "")}};
  space.samples = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    const std::string file = folder / "out.sqlite";
    std::filesystem::remove(file);
    InputDigests digests("bench");
    std::vector<PointKey> points;
    for (auto& values : points_of(space)) {
      const std::string digest = digests.digest(
          {"sim", "--cluster", "dgx_h100_ndr400", "--nodes=" + values[0], "--bytes=" + values[1]});
      points.push_back({std::move(values), digest});
    }
    Store store(file, {{"sim"}, fields_of(space)});
    benchmark::DoNotOptimize(store.match_points(points, false));
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    PointQueue point_queue(order);
    while (const auto point = point_queue.next()) {
      store.add(*point, points[*point], outcome);
      point_queue.finish(*point);
    }
    store.close();
  }
  std::filesystem::remove_all(folder);
}
BENCHMARK(points_beside_their_commands)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace railyard::core::sweep

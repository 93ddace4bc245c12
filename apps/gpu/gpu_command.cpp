#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/cli/flag_groups.hpp"
#include "apps/cli/flag_value.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/cli/refused_flags.hpp"
#include "apps/cli/setting.hpp"
#include "apps/gpu/gpu_rows.hpp"
#include "apps/output/result_output.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_backend.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Tests the GPUs of this machine one after the other:
  kernels   every reduction kernel of Railyard (type x operation) against the CPU, bit by bit
  memory    fill, copy, add, launch of a kernel, copies from and to the host
  products  matrix products with cuBLAS; power and clock under a sustained product
CUDA events measure the times. --predict adds the times that the model predicts for a GPU.
The exit code is 1 if an element is wrong.

Examples:
  railyard gpu --predict h100_sxm --json gpu.json --gemm-table h100_bf16.csv
  railyard gpu --test products --shapes 4096x4096x4096,8192x28672x8192
  railyard gpu --compile 90 -o reduction_kernels_sm_90.cubin)";

struct GpuFlags {
  std::string libraries, predict, gemm_table, output_file;
  std::string timeout, sustained, bytes;  ///< "": the default
  std::vector<std::string> tests, shapes;
  std::optional<int> gpus, compile;
  std::optional<int> iterations;
  std::optional<std::uint64_t> seed;
  OutputFlags output;
};

/// "4096x14336x4096": m, n, k.
hw::ProductShape shape_of(const std::string& text) {
  std::array<std::int64_t, 3> sides{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto read = std::from_chars(at, end, sides[i]);
    const bool ends = i + 1 == sides.size() ? read.ptr == end : read.ptr != end && *read.ptr == 'x';
    if (read.ec != std::errc() || !ends || sides[i] < 1 || sides[i] > 1'000'000) {
      throw InputError("", "--shapes", fmt::format("'{}' is not MxNxK", text),
                       "three sizes from 1 to 1,000,000, such as 4096x14336x4096");
    }
    at = read.ptr + 1;
  }
  return {sides[0], sides[1], sides[2]};
}

hw::GpuTestOptions options_of(const GpuFlags& flags) {
  const auto wanted = [&](const char* test) {
    return flags.tests.empty() || std::ranges::find(flags.tests, test) != flags.tests.end();
  };
  hw::GpuTestOptions options{
      .libraries = flags.libraries,
      .gpus = flags.gpus.value_or(0),
      .kernels = wanted("kernels"),
      .memory = wanted("memory"),
      .products = wanted("products"),
      .bytes = size_of_flag(flags.bytes.empty() ? "1G" : flags.bytes, "--bytes"),
      .shapes = {},
      .iterations = flags.iterations.value_or(20),
      .sustained = flag_value(core::parse_time(flags.sustained.empty() ? "3 s" : flags.sustained),
                              "--sustained"),
      .timeout = flag_value(core::parse_time(flags.timeout.empty() ? "5 min" : flags.timeout),
                            "--timeout"),
      .seed = flags.seed.value_or(1)};
  if (options.bytes < Bytes(1024)) throw InputError("", "--bytes", "must be at least 1K");
  for (const std::string& shape : flags.shapes) options.shapes.push_back(shape_of(shape));
  return options;
}

/// Throws InputError for flags that the selected tests do not use.
void check_used(const GpuFlags& flags, const hw::GpuTestOptions& options) {
  Diagnostics problems("");
  const auto require = [&](bool given, const char* flag, bool tested, const char* tests) {
    if (given && !tested)
      problems.add(flag, fmt::format("requires the test {}", tests),
                   fmt::format("add {} to --test", tests));
  };
  require(!flags.bytes.empty(), "--bytes", options.memory, "memory");
  require(!flags.shapes.empty(), "--shapes", options.products, "products");
  require(!flags.sustained.empty(), "--sustained", options.products, "products");
  require(!flags.gemm_table.empty(), "--gemm-table", options.products, "products");
  require(!flags.predict.empty(), "--predict", options.memory || options.products,
          "memory or products");
  problems.throw_if_any();
}

const hw::GpuTools* gpu_tools(const Context& context) {
  for (const hw::BackendEntry& entry : context.backends) {
    if (entry.gpus != nullptr) return entry.gpus;
  }
  return nullptr;
}

/// Throws InputError for flags of tests, which --compile does not run.
void check_compile_flags(const GpuFlags& flags) {
  Diagnostics problems("");
  refuse({{!flags.tests.empty(), "--test"},
          {flags.gpus.has_value(), "--gpus"},
          {flags.iterations.has_value(), "--iterations"},
          {!flags.bytes.empty(), "--bytes"},
          {!flags.shapes.empty(), "--shapes"},
          {!flags.sustained.empty(), "--sustained"},
          {!flags.predict.empty(), "--predict"},
          {!flags.gemm_table.empty(), "--gemm-table"},
          {!flags.timeout.empty(), "--timeout"},
          {flags.seed.has_value(), "--seed"},
          {!flags.output.json.empty(), "--json"},
          {!flags.output.csv.empty(), "--csv"}},
         "--compile runs no test", "leave one of them out", problems);
  problems.throw_if_any();
}

int write_kernels(const GpuFlags& flags, const hw::GpuTools& tools, Context& context) {
  check_compile_flags(flags);
  check_output_file("--output", flags.output_file);
  write_text(tools.compile(flags.libraries, *flags.compile), flags.output_file, context);
  return ExitCode::done;
}

int run_gpu(const GpuFlags& flags, Context& context) {
  check_output(flags.output);
  if (!flags.gemm_table.empty()) check_output_file("--gemm-table", flags.gemm_table);
  const hw::GpuTools* tools = gpu_tools(context);
  if (tools == nullptr) return run_cluster_program(1, false, context);
  if (flags.compile) return write_kernels(flags, *tools, context);
  const hw::GpuTestOptions options = options_of(flags);
  check_used(flags, options);
  std::optional<placement::Processor> processor;
  if (!flags.predict.empty()) processor = placement::read_processor(flags.predict);
  const hw::GpuTests tests = tools->test(options);

  std::vector<PredictedGpuRow> rows;
  std::vector<std::string> wrong;
  for (const hw::GpuTestRow& row : tests.rows) {
    rows.push_back({row, processor ? predict(*processor, row) : std::nullopt});
    if (row.wrong.value_or(0) != 0)
      wrong.push_back(fmt::format("GPU {}, {}: {} wrong elements; {}", row.gpu, row.name,
                                  *row.wrong, row.first_wrong));
  }
  Provenance provenance{
      .command = context.command, .facts = tests.facts, .seed = options.seed, .notes = tests.notes};
  if (processor) provenance.facts.emplace_back("predicted as", processor->gpu.name);
  write_result({.kind = "gpu", .provenance = provenance, .rows = tabulate_gpu_tests(rows)},
               flags.output, context);
  if (!flags.gemm_table.empty()) write_text(gemm_table_text(tests), flags.gemm_table, context);
  for (const std::string& note : tests.notes) print_note(context, note);
  for (const std::string& line : wrong) print_error(context, line);
  return wrong.empty() ? ExitCode::done : ExitCode::finding;
}

}  // namespace

RunCommand add_gpu(FlagSet app) {
  const auto flags = std::make_shared<GpuFlags>();
  app.add_option("--test", flags->tests, "Tests: kernels, memory, products (repeatable) [all]")
      .type_name("NAME")
      .delimiter(',')
      .check(one_of({"kernels", "memory", "products"}));
  app.add_option("--gpus", flags->gpus, "Test only the first N GPUs [all that CUDA sees]")
      .type_name("N")
      .check(in_range(1, 1024));
  app.add_option("-n,--iterations", flags->iterations, "Iterations per measurement [20]")
      .type_name("N")
      .check(in_range(1, 1'000'000));
  app.add_option("--bytes", flags->bytes, "memory: size of each buffer [1G]").type_name("SIZE");
  app.add_option("--shapes", flags->shapes,
                 "products: sizes MxNxK of a product, an M x K matrix times a K x N matrix "
                 "(repeatable) [47 shapes of transformers]")
      .type_name("LIST")
      .delimiter(',');
  app.add_option("--sustained", flags->sustained,
                 "products: duration of the sustained product; '0 s' omits it [3 s]")
      .type_name("TIME");
  app.add_option("--predict", flags->predict,
                 "Add the predicted time of this GPU to each row: a name in configs/gpus, or a "
                 "file [no prediction]")
      .type_name("GPU");
  app.add_option(
         "--gemm-table", flags->gemm_table,
         "Write the times of the bfloat16 products as CSV, for 'railyard place --gemm-table'")
      .type_name("FILE");
  app.add_option("--libraries", flags->libraries,
                 "Folder of libcudart.so.N, libnccl.so.2, libnvrtc.so.N and libcublas.so.N [the "
                 "loader's search path]")
      .type_name("DIR");
  app.add_option("--timeout", flags->timeout,
                 "Time limit of all tests together; '0 s' means no limit [5 min]")
      .type_name("TIME");
  app.add_option("--seed", flags->seed, "Random seed of the tested values [1]").type_name("N");
  add_output_flags(app, flags->output);
  const Flag compile =
      app.add_option("--compile", flags->compile,
                     "Only compile the reduction kernels for a compute capability, such as 90; "
                     "requires no GPU. If the folder of --libraries contains the result "
                     "(reduction_kernels_sm_90.cubin), later runs do not need NVRTC")
          .type_name("N")
          .check(in_range(50, 999));
  compile.needs(app.add_option("-o,--output", flags->output_file, "With --compile: file to write")
                    .type_name("FILE")
                    .needs(compile));
  app.footer(kExamples);
  return [flags](Context& context) { return run_gpu(*flags, context); };
}

}  // namespace railyard::apps

#include "hw/nccl/device/kernel_checks.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "core/config/enum_names.hpp"
#include "hw/local/averaging.hpp"
#include "hw/local/narrow_floats.hpp"
#include "hw/local/reduction.hpp"
#include "hw/local/test_values.hpp"
#include "hw/nccl/reduction_kernels.hpp"

namespace railyard::hw::nccl {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

/// More than the largest grid processes at once (1184 blocks of 256 threads), and not a multiple of
/// a pack.
constexpr std::uint64_t kElements = (std::uint64_t{1} << 20) + 3;
/// Divisor of averages: no power of two, so that quotients are rounded.
constexpr std::uint32_t kRanks = 3;
/// As in launches of hw/nccl/reduction_kernels.cpp.
constexpr unsigned kThreads = 256, kBlocks = 1184;

template <class T>
T loaded(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool is_nan(DataType type, const std::byte* at) {
  switch (type) {
    case DataType::float8_e4m3: return std::isnan(to_float(loaded<Float8E4M3>(at)));
    case DataType::float8_e5m2: return std::isnan(to_float(loaded<Float8E5M2>(at)));
    case DataType::float16: return std::isnan(to_float(loaded<Float16>(at)));
    case DataType::bfloat16: return std::isnan(to_float(loaded<BFloat16>(at)));
    case DataType::float32: return std::isnan(loaded<float>(at));
    case DataType::float64: return std::isnan(loaded<double>(at));
    default: return false;
  }
}

/// Writes a value of moderate magnitude: sums of these are rounded, sums of random bits rarely are.
void write_moderate(DataType type, std::byte* at, float value) {
  const auto store = [at](auto v) { std::memcpy(at, &v, sizeof v); };
  switch (type) {
    case DataType::float8_e4m3: store(to_float8_e4m3(value)); break;
    case DataType::float8_e5m2: store(to_float8_e5m2(value)); break;
    case DataType::float16: store(to_float16(value)); break;
    case DataType::bfloat16: store(to_bfloat16(value)); break;
    case DataType::float32: store(value); break;
    case DataType::float64: store(double{value} / 3); break;
    default: break;
  }
}

/// Random bits; for floats every second element has moderate magnitude.
std::vector<std::byte> values(DataType type, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto element = static_cast<std::size_t>(size_of(type).count());
  std::vector<std::byte> bytes(kElements * element + 16);
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t bits = random();
    std::memcpy(bytes.data() + i, &bits, 8);
  }
  if (!is_float(type)) return bytes;
  for (std::size_t i = 0; i < kElements; i += 2) {
    const auto bits = static_cast<std::int32_t>(random());
    write_moderate(type, bytes.data() + i * element, static_cast<float>(bits) * 0x1p-29F);
  }
  return bytes;
}

/// The two operands of a type, on the host and the GPU.
struct Operands {
  DataType type;
  std::size_t element;
  std::vector<std::byte> a, b;
};

struct Wrong {
  std::int64_t count = 0;
  std::string first;
};

void compare_elements(const Operands& operands, const std::string& what,
                      const std::vector<std::byte>& expected, const std::vector<std::byte>& got,
                      std::size_t first, Wrong& wrong) {
  for (std::size_t at = first; at + operands.element <= expected.size(); at += operands.element) {
    const std::byte* x = expected.data() + at;
    const std::byte* y = got.data() + at;
    if (std::memcmp(x, y, operands.element) == 0) continue;
    if (is_nan(operands.type, x) && is_nan(operands.type, y)) continue;
    if (wrong.count++ == 0) {
      wrong.first =
          fmt::format("{}, element {}: expected {}, got {}", what, (at - first) / operands.element,
                      element_text(operands.type, x), element_text(operands.type, y));
    }
  }
}

/// Checks the kernels of one type.
class TypeCheck {
 public:
  TypeCheck(const Device& device, const DeviceKernels& kernels, DataType type, std::uint64_t seed)
      : device_(device),
        kernels_(kernels),
        operands_{type, static_cast<std::size_t>(size_of(type).count()), values(type, 2 * seed),
                  values(type, 2 * seed + 1)},
        a_(device, operands_.a.size()),
        b_(device, operands_.b.size()) {}

  GpuTestRow row(ReduceOp op, int iterations) {
    Wrong wrong;
    check_reduction(op, 0, wrong);
    check_reduction(op, operands_.element, wrong);  // elements one by one, not in packs of 16 bytes
    if (op == ReduceOp::avg) check_average(wrong);
    const DataType type = operands_.type;
    const Time time = device_.timed(
        iterations, [&] { kernels_.reduce(type, op, a_.data(), b_.data(), kElements); });
    return {.gpu = device_.number(),
            .test = "kernel",
            .name = kernel_name(type, op),
            .type = type,
            .bytes = Bytes(static_cast<std::int64_t>(3 * kElements * operands_.element)),
            .shape = {},
            .time = time,
            .wrong = wrong.count,
            .first_wrong = wrong.first,
            .power_W = {},
            .clock_MHz = {}};
  }

 private:
  void send() {
    device_.copy(a_.data(), operands_.a.data(), operands_.a.size());
    device_.copy(b_.data(), operands_.b.data(), operands_.b.size());
    device_.wait();
  }
  std::vector<std::byte> received() {
    std::vector<std::byte> got(operands_.a.size());
    device_.copy(got.data(), a_.data(), got.size());
    device_.wait();
    return got;
  }

  void check_reduction(ReduceOp op, std::size_t first, Wrong& wrong) {
    const std::uint64_t count = kElements - first / operands_.element;
    std::vector<std::byte> expected = operands_.a;
    reduction(operands_.type, op)(expected.data() + first, operands_.b.data() + first, count);
    send();
    kernels_.reduce(operands_.type, op, a_.data() + first, b_.data() + first, count);
    const std::string name = kernel_name(operands_.type, op);
    compare_elements(operands_, first == 0 ? name : name + " of unaligned memory", expected,
                     received(), first, wrong);
  }

  void check_average(Wrong& wrong) {
    std::vector<std::byte> expected = operands_.a;
    averaging(operands_.type)(expected.data(), kElements, kRanks);
    send();
    kernels_.average(operands_.type, a_.data(), kRanks, kElements);
    compare_elements(operands_, average_kernel_name(operands_.type), expected, received(), 0,
                     wrong);
  }

  const Device& device_;
  const DeviceKernels& kernels_;
  Operands operands_;
  DeviceBuffer a_, b_;
};

}  // namespace

DeviceKernels::DeviceKernels(const Device& device)
    : device_(device), functions_(device.calls().libraries().kernels()) {
  const std::string binary =
      kernel_binary(device.calls().libraries().folder(), device.compute_capability());
  check("cuModuleLoadData", functions_.module_load(&module_, binary.data()));
}

DeviceKernels::~DeviceKernels() {
  if (module_ != nullptr) (void)functions_.module_unload(module_);
}

void DeviceKernels::check(const char* call, int result) const {
  check_driver(device_.calls(), functions_, call, result);
}

Kernel DeviceKernels::kernel(const std::string& name) const {
  Kernel found = nullptr;
  check("cuModuleGetFunction", functions_.module_get_function(&found, module_, name.c_str()));
  return found;
}

void DeviceKernels::reduce(DataType type, ReduceOp op, std::byte* into, const std::byte* from,
                           std::uint64_t count) const {
  unsigned long long elements = count;
  std::array<void*, 3> arguments{&into, &from, &elements};
  check("cuLaunchKernel", functions_.launch(kernel(kernel_name(type, op)), kBlocks, 1, 1, kThreads,
                                            1, 1, 0, device_.stream(), arguments.data(), nullptr));
}

void DeviceKernels::average(DataType type, std::byte* at, std::uint32_t ranks,
                            std::uint64_t count) const {
  unsigned long long divisor = ranks;
  unsigned long long elements = count;
  std::array<void*, 3> arguments{&at, &divisor, &elements};
  check("cuLaunchKernel",
        functions_.launch(kernel(average_kernel_name(type)), kBlocks, 1, 1, kThreads, 1, 1, 0,
                          device_.stream(), arguments.data(), nullptr));
}

std::vector<GpuTestRow> check_kernels(const Device& device, const GpuTestOptions& options) {
  const DeviceKernels kernels(device);
  std::vector<GpuTestRow> rows;
  for (const auto& [type, type_name] : core::EnumNames<DataType>::table) {
    TypeCheck check(device, kernels, type, options.seed);
    for (const auto& [op, op_name] : core::EnumNames<ReduceOp>::table)
      rows.push_back(check.row(op, options.iterations));
  }
  return rows;
}

}  // namespace railyard::hw::nccl

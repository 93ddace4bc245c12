// Reduction of a received message into a buffer, compiled by NVRTC for the GPU in use. A test
// compiles the same text as C++ for the host and compares it with hw/local/reduction.cpp.
//   into[i] = op(into[i], from[i])
// Integers wrap around. Floats of 8 and 16 bits are combined in binary32 and rounded to nearest,
// ties to even; too large 8-bit results become the largest finite value. min and max return a if
// neither operand is less, so a NaN in `from` is ignored.

#ifndef RAILYARD_HOST
#define RAILYARD_KERNEL extern "C" __global__ void
#define RAILYARD_DEVICE __device__ __forceinline__
RAILYARD_DEVICE unsigned long long first_index() {
  return static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
RAILYARD_DEVICE unsigned long long index_stride() {
  return static_cast<unsigned long long>(gridDim.x) * blockDim.x;
}
#endif

struct Half {
  unsigned short bits;
};
struct BFloat {
  unsigned short bits;
};
// An 8-bit float format: fraction bits, exponent bias, and the codes of the largest finite value,
// of infinity and of NaN (equal if there is no infinity).
template <int Fraction, int Bias, unsigned Largest, unsigned Infinity, unsigned Nan>
struct Float8 {
  unsigned char bits;
};
using E4M3 = Float8<3, 7, 0x7e, 0x7f, 0x7f>;
using E5M2 = Float8<2, 15, 0x7b, 0x7c, 0x7f>;

#ifndef RAILYARD_HOST
RAILYARD_DEVICE float widened(Half value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}
RAILYARD_DEVICE void narrow(float wide, Half& value) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value.bits) : "f"(wide));
}
RAILYARD_DEVICE float float_of_bits(unsigned int bits) { return __uint_as_float(bits); }
RAILYARD_DEVICE unsigned int bits_of_float(float value) { return __float_as_uint(value); }
#endif

RAILYARD_DEVICE float widened(BFloat value) {
  return float_of_bits(static_cast<unsigned int>(value.bits) << 16);
}
RAILYARD_DEVICE void narrow(float wide, BFloat& value) {
  const unsigned int bits = bits_of_float(wide);
  if ((bits & 0x7fffffffU) > 0x7f800000U)
    value.bits = static_cast<unsigned short>((bits >> 16) | 0x40U);
  else
    value.bits = static_cast<unsigned short>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// 2^exponent, which is normal.
RAILYARD_DEVICE float power_of_two(int exponent) {
  return float_of_bits(static_cast<unsigned int>(exponent + 127) << 23);
}
template <int F, int B, unsigned Largest, unsigned Infinity, unsigned Nan>
RAILYARD_DEVICE float widened(Float8<F, B, Largest, Infinity, Nan> value) {
  const unsigned int sign = static_cast<unsigned int>(value.bits & 0x80U) << 24;
  const unsigned int code = value.bits & 0x7fU;
  if (code >= Infinity)
    return float_of_bits(sign | (code == Infinity && Infinity != Nan ? 0x7f800000U : 0x7fc00000U));
  if (code >> F == 0)
    return float_of_bits(sign | bits_of_float(static_cast<float>(code) * power_of_two(1 - B - F)));
  return float_of_bits(sign | ((code << (23 - F)) + (static_cast<unsigned int>(127 - B) << 23)));
}
template <int F, int B, unsigned Largest, unsigned Infinity, unsigned Nan>
RAILYARD_DEVICE void narrow(float wide, Float8<F, B, Largest, Infinity, Nan>& value) {
  const unsigned int bits = bits_of_float(wide);
  const unsigned int magnitude = bits & 0x7fffffffU;
  constexpr int kShift = 23 - F;
  unsigned int code;
  if (magnitude > 0x7f800000U) {
    code = Nan;
  } else if (magnitude >= static_cast<unsigned int>(128 - B) << 23) {
    const unsigned int half = (1U << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1U);
    code = ((magnitude + half) >> kShift) - (static_cast<unsigned int>(127 - B) << F);
    if (code > Largest) code = Largest;
  } else {
    // Subnormal: the addition rounds to a multiple of the last bit of this power of two.
    const float large = power_of_two(1 - B - F + 23);
    code = bits_of_float(float_of_bits(magnitude) + large) - bits_of_float(large);
  }
  value.bits = static_cast<unsigned char>(((bits >> 24) & 0x80U) | code);
}

struct Sum {
  template <class T>
  static RAILYARD_DEVICE T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Prod {
  template <class T>
  static RAILYARD_DEVICE T apply(T a, T b) {
    return static_cast<T>(a * b);
  }
};
struct Min {
  template <class T>
  static RAILYARD_DEVICE T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static RAILYARD_DEVICE T apply(T a, T b) {
    return a < b ? b : a;
  }
};

// Signed overflow is undefined in C++, so integers add and multiply unsigned.
template <class T>
struct Wrapping {
  using type = T;
};
template <>
struct Wrapping<signed char> {
  using type = unsigned int;
};
template <>
struct Wrapping<int> {
  using type = unsigned int;
};
template <>
struct Wrapping<long long> {
  using type = unsigned long long;
};

template <class Op, class T>
struct Combine {
  static RAILYARD_DEVICE T apply(T a, T b) { return Op::apply(a, b); }
};
template <class T>
struct Combine<Sum, T> {
  using W = typename Wrapping<T>::type;
  static RAILYARD_DEVICE T apply(T a, T b) {
    return static_cast<T>(Sum::apply(static_cast<W>(a), static_cast<W>(b)));
  }
};
template <class T>
struct Combine<Prod, T> {
  using W = typename Wrapping<T>::type;
  static RAILYARD_DEVICE T apply(T a, T b) {
    return static_cast<T>(Prod::apply(static_cast<W>(a), static_cast<W>(b)));
  }
};

template <class Op, class T>
RAILYARD_DEVICE void combine(T& into, T from) {
  into = Combine<Op, T>::apply(into, from);
}
template <class Op>
RAILYARD_DEVICE void combine(Half& into, Half from) {
  narrow(Op::apply(widened(into), widened(from)), into);
}
template <class Op>
RAILYARD_DEVICE void combine(BFloat& into, BFloat from) {
  narrow(Op::apply(widened(into), widened(from)), into);
}

template <class Op, int F, int B, unsigned Largest, unsigned Infinity, unsigned Nan>
RAILYARD_DEVICE void combine(Float8<F, B, Largest, Infinity, Nan>& into,
                             Float8<F, B, Largest, Infinity, Nan> from) {
  narrow(Op::apply(widened(into), widened(from)), into);
}

// 16 bytes at once: the widest load of a thread.
template <class T>
struct alignas(16) Pack {
  T values[16 / sizeof(T)];
};

template <class Op, class T>
RAILYARD_DEVICE void reduce(char* into, const char* from, unsigned long long count) {
  constexpr unsigned long long kPerPack = 16 / sizeof(T);
  const unsigned long long places =
      reinterpret_cast<unsigned long long>(into) | reinterpret_cast<unsigned long long>(from);
  const unsigned long long packs = places % 16 == 0 ? count / kPerPack : 0;
  Pack<T>* wide_into = reinterpret_cast<Pack<T>*>(into);
  const Pack<T>* wide_from = reinterpret_cast<const Pack<T>*>(from);
  for (unsigned long long i = first_index(); i < packs; i += index_stride()) {
    Pack<T> a = wide_into[i];
    const Pack<T> b = wide_from[i];
    for (unsigned k = 0; k < kPerPack; ++k) combine<Op>(a.values[k], b.values[k]);
    wide_into[i] = a;
  }
  T* single_into = reinterpret_cast<T*>(into);
  const T* single_from = reinterpret_cast<const T*>(from);
  for (unsigned long long i = packs * kPerPack + first_index(); i < count; i += index_stride())
    combine<Op>(single_into[i], single_from[i]);
}

// An average is a sum that is divided at the end; integers round towards zero.
template <class T>
RAILYARD_DEVICE T divided(T value, unsigned long long by) {
  return value / static_cast<T>(by);
}
RAILYARD_DEVICE unsigned char divided(unsigned char value, unsigned long long by) {
  return static_cast<unsigned char>(value / by);
}
RAILYARD_DEVICE unsigned int divided(unsigned int value, unsigned long long by) {
  return static_cast<unsigned int>(value / by);
}
RAILYARD_DEVICE signed char divided(signed char value, unsigned long long by) {
  return static_cast<signed char>(value / static_cast<long long>(by));
}
RAILYARD_DEVICE int divided(int value, unsigned long long by) {
  return static_cast<int>(value / static_cast<long long>(by));
}
RAILYARD_DEVICE Half divided(Half value, unsigned long long by) {
  narrow(widened(value) / static_cast<float>(by), value);
  return value;
}
RAILYARD_DEVICE BFloat divided(BFloat value, unsigned long long by) {
  narrow(widened(value) / static_cast<float>(by), value);
  return value;
}
template <int F, int B, unsigned Largest, unsigned Infinity, unsigned Nan>
RAILYARD_DEVICE Float8<F, B, Largest, Infinity, Nan> divided(
    Float8<F, B, Largest, Infinity, Nan> value, unsigned long long by) {
  narrow(widened(value) / static_cast<float>(by), value);
  return value;
}
template <class T>
RAILYARD_DEVICE void average(char* at, unsigned long long by, unsigned long long count) {
  T* values = reinterpret_cast<T*>(at);
  for (unsigned long long i = first_index(); i < count; i += index_stride())
    values[i] = divided(values[i], by);
}

#define RAILYARD_AVERAGE(type, T)                                                             \
  RAILYARD_KERNEL average_##type(char* at, unsigned long long by, unsigned long long count) { \
    average<T>(at, by, count);                                                                \
  }
#define RAILYARD_REDUCTION(op, Op, type, T)                                             \
  RAILYARD_KERNEL op##_##type(char* into, const char* from, unsigned long long count) { \
    reduce<Op, T>(into, from, count);                                                   \
  }
#define RAILYARD_REDUCTIONS(type, T)      \
  RAILYARD_REDUCTION(sum, Sum, type, T)   \
  RAILYARD_REDUCTION(prod, Prod, type, T) \
  RAILYARD_REDUCTION(min, Min, type, T)   \
  RAILYARD_REDUCTION(max, Max, type, T)   \
  RAILYARD_REDUCTION(avg, Sum, type, T)   \
  RAILYARD_AVERAGE(type, T)

// Compiling all kernels takes seconds, so RAILYARD_ONLY can select one.
#ifdef RAILYARD_ONLY
RAILYARD_ONLY
#else
RAILYARD_REDUCTIONS(int8, signed char)
RAILYARD_REDUCTIONS(uint8, unsigned char)
RAILYARD_REDUCTIONS(int32, int)
RAILYARD_REDUCTIONS(uint32, unsigned int)
RAILYARD_REDUCTIONS(int64, long long)
RAILYARD_REDUCTIONS(uint64, unsigned long long)
RAILYARD_REDUCTIONS(float8_e4m3, E4M3)
RAILYARD_REDUCTIONS(float8_e5m2, E5M2)
RAILYARD_REDUCTIONS(float16, Half)
RAILYARD_REDUCTIONS(bfloat16, BFloat)
RAILYARD_REDUCTIONS(float32, float)
RAILYARD_REDUCTIONS(float64, double)
#endif

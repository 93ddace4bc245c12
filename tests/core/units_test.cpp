#include "core/units.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

using namespace railyard::literals;

TEST(Serialisation, FourKibibytesAt400GbpsTake81920Picoseconds) {
  // 4096 B · 8 bit = 32768 bit; 32768 / 400e9 s = 81.92 ns.
  EXPECT_EQ(serialisation_time(4_KiB, 400_Gbps), 81920_ps);
}

TEST(Serialisation, RoundsUpToAWholePicosecond) {
  // 1 B at 3 Tb/s: 8e12 / 3e12 = 2.67 ps.
  EXPECT_EQ(serialisation_time(1_B, Bandwidth::gigabits_per_second(3000)), 3_ps);
}

TEST(Serialisation, NothingTakesNoTime) { EXPECT_EQ(serialisation_time(0_B, 1_Gbps), 0_ps); }

TEST(Serialisation, IsExactWhereDoublesAreNot) {
  // 9,007,199,254,740,993 B (2^53 + 1) at 8 Tb/s = 1e12 B/s is as many picoseconds; a double cannot
  // hold that odd number.
  constexpr std::int64_t kBytes = (std::int64_t{1} << 53) + 1;
  const Bandwidth rate = Bandwidth::gigabytes_per_second(1000);
  EXPECT_EQ(serialisation_time(Bytes(kBytes), rate).picoseconds(), kBytes);
}

TEST(Serialisation, SaturatesAtNever) {
  // 9.2e18 B at 1 bit/s is 7.4e31 ps.
  EXPECT_EQ(serialisation_time(Bytes(std::numeric_limits<std::int64_t>::max()),
                               Bandwidth::bits_per_second(1)),
            Time::never());
}

TEST(Time, FromSecondsRoundsAndSaturates) {
  EXPECT_EQ(Time::from_seconds(1.5e-6), Time::nanoseconds(1500));
  EXPECT_EQ(Time::from_seconds(0.6e-12), 1_ps);
  EXPECT_EQ(Time::from_seconds(1e30), Time::never());
  EXPECT_EQ(Time::from_seconds(-1e30), Time() - Time::never());
}

TEST(Bandwidth, OneDecimalGigabytesBecomeWholeBits) {
  // 46.1 GB/s = 368.8 Gb/s; 46.1 is not a double, the nearest bit/s is.
  EXPECT_EQ(Bandwidth::from_gigabytes_per_second(46.1), Bandwidth::megabits_per_second(368'800));
}

TEST(Units, ArithmeticSaturatesInsteadOfWrapping) {
  const Time lowest = Time() - Time::never();
  EXPECT_EQ(Time::never() + 1_ps, Time::never());
  EXPECT_EQ(lowest - 5_ps, lowest);
  EXPECT_EQ(Time::never() * 2, Time::never());
  EXPECT_EQ(Time::never() * -2, lowest);
  EXPECT_EQ(Time::seconds(std::int64_t{1} << 40), Time::never());
  const Bytes most(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(most + 1_B, most);
  EXPECT_EQ(most * 3, most);
  EXPECT_EQ(Bandwidth::gigabits_per_second(std::int64_t{1} << 40),
            Bandwidth::bits_per_second(std::numeric_limits<std::int64_t>::max()));
}

TEST(UnitsText, CountsTakePowersOfAThousand) {
  EXPECT_EQ(parse_count("128").value, 128);
  EXPECT_EQ(parse_count("1.5k").value, 1500);
  EXPECT_EQ(parse_count("300M").value, 300'000'000);
  EXPECT_EQ(parse_count("0.5B").value, 500'000'000);
  EXPECT_EQ(parse_count("15T").value, 15'000'000'000'000);
  EXPECT_EQ(parse_count("18446744073709551616").error,
            "'18446744073709551616' has more digits than a count can hold");
  EXPECT_EQ(parse_count("1.5").error, "'1.5' is not a whole number of units");
  EXPECT_EQ(parse_count("x6").error, "'x6' is not a count; write it as '128', '300k' or '15T'");
  EXPECT_FALSE(parse_count("").value);
}

TEST(UnitsText, CountsAndSizesTakeExponents) {
  EXPECT_EQ(parse_count("1.5e13").value, 15'000'000'000'000);
  EXPECT_EQ(parse_count("2E+3k").value, 2'000'000);
  EXPECT_EQ(parse_count("1500e-2").value, 15);
  EXPECT_EQ(parse_count("0e300").value, 0);
  EXPECT_EQ(parse_size("1e6").value, Bytes(1'000'000));
  EXPECT_EQ(parse_count("1e-1").error, "'1e-1' is not a whole number of units");
  EXPECT_EQ(parse_count("1e19").error, "'1e19' is too large for a count");
  for (const char* text : {"1e20", "1e99999999999", "1e-40"})
    EXPECT_EQ(parse_count(text).error,
              std::string("'") + text + "' has more digits than a count can hold");
  for (const char* text : {"1e", "1e+", "1e2e3"}) EXPECT_FALSE(parse_count(text).value) << text;
  EXPECT_FALSE(parse_bytes("1e3 GB").value);
}

TEST(UnitsText, AUnitInTheWrongCaseIsProposedInTheRightOne) {
  EXPECT_EQ(parse_size("64kb").error, "'kb' is not a unit of a size; did you mean kB?");
  EXPECT_EQ(parse_size("64 mib").error, "'mib' is not a unit of a size; did you mean MiB?");
  EXPECT_EQ(parse_time("2MS").error, "'MS' is not a unit of a time; did you mean ms?");
}

TEST(UnitsText, SizesTakeTheSameUnitsEverywhere) {
  EXPECT_EQ(parse_size("1MiB").value, 1_MiB);
  EXPECT_EQ(parse_size("1 MB").value, 1_MB);
  EXPECT_EQ(parse_bytes("64M").value, 64_MiB);
}

TEST(UnitsText, ReadsBytesBandwidthsAndTimes) {
  EXPECT_EQ(parse_bytes("64 KiB").value, 64_KiB);
  EXPECT_EQ(parse_bytes("80GB").value, 80_GB);
  EXPECT_EQ(parse_bytes(" 1.5 KiB ").value, 1536_B);
  EXPECT_EQ(parse_bandwidth("400 Gb/s").value, 400_Gbps);
  EXPECT_EQ(parse_bandwidth("50 GB/s").value, 400_Gbps);
  EXPECT_EQ(parse_time("1.1 us").value, Time::picoseconds(1'100'000));
  EXPECT_EQ(parse_time("-3 ns").value, Time::nanoseconds(-3));
}

TEST(UnitsText, SizesOfTheCommandLineArePowersOfTwo) {
  EXPECT_EQ(parse_size("8").value, 8_B);
  EXPECT_EQ(parse_size("4K").value, 4_KiB);
  EXPECT_EQ(parse_size("512M").value, 512_MiB);
  EXPECT_EQ(parse_size("8G").value, 8_GiB);
}

TEST(UnitsText, AMissingUnitIsAnError) {
  EXPECT_EQ(parse_bandwidth("400").error,
            "'400' has no unit; write a bandwidth as '400 Gb/s' or '50 GB/s'");
  EXPECT_FALSE(parse_bytes("4096").value);
  EXPECT_FALSE(parse_time("2").value);
}

TEST(UnitsText, BitsAndBytesAreToldApartByCase) {
  EXPECT_FALSE(parse_bandwidth("400 gb/s").value);
  EXPECT_EQ(parse_bandwidth("8 Gb/s").value, parse_bandwidth("1 GB/s").value);
}

TEST(UnitsText, WhatIsNoNumberIsAnError) {
  for (const char* text : {"", " ", "GB", "-", ".", "fast", "1e3 GB", "1.2.3 GB", "1 2 GB"}) {
    EXPECT_FALSE(parse_bytes(text).value) << text;
    EXPECT_FALSE(parse_bytes(text).error.empty()) << text;
  }
}

TEST(UnitsText, FractionsOfAByteAreRefusedAndOfAPicosecondRounded) {
  EXPECT_EQ(parse_bytes("1.5 B").error, "'1.5 B' is not a whole number of bytes");
  EXPECT_EQ(parse_time("0.6 ps").value, 1_ps);
}

TEST(UnitsText, WhatDoesNotFitIsAnError) {
  // 2^63 - 1 is the last that fits.
  EXPECT_EQ(parse_bytes("9223372036854775807 B").value->count(), 9223372036854775807);
  EXPECT_FALSE(parse_bytes("9223372036854775808 B").value);
  EXPECT_FALSE(parse_time("107 h 3").value);
  EXPECT_FALSE(parse_bytes("99999999999999999999999999999 PiB").value);
  EXPECT_FALSE(parse_bytes("0.00000000000000000000000000001 PiB").value);
}

TEST(UnitsText, PrintsTheShortestExactText) {
  EXPECT_EQ(to_text(400_Gbps), "400 Gb/s");
  EXPECT_EQ(to_text(Bandwidth::megabits_per_second(2500)), "2.5 Gb/s");
  EXPECT_EQ(to_text(64_KiB), "64 KiB");
  EXPECT_EQ(to_text(80_GB), "80 GB");
  EXPECT_EQ(to_text(80_GiB), "80 GiB");
  EXPECT_EQ(to_text(Bytes(4097)), "4097 B");
  EXPECT_EQ(to_text(Time::nanoseconds(1500)), "1.5 us");
  EXPECT_EQ(to_text(500_ns), "500 ns");
  EXPECT_EQ(to_text(Time()), "0 s");
  EXPECT_EQ(to_text(Time::nanoseconds(-1500)), "-1.5 us");
}

TEST(UnitsText, EveryPrintedValueParsesBackToItself) {
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    // Knuth's MMIX generator; shifting spreads the values over all magnitudes.
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto n = static_cast<std::int64_t>((state >> 1) >> (state % 63));
    ASSERT_EQ(parse_bytes(to_text(Bytes(n))).value, Bytes(n)) << n;
    ASSERT_EQ(parse_time(to_text(Time::picoseconds(-n))).value, Time::picoseconds(-n)) << n;
    const Bandwidth rate = Bandwidth::bits_per_second(n);
    ASSERT_EQ(parse_bandwidth(to_text(rate)).value, rate) << n;
  }
  EXPECT_EQ(parse_time(to_text(Time::never())).value, Time::never());
}

}  // namespace
}  // namespace railyard::core

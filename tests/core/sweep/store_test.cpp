#include "core/sweep/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/diagnostic.hpp"
#include "core/sweep/pivot.hpp"
#include "tests/core/sweep/error_of.hpp"

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Definition kDefinition{{"sim", "--bytes", "1G"}, {"nodes", "routing"}};

Outcome outcome(double time, std::int64_t nodes) {
  return {.exit_code = 0,
          .error = {},
          .notes = "a note",
          .seconds = 0.25,
          .tables = {{.kind = "sim",
                      .columns = {{.name = "nodes"},
                                  {.name = "time_us", .decimals = 2},
                                  {.name = "bytes", .is_size = true},
                                  {.name = "bound_by"}},
                      .rows = {{nodes, time, std::int64_t{1} << 30, std::string("nic")}}}}};
}

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("railyard_store_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name = "out.sqlite") const { return folder_ / name; }

  /// Points (2, rail) and (4, rail) with the digests "a" and "b", in `name`.
  void write_two(const std::string& name = "out.sqlite") const {
    Store store(file(name), kDefinition);
    (void)store.match_points(two_, false);
    store.add(1, two_[1], outcome(20, 4));  // results arrive in any order
    store.add(0, two_[0], outcome(10, 2));
    store.close();
  }

  const std::vector<PointKey> two_{{{"2", "rail"}, "a"}, {{"4", "rail"}, "b"}};
  fs::path folder_;
};

TEST_F(StoreTest, GivesRowsInTheOrderOfPoints) {
  write_two();
  StoredResults results(file());
  EXPECT_THAT(results.shown_columns(),
              ElementsAre("nodes", "routing", "time_us", "bytes", "bound_by"));
  const Table table = results.rows({"nodes", "routing", "time_us", "seconds"}, {}, "--columns");
  using Row = std::vector<Value>;
  EXPECT_THAT(table.rows, ElementsAre(Row{std::int64_t{2}, "rail", 10.0, 0.25},
                                      Row{std::int64_t{4}, "rail", 20.0, 0.25}));
  EXPECT_EQ(table.columns[2].decimals, 2);
}

TEST_F(StoreTest, KnowsWhatIsDoneAndWhatChanged) {
  write_two();
  Store store(file(), kDefinition);
  // (4, rail) has other inputs now, (8, rail) is new, and the order is another one.
  const std::vector<PointKey> now{{{"8", "rail"}, "c"}, {{"4", "rail"}, "B"}, {{"2", "rail"}, "a"}};
  const PointStates states = store.match_points(now, false);
  EXPECT_THAT(states.is_done, ElementsAre(false, false, true));
  EXPECT_EQ(states.changed, 1u);
  EXPECT_EQ(states.others, 0u);
  store.close();
  EXPECT_EQ(StoredResults(file()).counts().rows, 1);  // the changed one is gone
}

TEST_F(StoreTest, KeepsPointsOfEarlierValues) {
  write_two();
  Store store(file(), kDefinition);
  const PointStates states = store.match_points({two_[1]}, false);
  EXPECT_EQ(states.others, 1u);
  EXPECT_EQ(states.done, 1u);
  store.close();
  // Points of this sweep come first.
  EXPECT_EQ(StoredResults(file()).rows({"nodes"}, {}, "").rows[0][0], Value(std::int64_t{4}));
}

TEST_F(StoreTest, RecordsFailuresAndRetriesThemWhenAsked) {
  {
    Store store(file(), kDefinition);
    (void)store.match_points(two_, false);
    store.add(0, two_[0],
              {.exit_code = 2, .error = "no such spine", .notes = {}, .seconds = 0, .tables = {}});
    store.close();
  }
  StoredResults results(file());
  using Row = std::vector<Value>;
  EXPECT_THAT(results.failed().rows, ElementsAre(Row{std::int64_t{0}, std::int64_t{2}, "rail",
                                                     std::int64_t{2}, "no such spine"}));
  Store store(file(), kDefinition);
  EXPECT_THAT(store.match_points(two_, false).is_done, ElementsAre(true, false));
  EXPECT_THAT(store.match_points(two_, true).is_done, ElementsAre(false, false));
}

TEST_F(StoreTest, AddsColumnsAsTheyCome) {
  Store store(file(), kDefinition);
  (void)store.match_points(two_, false);
  store.add(1, two_[1], outcome(20, 4));
  Outcome other = outcome(10, 2);
  other.tables.front().columns[1].name = "days";
  store.add(0, two_[0], other);
  store.close();
  StoredResults results(file());
  // In the order of the first point that has a column, whichever was written first.
  EXPECT_THAT(results.shown_columns(),
              ElementsAre("nodes", "routing", "days", "bytes", "bound_by", "time_us"));
  const Table table = results.rows({"days", "time_us"}, {}, "");
  EXPECT_EQ(table.rows[0][1], Value());
  EXPECT_EQ(table.rows[1][0], Value());
}

TEST_F(StoreTest, FiltersByTextNumberAndField) {
  write_two();
  StoredResults results(file());
  const auto count = [&](const std::string& condition) {
    return results.rows({"nodes"}, {parse_condition(condition, "--where")}, "").rows.size();
  };
  EXPECT_EQ(count("nodes=4"), 1u);
  EXPECT_EQ(count("nodes!=4"), 1u);
  EXPECT_EQ(count("time_us=10.0"), 1u);
  EXPECT_EQ(count("time_us<15"), 1u);
  EXPECT_EQ(count("time_us>=10"), 2u);
  EXPECT_EQ(count("bound_by=nic"), 2u);
  EXPECT_EQ(count("bound_by=NIC' OR '1'='1"), 0u);
  EXPECT_THAT(error_of([] { (void)parse_condition("nodes", "--where"); }),
              HasSubstr("not a condition"));
  EXPECT_THAT(error_of([&] { (void)count("tim_us=4"); }), HasSubstr("did you mean 'time_us'"));
}

TEST_F(StoreTest, RefusesAnotherSweepAnotherProgramAndASecondWriter) {
  write_two();
  EXPECT_THAT(error_of([&] {
                Store(file(), {{"sim"}, {"nodes"}});
              }),
              HasSubstr("belongs to another sweep: 'sim --bytes 1G' over nodes, routing"));
  Store writer(file(), kDefinition);
  EXPECT_THAT(error_of([&] { Store(file(), kDefinition); }), HasSubstr("another sweep is writing"));
  std::ofstream(file("text.sqlite")) << std::string(4096, 'x');
  EXPECT_THAT(error_of([&] { Store(file("text.sqlite"), kDefinition); }),
              HasSubstr("not a database"));
  Database other(file("other.sqlite"), Database::Access::write);
  other.execute("CREATE TABLE t(x)");
  EXPECT_THAT(error_of([&] { Store(file("other.sqlite"), kDefinition); }),
              HasSubstr("another program"));
  EXPECT_THAT(error_of([&] { StoredResults(file("none.sqlite")); }), HasSubstr("no such file"));
  EXPECT_THAT(error_of([&] { Store(file("no/folder.sqlite"), kDefinition); }),
              HasSubstr("does its folder exist"));
}

// sweep show at the begin of a sweep: the journal's mode cannot change before it has read.
TEST_F(StoreTest, WaitsForAReader) {
  write_two();
  Database reader(file(), Database::Access::read);
  reader.execute("BEGIN; SELECT count(*) FROM points");
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    reader.execute("COMMIT");
  });
  std::string error = error_of([&] { Store(file(), kDefinition); });
  later.join();
  EXPECT_EQ(error, "");
}

TEST_F(StoreTest, ReportsAFullDatabaseAndKeepsWhatItHas) {
  write_two();
  {
    Database limited(file(), Database::Access::write);
    // The limit of a connection stands for a full disk: SQLite gives the same error.
    const std::string error = error_of([&] {
      limited.execute("PRAGMA max_page_count=1");
      limited.execute("INSERT INTO sweep VALUES('x', zeroblob(1000000))");
    });
    EXPECT_THAT(error, HasSubstr("full"));
    EXPECT_THAT(error, HasSubstr("it resumes"));
  }
  EXPECT_EQ(StoredResults(file()).counts().rows, 2);
}

// A process is killed between two points: the first is there as a whole, the lock is gone, and
// readers see it at once.
TEST_F(StoreTest, KeepsWholePointsOfAKilledProcess) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(file(), kDefinition);
    (void)store.match_points(two_, false);
    store.add(0, two_[0], outcome(10, 2));
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(StoredResults(file()).counts().rows, 1);
  Store store(file(), kDefinition);
  EXPECT_THAT(store.match_points(two_, false).is_done, ElementsAre(true, false));
}

TEST_F(StoreTest, MergesShardsAndRefusesThoseOfOtherInputs) {
  {
    Store store(file("0.sqlite"), kDefinition);
    (void)store.match_points(two_, false);
    store.add(0, two_[0],
              {.exit_code = 3, .error = "lost", .notes = {}, .seconds = 0, .tables = {}});
    store.close();
  }
  write_two("1.sqlite");
  Store store(file(), kDefinition);
  EXPECT_EQ(store.merge(file("0.sqlite")), 1u);
  EXPECT_EQ(store.merge(file("1.sqlite")), 2u);  // one replaces the failure
  EXPECT_EQ(store.merge(file("1.sqlite")), 0u);
  {
    Store changed(file("2.sqlite"), kDefinition);
    const std::vector<PointKey> other{{{"2", "rail"}, "z"}};
    (void)changed.match_points(other, false);
    changed.add(0, other[0], outcome(1, 2));
    changed.close();
  }
  EXPECT_THAT(error_of([&] { (void)store.merge(file("2.sqlite")); }), HasSubstr("other inputs"));
}

TEST_F(StoreTest, PivotsTheRows) {
  write_two();
  StoredResults results(file());
  const Table rows = results.rows_by_field({"nodes", "routing", "time_us"}, {}, "--pivot");
  const Table table = pivot(rows, Aggregate::none);
  EXPECT_EQ(table.columns[0].name, "nodes");
  EXPECT_EQ(table.columns[1].name, "routing=rail");
  using Row = std::vector<Value>;
  EXPECT_THAT(table.rows, ElementsAre(Row{std::int64_t{2}, 10.0}, Row{std::int64_t{4}, 20.0}));
}

TEST(Pivot, JoinsSeveralRowsOfACellOnlyWhenAsked) {
  using Row = std::vector<Value>;
  const Table rows{
      .kind = "sweep",
      .columns = {{.name = "n"}, {.name = "r"}, {.name = "t"}},
      .rows = {Row{"a", "x", 1.0}, Row{"a", "x", 2.0}, Row{"a", "x", 9.0}, Row{"b", "y", 5.0}}};
  EXPECT_THAT(error_of([&] { (void)pivot(rows, Aggregate::none); }),
              HasSubstr("3 rows have n a and r x"));
  const auto cell = [&](Aggregate aggregate) { return pivot(rows, aggregate).rows[0][1]; };
  EXPECT_EQ(cell(Aggregate::least), Value(1.0));
  EXPECT_EQ(cell(Aggregate::median), Value(2.0));
  EXPECT_EQ(cell(Aggregate::mean), Value(4.0));
  EXPECT_EQ(cell(Aggregate::most), Value(9.0));
  EXPECT_EQ(cell(Aggregate::count), Value(std::int64_t{3}));
  EXPECT_EQ(pivot(rows, Aggregate::mean).rows[0][2], Value());  // no row of (a, y)
}

TEST(Outcome, ReadsBackAsItWas) {
  Outcome original = outcome(0.1, 2);
  original.error = "two\nlines \"quoted\"";
  original.tables.front().rows.push_back({std::monostate(), 1e300, true, std::string()});
  EXPECT_EQ(outcome_of(to_text(original)), original);
  original.tables.front().rows[0][1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outcome_of(to_text(original)).tables.front().rows[0][1], Value());
}

}  // namespace
}  // namespace railyard::core::sweep

#include "core/sweep/database.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <sqlite3.h>
#include <string_view>
#include <thread>
#include <utility>

#include "core/diagnostic.hpp"

namespace railyard::core::sweep {
namespace {

sqlite3* handle(void* connection) { return static_cast<sqlite3*>(connection); }

/// How long a statement waits for another process, for example `sweep show`.
constexpr int kBusyMilliseconds = 10'000;

[[noreturn]] void fail(const std::string& file, sqlite3* connection, int code) {
  const std::string reason =
      connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  std::string hint;
  switch (code & 0xff) {
    case SQLITE_NOTADB: hint = "give another file, or remove this one"; break;
    case SQLITE_CANTOPEN: hint = "does its folder exist, and is it writable?"; break;
    case SQLITE_FULL: hint = "free some space and run the same command again: it resumes"; break;
    case SQLITE_READONLY: hint = "its folder must be writable too"; break;
    case SQLITE_BUSY: hint = "another program uses it"; break;
    case SQLITE_IOERR: hint = "disk full or failing?"; break;
    default: break;
  }
  throw InputError(file, "", fmt::format("SQLite: {}", reason), std::move(hint));
}

}  // namespace

struct Database::Statement::State {
  sqlite3_stmt* statement = nullptr;
  std::string file;
  ~State() { sqlite3_finalize(statement); }
};

Database::Statement::Statement(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Statement::~Statement() = default;
Database::Statement::Statement(Statement&& other) noexcept = default;

void Database::Statement::query(std::span<const Value> values) {
  sqlite3_stmt* statement = state_->statement;
  sqlite3_reset(statement);
  int at = 0;
  for (const Value& value : values) {
    ++at;
    std::visit(
        [&]<class T>(const T& held) {
          if constexpr (std::is_same_v<T, std::monostate>)
            sqlite3_bind_null(statement, at);
          else if constexpr (std::is_same_v<T, bool>)
            sqlite3_bind_int64(statement, at, held ? 1 : 0);
          else if constexpr (std::is_same_v<T, std::int64_t>)
            sqlite3_bind_int64(statement, at, held);
          else if constexpr (std::is_same_v<T, double>)
            std::isfinite(held) ? sqlite3_bind_double(statement, at, held)
                                : sqlite3_bind_null(statement, at);
          else
            sqlite3_bind_text64(statement, at, held.data(), held.size(), SQLITE_TRANSIENT,
                                SQLITE_UTF8);
        },
        value);
  }
}

bool Database::Statement::next() {
  const int code = sqlite3_step(state_->statement);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    const int why = sqlite3_extended_errcode(sqlite3_db_handle(state_->statement));
    sqlite3* connection = sqlite3_db_handle(state_->statement);
    const std::string file = state_->file;
    fail(file, connection, why);
  }
  return false;
}

void Database::Statement::run(std::span<const Value> values) {
  query(values);
  while (next()) {
  }
  sqlite3_reset(state_->statement);
}

int Database::Statement::columns() const { return sqlite3_column_count(state_->statement); }

Value Database::Statement::value(int column) const {
  sqlite3_stmt* statement = state_->statement;
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_NULL: return {};
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

Database::Database(std::string file, Access access) : file_(std::move(file)) {
  const int flags =
      access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_ = opened;
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(opened, kBusyMilliseconds);
    return;
  }
  try {
    fail(file_, opened, code);
  } catch (...) {
    sqlite3_close_v2(opened);
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle(connection_)); }

Database::Database(Database&& other) noexcept
    : file_(std::move(other.file_)), connection_(std::exchange(other.connection_, nullptr)) {}

Database::Statement Database::prepare(const std::string& sql) {
  auto state = std::make_unique<Statement::State>();
  state->file = file_;
  const int code = sqlite3_prepare_v2(handle(connection_), sql.data(), static_cast<int>(sql.size()),
                                      &state->statement, nullptr);
  if (code != SQLITE_OK) fail(file_, handle(connection_), code);
  return Statement(std::move(state));
}

void Database::execute(const std::string& sql) {
  // The busy timeout does not apply to all statements, for example not to a change of the journal
  // mode.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  int code = SQLITE_OK;
  do {
    if (code == SQLITE_BUSY) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    code = sqlite3_exec(handle(connection_), sql.c_str(), nullptr, nullptr, nullptr);
  } while (code == SQLITE_BUSY && std::chrono::steady_clock::now() < end);
  if (code != SQLITE_OK) fail(file_, handle(connection_), code);
}

std::int64_t Database::changes() const { return sqlite3_changes(handle(connection_)); }

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

bool is_database(const std::string& file) {
  // https://www.sqlite.org/fileformat.html section 1.3: with its zero at the end.
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::string first(kMagic.size(), ' ');
  std::ifstream stream(file, std::ios::binary);
  return stream.read(first.data(), static_cast<std::streamsize>(first.size())) && first == kMagic;
}

}  // namespace railyard::core::sweep

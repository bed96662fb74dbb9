// See store.h.
#include "fuzz/campaign/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kSchemaVersion = "4";
constexpr const char* kBefore = "3";  // has `shard` in place of `remaining`, and no `shown`
// What is committed stays so after a power cut: that the journal is gone is synced, too.
constexpr const char* kSynced = "PRAGMA synchronous = EXTRA";
constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS remaining(first INTEGER, stride INTEGER, stop INTEGER);
CREATE TABLE IF NOT EXISTS total(key TEXT PRIMARY KEY, value INTEGER);
CREATE TABLE IF NOT EXISTS reason(text TEXT PRIMARY KEY, count INTEGER);
CREATE TABLE IF NOT EXISTS finding(bucket TEXT PRIMARY KEY, verdict TEXT, oracle TEXT, blame TEXT,
  nodes INTEGER, path TEXT, origin TEXT, count INTEGER, first_seen REAL,
  cause TEXT);
CREATE TABLE IF NOT EXISTS sample(seconds REAL, programs INTEGER, findings INTEGER, ok INTEGER,
  failed INTEGER, untrusted INTEGER, skipped INTEGER, rows INTEGER, rewrites INTEGER);
CREATE TABLE IF NOT EXISTS shown(name TEXT PRIMARY KEY, bucket TEXT, origin TEXT);
CREATE TABLE IF NOT EXISTS part(name TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS reported(name TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS stands(name TEXT PRIMARY KEY, text TEXT);
CREATE INDEX IF NOT EXISTS stands_by ON stands(text);
CREATE TABLE IF NOT EXISTS made(name TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS observation(bucket TEXT, build TEXT, shows INTEGER, at INTEGER,
  since INTEGER,
  PRIMARY KEY(bucket, build, shows));
CREATE TABLE IF NOT EXISTS untold(bucket TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS asked(name TEXT PRIMARY KEY, findings INTEGER);
)";

std::string path_of(sqlite3* db) {
  const char* path = sqlite3_db_filename(db, "main");
  return path ? path : kDatabase;
}

[[noreturn]] void refuse(const std::string& path, int error) {
  note_lack("cannot write " + path, error);
  fail("cannot write {}: {}", path, error_text(error));
}

// The errno that ends a write of some pages beyond those of a database, or 0. SQLite does not keep
// the error that it met: it is provoked again in a file next to it.
int error_of_writing(const std::string& path) {
  constexpr size_t kPages = size_t{1} << 16;
  const std::string part_path = path + ".part";
  struct stat now{};
  if (stat(path.c_str(), &now) != 0) return errno;
  const int fd =
      open(part_path.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (fd < 0) return is_lack(errno) ? errno : 0;
  const std::string pages(kPages, '\0');
  int error = 0;
  for (size_t at = 0; at < kPages && error == 0;) {
    const ssize_t n =
        pwrite(fd, pages.data() + at, kPages - at, now.st_size + static_cast<off_t>(at));
    if (n <= 0) error = n < 0 ? errno : EIO;
    else at += static_cast<size_t>(n);
  }
  if (error == 0 && fsync(fd) != 0) error = errno;
  close(fd);
  unlink(part_path.c_str());
  return error;
}

// Why the last call failed, and what to do about it.
[[noreturn]] void raise_of(sqlite3* db) {
  const std::string said = sqlite3_errmsg(db);
  const int code = sqlite3_extended_errcode(db);
  const std::string path = path_of(db);
  if (code == SQLITE_READONLY_DBMOVED) fail("{} was removed or moved while it was in use", path);
  if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
    const std::string who = holders_of(path);
    fail("{} is in use by another process{}: wait for it to end", path,
         who.empty() ? "" : ": " + who);
  }
  if ((code & 0xff) == SQLITE_FULL) refuse(path, ENOSPC);
  const bool unopened = (code & 0xff) == SQLITE_CANTOPEN;  // the database, or its journal
  if ((code & 0xff) == SQLITE_IOERR || unopened)
    if (const int error = error_of_writing(path)) refuse(path, error);
  fail("{}{}: {}", path, unopened ? " or its journal" : "", said);
}

bool is_unreadable(sqlite3* db) {
  const int code = sqlite3_errcode(db);
  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
}

// One prepared statement; finalised with the scope.
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) : db_(db) {
    if (sqlite3_prepare_v2(db, sql, -1, &s_, nullptr) != SQLITE_OK) raise();
  }
  ~Statement() { sqlite3_finalize(s_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& v) {
    sqlite3_bind_text(s_, ++at_, v.c_str(), -1, SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(int64_t v) {
    sqlite3_bind_int64(s_, ++at_, v);
    return *this;
  }
  Statement& bind(double v) {
    sqlite3_bind_double(s_, ++at_, v);
    return *this;
  }
  bool step() {
    int rc = sqlite3_step(s_);
    if (rc == SQLITE_ROW) return true;
    if (rc != SQLITE_DONE) raise();
    return false;
  }
  void run() {
    while (step()) {
    }
  }
  int64_t integer(int i) const { return sqlite3_column_int64(s_, i); }
  double real(int i) const { return sqlite3_column_double(s_, i); }
  std::string text(int i) const {
    auto* t = reinterpret_cast<const char*>(sqlite3_column_text(s_, i));
    return t ? t : "";
  }

 private:
  [[noreturn]] void raise() const { raise_of(db_); }
  sqlite3* db_;
  sqlite3_stmt* s_ = nullptr;
  int at_ = 0;
};

void execute(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) raise_of(db);
}

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* db) : db_(db) { execute(db_, "BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!done_) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  void commit() {
    execute(db_, "COMMIT");
    done_ = true;
  }

 private:
  sqlite3* db_;
  bool done_ = false;
};

std::vector<std::pair<std::string, uint64_t Counters::*>> scalar_fields() {
  return {{"programs", &Counters::programs},   {"executions", &Counters::executions},
          {"compared", &Counters::compared},   {"tight", &Counters::tight},
          {"untrusted", &Counters::untrusted}, {"unsaved", &Counters::unsaved},
          {"replayed", &Counters::replayed}};
}

// Of a sample, in the order of its table.
constexpr uint64_t Sample::* kCounted[] = {&Sample::programs,  &Sample::findings,  &Sample::ok,
                                           &Sample::failed,    &Sample::untrusted, &Sample::skipped,
                                           &Sample::operators, &Sample::rewrites};

std::string verdict_key(int i) {
  return std::string("verdict.") + name_of(static_cast<VerdictKind>(i));
}

}  // namespace

struct Store::Impl {
  sqlite3* db = nullptr;
  ~Impl() { sqlite3_close(db); }
};

Store::Store(const std::string& out) : impl_(std::make_unique<Impl>()) {
  const std::string path = out + "/" + kDatabase;
  guard_folder(out);  // it may be opened before the folder is locked
  for (const char* part : {"", "-journal", "-wal", "-shm"}) {
    refuse_links(path + part);
    const auto is = std::filesystem::status(path + part).type();
    if (is != std::filesystem::file_type::not_found && is != std::filesystem::file_type::regular)
      fail("{}{} is no regular file: a campaign keeps its results there; give another --out", path,
           part);
  }
  std::error_code error;  // SQLite follows no link on the way either; those to the folder are fine
  const std::string real = std::filesystem::canonical(out, error).string() + "/" + kDatabase;
  constexpr int kHow = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
  if (error) fail("cannot open {}: {}", path, error.message());
  const int opened = sqlite3_open_v2(real.c_str(), &impl_->db, kHow, nullptr);
  if (opened != SQLITE_OK && impl_->db) raise_of(impl_->db);
  if (opened != SQLITE_OK) fail("cannot open {}: {}", path, sqlite3_errstr(opened));
  sqlite3_busy_timeout(impl_->db, 10000);
  try {
    execute(impl_->db, kSynced);
    execute(impl_->db, kTables);
    std::string version = meta("schema");
    if (version == kBefore) take_over_workers();
    if (version.empty() || version == kBefore) set_meta("schema", kSchemaVersion);
    else if (version != kSchemaVersion) {
      fail("{} has schema {}, this program reads {}; give another --out", path, version,
           kSchemaVersion);
    }
    take_over_texts();
  } catch (const Error& e) {
    if (is_unreadable(impl_->db))
      fail("{} is not a campaign's database, or it is damaged ({}); give another --out", path,
           e.what());
    throw;
  }
}

Store::~Store() = default;

void Sample::count(const uint64_t (&verdicts)[kNumVerdicts]) {
  ok = failed = untrusted = skipped = 0;
  for (int i = 0; i < kNumVerdicts; ++i) {
    switch (static_cast<VerdictKind>(i)) {
      case VerdictKind::Ok:
        ok += verdicts[i];
        break;
      case VerdictKind::Untrusted:
        untrusted += verdicts[i];
        break;
      case VerdictKind::Skip:
        skipped += verdicts[i];
        break;
      default:
        failed += verdicts[i];
    }
  }
}

std::string Store::meta(const std::string& key) const {
  Statement s(impl_->db, "SELECT value FROM meta WHERE key = ?");
  return s.bind(key).step() ? s.text(0) : "";
}

void Store::set_meta(const std::string& key, const std::string& value) {
  Statement(impl_->db, "INSERT OR REPLACE INTO meta VALUES(?, ?)").bind(key).bind(value).run();
}

void Store::take_over_workers() {
  std::vector<uint64_t> next;
  {
    Statement s(impl_->db, "SELECT next FROM shard ORDER BY worker");
    while (s.step()) next.push_back(static_cast<uint64_t>(s.integer(0)));
  }
  Transaction t(impl_->db);
  std::vector<Progression> left;
  for (uint64_t first : next) left.push_back({first, next.size(), kEndless});
  write_left(left);
  t.commit();
}

// An older version kept all productions in one text, and wrote each finding.json at its end.
void Store::take_over_texts() {
  constexpr const char* kOutdatedKey = "untold";
  if (!meta(kOutdatedKey).empty()) return;
  const std::string old_text = meta("made_of");
  Transaction t(impl_->db);
  if (!old_text.empty()) {
    std::map<std::string, std::string> texts;
    const auto json = nlohmann::json::parse(old_text, nullptr, false);
    if (!json.is_object())
      fail("{} is not a campaign's database, or it is damaged (what programs were made of)",
           path_of(impl_->db));
    for (const auto& [bucket, names] : json.items()) texts[bucket] = names.dump();
    write_texts("made", texts);
    Statement(impl_->db, "DELETE FROM meta WHERE key = 'made_of'").run();
  }
  Statement(impl_->db, "INSERT OR IGNORE INTO untold SELECT bucket FROM finding").run();
  set_meta(kOutdatedKey, "in a table");
  t.commit();
}

void Store::write_left(const std::vector<Progression>& left) {
  Statement(impl_->db, "DELETE FROM remaining").run();
  for (const Progression& p : left) {
    Statement(impl_->db, "INSERT INTO remaining VALUES(?, ?, ?)")
        .bind(static_cast<int64_t>(p.first))
        .bind(static_cast<int64_t>(p.stride))
        .bind(static_cast<int64_t>(p.end))
        .run();
  }
}

void Store::write_totals(const Counters& totals, const std::map<std::string, uint64_t>& reasons,
                         double seconds, double job_seconds) {
  sqlite3* db = impl_->db;
  auto put = [&](const std::string& key, uint64_t value) {
    Statement(db, "INSERT OR REPLACE INTO total VALUES(?, ?)")
        .bind(key)
        .bind(static_cast<int64_t>(value))
        .run();
  };
  for (auto& [key, field] : scalar_fields()) put(key, totals.*field);
  for (int i = 0; i < kNumVerdicts; ++i) put(verdict_key(i), totals.verdicts[i]);
  put("milliseconds", static_cast<uint64_t>(seconds * 1000));
  put("job_milliseconds", static_cast<uint64_t>(job_seconds * 1000));
  for (auto& [text, count] : reasons) {
    Statement(db, "INSERT OR REPLACE INTO reason VALUES(?, ?)")
        .bind(text)
        .bind(static_cast<int64_t>(count))
        .run();
  }
}

double sample_step(double seconds, double most) {
  double step = 1;
  while (seconds / step > most) step *= 2;
  return step;
}

std::vector<Sample> thin_out(const std::vector<Sample>& samples, double step) {
  if (step <= 1) return samples;
  std::vector<Sample> out;
  for (const Sample& s : samples)
    if (out.empty() || std::floor(s.seconds / step) != std::floor(out.back().seconds / step))
      out.push_back(s);
  return out;
}

// The last one is kept till the next is there.
void Store::thin_samples(double now) {
  const double step = sample_step(now);
  if (step <= 1) return;
  Statement thin(impl_->db,
                 "DELETE FROM sample WHERE rowid NOT IN (SELECT rowid FROM (SELECT rowid, "
                 "min(seconds) FROM sample GROUP BY CAST(seconds / ? AS INTEGER)))");
  thin.bind(step);
  thin.run();
}

void Store::write_sample(const Sample& sample) {
  Statement add(impl_->db, "INSERT INTO sample VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  add.bind(sample.seconds);
  for (uint64_t Sample::* field : kCounted) add.bind(static_cast<int64_t>(sample.*field));
  add.run();
}

void Store::write_finding(const FindingRow& row) {
  Statement(impl_->db, "INSERT INTO finding VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(row.bucket)
      .bind(row.verdict)
      .bind(row.oracle)
      .bind(row.blame)
      .bind(static_cast<int64_t>(row.nodes))
      .bind(row.path)
      .bind(row.origin)
      .bind(row.count)
      .bind(row.first_seen)
      .bind(row.cause)
      .run();
}

void Store::save_progress(const std::vector<Progression>& left, const Counters& totals,
                          const std::map<std::string, uint64_t>& reasons, const Sample& now,
                          double job_seconds) {
  Transaction t(impl_->db);
  write_left(left);
  write_totals(totals, reasons, now.seconds, job_seconds);
  thin_samples(now.seconds);
  write_sample(now);
  t.commit();
}

std::vector<Progression> Store::load_left() const {
  std::vector<Progression> out;
  Statement s(impl_->db, "SELECT first, stride, stop FROM remaining ORDER BY first, stride, stop");
  while (s.step())
    out.push_back({static_cast<uint64_t>(s.integer(0)), static_cast<uint64_t>(s.integer(1)),
                   static_cast<uint64_t>(s.integer(2))});
  if (std::ranges::any_of(out, [](const Progression& p) { return p.stride == 0; }))
    fail("{} is not a campaign's database, or it is damaged (a step of 0)", path_of(impl_->db));
  return out;
}

Counters Store::load_totals() const {
  std::map<std::string, uint64_t> values;
  Statement s(impl_->db, "SELECT key, value FROM total");
  while (s.step()) values[s.text(0)] = static_cast<uint64_t>(s.integer(1));
  Counters c;
  for (auto& [key, field] : scalar_fields()) c.*field = values[key];
  for (int i = 0; i < kNumVerdicts; ++i) c.verdicts[i] = values[verdict_key(i)];
  return c;
}

std::map<std::string, uint64_t> Store::load_reasons() const {
  std::map<std::string, uint64_t> out;
  Statement s(impl_->db, "SELECT text, count FROM reason");
  while (s.step()) out[s.text(0)] = static_cast<uint64_t>(s.integer(1));
  return out;
}

double Store::load_seconds() const {
  Statement s(impl_->db, "SELECT value FROM total WHERE key = 'milliseconds'");
  return s.step() ? static_cast<double>(s.integer(0)) / 1000 : 0;
}

double Store::load_job_seconds() const {
  Statement s(impl_->db, "SELECT value FROM total WHERE key = 'job_milliseconds'");
  return s.step() ? static_cast<double>(s.integer(0)) / 1000 : 0;
}

bool Store::write_shown(const Shown& shown) {
  Statement(impl_->db, "INSERT OR IGNORE INTO shown VALUES(?, ?, ?)")
      .bind(shown.name)
      .bind(shown.bucket)
      .bind(shown.origin)
      .run();
  return sqlite3_changes(impl_->db) > 0;
}

bool Store::add_finding(const FindingRow& row, const std::string& name) {
  sqlite3* db = impl_->db;
  Transaction t(db);
  Statement known(db, "SELECT count FROM finding WHERE bucket = ?");
  const bool fresh = !known.bind(row.bucket).step();
  const bool first_time = write_shown({name, row.bucket, row.origin});
  if (fresh) {
    write_finding(row);
  } else if (first_time) {
    Statement(db, "UPDATE finding SET count = count + ? WHERE bucket = ?")
        .bind(row.count)
        .bind(row.bucket)
        .run();
    note_outdated(row.bucket);
  }
  t.commit();
  return fresh;
}

void Store::let_go(const std::string& name) { write_shown({name, "", ""}); }

std::vector<Shown> Store::shown_cases() const {
  std::vector<Shown> out;
  Statement s(impl_->db, "SELECT name, bucket, origin FROM shown ORDER BY name");
  while (s.step()) out.push_back({s.text(0), s.text(1), s.text(2)});
  return out;
}

std::vector<std::string> Store::productions(const std::string& bucket) const {
  Statement s(impl_->db, "SELECT text FROM made WHERE name = ?");
  if (!s.bind(bucket).step()) return {};
  return nlohmann::json::parse(s.text(0)).get<std::vector<std::string>>();
}

std::map<std::string, std::vector<std::string>> Store::productions() const {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [bucket, names] : texts("made"))
    out[bucket] = nlohmann::json::parse(names).get<std::vector<std::string>>();
  return out;
}

void Store::set_productions(const std::map<std::string, std::vector<std::string>>& by_bucket) {
  std::map<std::string, std::string> texts;
  for (const auto& [bucket, names] : by_bucket) texts[bucket] = nlohmann::json(names).dump();
  Transaction t(impl_->db);
  write_texts("made", texts);
  t.commit();
}

std::vector<std::pair<std::string, std::string>> Store::missing_productions() const {
  std::vector<std::pair<std::string, std::string>> out;
  Statement s(impl_->db,
              "SELECT bucket, origin FROM finding WHERE bucket NOT IN (SELECT name FROM made) "
              "ORDER BY bucket");
  while (s.step()) out.emplace_back(s.text(0), s.text(1));
  return out;
}

void Store::note_outdated(const std::string& bucket) {
  Statement(impl_->db, "INSERT OR IGNORE INTO untold VALUES(?)").bind(bucket).run();
}

std::vector<std::string> Store::outdated_findings() const {
  std::vector<std::string> out;
  Statement s(impl_->db, "SELECT bucket FROM untold ORDER BY bucket");
  while (s.step()) out.push_back(s.text(0));
  return out;
}

void Store::note_asked(const std::string& name, size_t findings) {
  Statement(impl_->db, "INSERT OR REPLACE INTO asked VALUES(?, ?)")
      .bind(name)
      .bind(static_cast<int64_t>(findings))
      .run();
}

std::map<std::string, size_t> Store::join_attempts() const {
  std::map<std::string, size_t> out;
  Statement s(impl_->db, "SELECT name, findings FROM asked WHERE findings >= 0");
  while (s.step()) out[s.text(0)] = static_cast<size_t>(s.integer(1));
  return out;
}

void Store::clear_outdated() { execute(impl_->db, "DELETE FROM untold"); }

void Store::write_observation(const Observation& observation) {
  Statement(impl_->db, "INSERT OR REPLACE INTO observation VALUES(?, ?, ?, ?, ?)")
      .bind(observation.bucket)
      .bind(observation.build)
      .bind(static_cast<int64_t>(observation.shows))
      .bind(observation.at)
      .bind(observation.since)
      .run();
}

// Since when a build observes so, if it does now and none to the contrary came between.
int64_t Store::since(const std::string& bucket, const std::string& build, bool shows, int64_t now) {
  Statement s(
      impl_->db,
      "SELECT since FROM observation WHERE bucket = ?1 AND build = ?2 AND shows = ?3 AND at > "
      "(SELECT ifnull(max(at), -1) FROM observation WHERE bucket = ?1 AND shows != ?3)");
  s.bind(bucket).bind(build).bind(static_cast<int64_t>(shows));
  return s.step() ? s.integer(0) : now;
}

void Store::say(const std::string& bucket, const std::string& build, bool shows, int64_t now) {
  Transaction t(impl_->db);
  std::vector<std::string> of = {bucket};
  {
    Statement s(impl_->db, "SELECT name FROM stands WHERE text = ? ORDER BY name");
    for (s.bind(bucket); s.step();) of.push_back(s.text(0));
  }
  for (const std::string& one : of) {
    Statement s(impl_->db, "SELECT max(at) FROM observation WHERE bucket = ?");
    if (s.bind(one).step()) now = std::max(now, s.integer(0) + 1);
  }
  for (const std::string& one : of)
    write_observation({one, build, shows, now, since(one, build, shows, now)});
  note_outdated(bucket);
  t.commit();
}

bool Store::shows_again(const std::string& bucket, const std::string& build, int64_t now) {
  std::vector<Observation> before;
  Statement s(
      impl_->db,
      "SELECT bucket, build, shows, at, since FROM observation WHERE bucket = ?1 OR bucket IN "
      "(SELECT name FROM stands WHERE text = ?1)");
  for (s.bind(bucket); s.step();)
    before.push_back({s.text(0), s.text(1), s.integer(2) != 0, s.integer(3), s.integer(4)});
  if (before.empty()) return false;
  say(bucket, build, true, now);
  return state_of(before) == FindingState::Closed;
}

std::vector<Observation> Store::observations() const {
  std::vector<Observation> out;
  Statement s(
      impl_->db,
      "SELECT bucket, build, shows, at, since FROM observation ORDER BY bucket, build, shows");
  while (s.step())
    out.push_back({s.text(0), s.text(1), s.integer(2) != 0, s.integer(3), s.integer(4)});
  return out;
}

void Store::write_texts(const char* table, const std::map<std::string, std::string>& texts) {
  for (const auto& [name, text] : texts)
    Statement(impl_->db, fmt::format("INSERT OR REPLACE INTO {} VALUES(?, ?)", table).c_str())
        .bind(name)
        .bind(text)
        .run();
}

std::map<std::string, std::string> Store::texts(const char* table) const {
  std::map<std::string, std::string> out;
  Statement s(impl_->db, fmt::format("SELECT name, text FROM {}", table).c_str());
  while (s.step()) out[s.text(0)] = s.text(1);
  return out;
}

void Store::write_merge(const MergedRows& rows) {
  Transaction t(impl_->db);
  for (const auto& [key, value] : rows.meta) set_meta(key, value);
  write_totals(rows.totals, rows.reasons, rows.seconds, rows.job_seconds);
  for (const Sample& sample : rows.samples) write_sample(sample);
  for (const FindingRow& row : rows.findings) write_finding(row);
  for (const Shown& shown : rows.shown) write_shown(shown);
  write_texts("part", rows.parts);
  write_texts("reported", rows.reported);
  write_texts("stands", rows.folded_into);
  std::map<std::string, std::string> by_bucket;
  for (const auto& [bucket, names] : rows.productions)
    by_bucket[bucket] = nlohmann::json(names).dump();
  write_texts("made", by_bucket);
  for (const Observation& observation : rows.observations) write_observation(observation);
  t.commit();
}

std::vector<FindingRow> Store::findings() const {
  std::vector<FindingRow> out;
  Statement s(
      impl_->db,
      "SELECT bucket, verdict, oracle, blame, nodes, path, origin, count, first_seen, cause "
      "FROM finding ORDER BY first_seen, bucket");
  while (s.step()) {
    out.push_back({s.text(0), s.text(1), s.text(2), s.text(3), static_cast<int>(s.integer(4)),
                   s.text(5), s.text(6), s.integer(7), s.real(8), s.text(9)});
  }
  std::map<std::string, std::vector<Observation>> said;
  const std::map<std::string, std::string> folded_into = texts("stands");
  for (const Observation& observation : observations()) {
    const auto by = folded_into.find(observation.bucket);
    said[by == folded_into.end() ? observation.bucket : by->second].push_back(observation);
  }
  if (said.empty()) return out;
  for (FindingRow& row : out)
    if (const auto of = said.find(row.bucket); of != said.end())
      row.observations = std::move(of->second);
  return out;
}

std::vector<Sample> Store::samples() const {
  std::vector<Sample> out;
  Statement s(impl_->db,
              "SELECT seconds, programs, findings, ok, failed, untrusted, skipped, rows, rewrites "
              "FROM sample ORDER BY seconds");
  while (s.step()) {
    Sample& sample = out.emplace_back(Sample{.seconds = s.real(0)});
    int column = 0;
    for (uint64_t Sample::* field : kCounted)
      sample.*field = static_cast<uint64_t>(s.integer(++column));
  }
  return out;
}

}  // namespace fusillade::fuzz

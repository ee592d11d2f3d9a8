package schema

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed 0001_records.sql
var recordsUp string

//go:embed 0001_records.down.sql
var recordsDown string

// Migration is one step of the schema. SQL may hold several statements and runs in one transaction. Down undoes it, and forgets what
// only this version keeps.
type Migration struct {
	Version   int
	Name      string
	SQL, Down string
}

// Migrations gives every step, oldest first.
func Migrations() []Migration {
	return []Migration{{Version: 1, Name: "records", SQL: recordsUp, Down: recordsDown}}
}

// Latest is the version that this program knows.
func Latest() int {
	all := Migrations()
	return all[len(all)-1].Version
}

// VersionsSQL makes the table that remembers which migrations were applied.
const VersionsSQL = `create table if not exists idempotency_schema (
  version    integer primary key,
  applied_at integer not null -- milliseconds since 1970
) strict`

// nowSQL is the time as the tables have it.
const nowSQL = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`

// Up gives the migrations after a version as one script, the notes for Migrate included; after 0 it is for a database that has none. It
// runs in one transaction.
func Up(after int) string {
	var b strings.Builder
	b.WriteString("-- The idempotency records of idemgen, for SQLite. Run it in one transaction.\n")
	if after == 0 {
		b.WriteString("\n" + VersionsSQL + ";\n")
	}
	for _, m := range newer(after) {
		fmt.Fprintf(&b, "\n-- version %d: %s\n\n%s\n", m.Version, m.Name, m.SQL)
		fmt.Fprintf(&b, "insert into idempotency_schema (version, applied_at) values (%d, %s);\n", m.Version, nowSQL)
	}
	return b.String()
}

// Down undoes what Up gives for the same version. Programs of the versions that go must have stopped.
func Down(after int) string {
	var b strings.Builder
	b.WriteString("-- Takes back the idempotency records of idemgen, newest version first. Run it in one transaction, when no program uses them.\n")
	if after == 0 {
		b.WriteString("-- Every key is forgotten: a retry of what was carried out would be carried out again.\n")
	}
	undo := newer(after)
	slices.Reverse(undo)
	for _, m := range undo {
		fmt.Fprintf(&b, "\n-- version %d: %s\n\n%s\n", m.Version, m.Name, m.Down)
		fmt.Fprintf(&b, "delete from idempotency_schema where version = %d;\n", m.Version)
	}
	if after == 0 {
		b.WriteString("\ndrop table idempotency_schema;\n")
	}
	return b.String()
}

// Goose gives the migrations after a version as one migration of github.com/pressly/goose, both directions in it.
func Goose(after int) string {
	block := func(direction, sql string) string {
		return fmt.Sprintf("-- +goose %s\n-- +goose StatementBegin\n%s-- +goose StatementEnd\n", direction, sql)
	}
	return block("Up", Up(after)) + "\n" + block("Down", Down(after))
}

func newer(after int) []Migration {
	all := Migrations()
	return slices.DeleteFunc(all, func(m Migration) bool { return m.Version <= after })
}

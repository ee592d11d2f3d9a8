package schema

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed 0001_records.sql
var records string

//go:embed 0002_leases.sql
var leases string

// Migration is one step of the schema. SQL may hold several statements and runs in one transaction.
type Migration struct {
	Version int
	Name    string
	SQL     string
}

// Migrations gives every step, oldest first.
func Migrations() []Migration {
	return []Migration{
		{Version: 1, Name: "records", SQL: records},
		{Version: 2, Name: "leases", SQL: leases},
	}
}

// VersionsSQL makes the table that remembers which migrations were applied.
const VersionsSQL = `create table if not exists idempotency_schema (
  version    integer primary key,
  applied_at timestamptz not null
)`

// SQL gives the whole schema as one script for an empty database, the notes for pgstore.Migrate included.
func SQL() string {
	var b strings.Builder
	b.WriteString("-- The idempotency records of idemgen. Run it in one transaction.\n\n")
	b.WriteString(VersionsSQL + ";\n")
	for _, m := range Migrations() {
		fmt.Fprintf(&b, "\n-- version %d: %s\n\n%s\n", m.Version, m.Name, m.SQL)
		fmt.Fprintf(&b, "insert into idempotency_schema (version, applied_at) values (%d, clock_timestamp());\n", m.Version)
	}
	return b.String()
}

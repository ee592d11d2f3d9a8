package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/sqlstore/schema"
)

func TestVersionsAreConsecutive(t *testing.T) {
	for i, m := range schema.Migrations() {
		assert.Equal(t, i+1, m.Version)
		assert.NotEmpty(t, m.SQL)
		assert.NotEmpty(t, m.Down)
	}
	assert.Len(t, schema.Migrations(), schema.Latest())
}

func TestScriptsHoldWhatIsNewer(t *testing.T) {
	assert.Contains(t, schema.Up(0), "-- version 1: records")
	assert.Contains(t, schema.Up(0), "create table if not exists idempotency_schema")
	assert.NotContains(t, schema.Up(schema.Latest()), "create table")
	assert.Contains(t, schema.Down(0), "drop table idempotency_schema")
	assert.NotContains(t, schema.Down(schema.Latest()), "drop table")
}

// goose looks for its marks at the beginning of a line; none may stand inside a block.
func TestGooseHasOneBlockForEachDirection(t *testing.T) {
	var marks []string
	for line := range strings.Lines(schema.Goose(0)) {
		if strings.HasPrefix(line, "-- +goose") {
			marks = append(marks, strings.TrimSpace(line))
		}
	}
	assert.Equal(t, []string{
		"-- +goose Up", "-- +goose StatementBegin", "-- +goose StatementEnd",
		"-- +goose Down", "-- +goose StatementBegin", "-- +goose StatementEnd",
	}, marks)
}

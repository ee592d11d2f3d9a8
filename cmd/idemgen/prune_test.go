package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The database says which versions live records were written under: an older version goes when there is none of it.
func TestPruneByTheDatabase(t *testing.T) {
	d := newDesk(t)
	t.Chdir(t.TempDir())
	generate := func(parameter string) string {
		document := "openapi: 3.0.3\ninfo: {title: P, version: '1'}\npaths:\n  /p:\n    post:\n      operationId: pay\n      x-idempotency: {scope: [tenant]}\n" +
			"      parameters: [{name: " + parameter + ", in: query, schema: {type: string}}]\n      responses: {'201': {description: Created}}\n"
		require.NoError(t, os.WriteFile("api.yaml", []byte(document), 0o600))
		code, errs := run("generate", "api.yaml")
		require.Equal(t, 0, code, errs)
		return currentID(t)
	}
	first := generate("a")
	second := generate("b")
	third := generate("c")

	record(t, d, "by the second", second, first)
	record(t, d, "by the third", third, second, first)
	code, errs := run("prune", "api.yaml", "--database", d.url)
	require.Equal(t, 0, code, errs)
	assert.Contains(t, errs, "pruned    pay@1\n", "records that know a newer version do not need it")
	assert.NotContains(t, errs, "pay@2")
	lock, err := os.ReadFile("api.idempotency.lock.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(lock), "    retired: ['1 "+first+"']\n")
	assert.Contains(t, string(lock), "      2:\n")
	code, errs = run("prune", "api.yaml", "--database", d.url)
	require.Equal(t, 0, code)
	assert.Contains(t, errs, "api.yaml: no version can go")
}

func run(args ...string) (code int, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &errs)
	return code, errs.String()
}

// currentID reads the id of the newest version, which comes first in the lock.
func currentID(t *testing.T) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(".", "api.idempotency.lock.yaml"))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(lock), "        id: ")
	require.True(t, ok)
	return rest[:16]
}

// record completes a key under versions, newest first.
func record(t *testing.T, d *desk, key string, ids ...string) {
	t.Helper()
	c := idem.Claim{
		Scope: `["acme"]`, Keyspace: "pay", Key: key, Operation: "pay", Token: idem.NewUUID(), RecordID: idem.NewUUID(), Retention: time.Hour, LockTimeout: time.Second,
	}
	for _, id := range ids {
		var f idem.Fingerprint
		for i := range f.Contract {
			f.Contract[i] = unhex(id[2*i])<<4 | unhex(id[2*i+1])
		}
		c.Fingerprints = idem.AppendFingerprint(c.Fingerprints, f)
	}
	held, _, err := d.store.Claim(context.Background(), c)
	require.NoError(t, err)
	require.NoError(t, held.Complete(context.Background(), idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201}}))
}

func unhex(digit byte) byte {
	return byte(strings.IndexByte("0123456789abcdef", digit))
}

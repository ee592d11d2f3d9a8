package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// desk is a database with records that wait for people, and the command that settles them.
type desk struct {
	t     *testing.T
	url   string
	store *pgstore.Store
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	url := pgtest.SchemaURL(t)
	pool, err := pgxpool.New(context.Background(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, pgstore.Migrate(context.Background(), pool))
	return &desk{t, url, pgstore.New(pool)}
}

// stuck makes a record whose outcome is unknown, after one phase.
func (d *desk) stuck(key string) idem.UUID {
	d.t.Helper()
	ctx := context.Background()
	c := idem.Claim{
		Scope: `["acme"]`, Keyspace: "charge", Key: key, Operation: "chargeCard", Token: idem.NewUUID(), RecordID: idem.NewUUID(),
		Fingerprints: []byte("f"), Retention: time.Hour, LockTimeout: time.Second, Lease: time.Minute,
	}
	_, err := d.store.ClaimLease(ctx, c)
	require.NoError(d.t, err)
	ref := idem.LeaseRef{Scope: c.Scope, Keyspace: c.Keyspace, Key: key, RecordID: c.RecordID, Token: c.Token, Lease: time.Minute}
	phase, err := d.store.BeginPhase(ctx, ref, idem.BeginOptions{})
	require.NoError(d.t, err)
	require.NoError(d.t, phase.Commit(ctx, idem.PhaseRecord{Name: "reserve", Result: []byte("1")}, nil))
	require.NoError(d.t, d.store.Settle(ctx, ref, idem.Completion{State: idem.StateUnknown}))
	return c.RecordID
}

func (d *desk) run(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(append(append([]string{"keys"}, args...), "--database", d.url), strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func (d *desk) lookup(key string) idem.Prior {
	d.t.Helper()
	prior, err := d.store.Lookup(context.Background(), `["acme"]`, "charge", key)
	require.NoError(d.t, err)
	return prior
}

func TestKeysAreListedAndShown(t *testing.T) {
	d := newDesk(t)
	code, out, errs := d.run("", "list")
	assert.Equal(t, 0, code)
	assert.Empty(t, out)
	assert.Equal(t, "no record waits for anybody\n", errs)

	first, second := d.stuck("k1"), d.stuck("k\x1b[2J2")
	code, out, _ = d.run("", "list")
	require.Equal(t, 0, code)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3)
	assert.Regexp(t, `^RECORD +STATE +OPERATION +SCOPE +KEY +ATTEMPT +CREATED +PHASES$`, lines[0])
	assert.Regexp(t, `^`+first.String()+` +unknown_requires_recovery +chargeCard +\["acme"\] +k1 +1 +\S+Z +reserve$`, lines[1])
	assert.NotContains(t, out, "\x1b", "what a client sent moves no cursor")
	code, out, _ = d.run("", "list", "--limit", "1", "--format", "json")
	require.Equal(t, 0, code)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Len(t, all, 1)
	assert.Equal(t, []any{"acme"}, all[0]["scope"])

	code, out, _ = d.run("", "show", second.String())
	require.Equal(t, 0, code)
	assert.Regexp(t, `(?m)^record +`+second.String()+`$`, out)
	assert.Regexp(t, `(?m)^phases +reserve$`, out)
}

func TestKeysAreResolvedAfterAQuestion(t *testing.T) {
	d := newDesk(t)
	id := d.stuck("k").String()
	code, _, errs := d.run("no\n", "resolve", id, "--status", "201")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "Every request with this key is going to get 201. Type yes to go on: ")
	assert.Contains(t, errs, "nothing was changed")
	code, _, _ = d.run("", "resolve", id, "--status", "201")
	assert.Equal(t, 2, code, "nobody is there to answer")
	assert.Equal(t, idem.StateUnknown, d.lookup("k").State)

	body := filepath.Join(t.TempDir(), "body.json")
	require.NoError(t, os.WriteFile(body, []byte(`{"id":1}`), 0o600))
	code, _, errs = d.run("yes\n", "resolve", id, "--status", "201", "--header", "content-type: application/json", "--body", "@"+body)
	require.Equal(t, 0, code, errs)
	prior := d.lookup("k")
	assert.Equal(t, idem.StateCompleted, prior.State)
	assert.Equal(t, idem.Response{Status: 201, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"id":1}`)}, prior.Response)

	code, _, errs = d.run("", "resolve", id, "--status", "409", "--yes")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "record "+id+" waits for nobody")
	failed := d.stuck("f").String()
	code, _, errs = d.run("", "resolve", failed, "--status", "402", "--yes")
	require.Equal(t, 0, code, errs)
	assert.Equal(t, idem.StateFailedReplayable, d.lookup("f").State)
}

func TestKeysAreRetried(t *testing.T) {
	d := newDesk(t)
	id := d.stuck("k")
	code, out, _ := d.run("", "show", id.String(), "--downstream", "psp")
	require.Equal(t, 0, code)
	assert.Contains(t, out, "downstream key of psp: "+idem.DownstreamKey(id, "psp")+"\n")
	code, _, errs := d.run("yes\n", "retry", id.String())
	require.Equal(t, 0, code, errs)
	assert.Contains(t, errs, "downstream keys stay the same. Type yes to go on: record "+id.String()+" is handed back\n")
	prior := d.lookup("k")
	assert.Equal(t, []any{idem.StateInFlight, true, 1, id}, []any{prior.State, prior.LeaseOver, prior.Attempt, prior.RecordID})
}

func TestKeysAreReleased(t *testing.T) {
	d := newDesk(t)
	id := d.stuck("k").String()
	code, _, errs := d.run("", "release", id, "--yes")
	require.Equal(t, 0, code, errs)
	assert.Equal(t, "record "+id+" is forgotten\n", errs)
	assert.Equal(t, idem.StateAbsent, d.lookup("k").State)
	code, _, errs = d.run("", "release", id, "--yes")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "there is no record "+id)
}

func TestKeysRefuseWhatTheyCannotDo(t *testing.T) {
	d := newDesk(t)
	id := d.stuck("k").String()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no verb":          {nil, "say what to do: list, show, retry, resolve or release"},
		"unknown verb":     {[]string{"delete"}, `unknown verb "delete"`},
		"no id":            {[]string{"show"}, "takes the id of one record"},
		"no UUID":          {[]string{"show", "7"}, `"7" is no record's id`},
		"no status":        {[]string{"resolve", id}, "--status 0: a final status"},
		"informational":    {[]string{"resolve", id, "--status", "101"}, "--status 101"},
		"header":           {[]string{"resolve", id, "--status", "200", "--header", "x"}, `--header "x"`},
		"retention":        {[]string{"resolve", id, "--status", "200", "--retention", "0s"}, "--retention 0s"},
		"missing file":     {[]string{"resolve", id, "--status", "200", "--body", "@nowhere"}, "nowhere"},
		"format":           {[]string{"list", "--format", "xml"}, `--format "xml": text or json`},
		"limit":            {[]string{"list", "--limit", "0"}, "--limit 0"},
		"argument of list": {[]string{"list", "x"}, "takes no argument"},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			if len(c.args) > 0 && c.args[0] != "delete" {
				args = append(args, "--database", d.url)
			}
			var out, errs bytes.Buffer
			code := Main(append(append([]string{"keys"}, c.args...), args...), strings.NewReader(""), &out, &errs)
			assert.Equal(t, 2, code)
			assert.Contains(t, errs.String(), c.want)
		})
	}
	for _, url := range []string{"", "postgres://user:secret@[", "postgres://user:secret@127.0.0.1:1/none?connect_timeout=2"} {
		var out, errs bytes.Buffer
		assert.Equal(t, 2, Main([]string{"keys", "list", "--database", url}, strings.NewReader(""), &out, &errs))
		assert.NotContains(t, errs.String(), "secret", "a password stays out of every message")
	}
}

package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const diffLock = `scheme: idempotency-fingerprint/1
contracts:
  pay:
    operation: POST /payments
    key: header.Idempotency-Key required 1..255
    scope: [tenant]
    keyspace: pay
    retention: 24h
    execution: transactional
    keep: all except [503]
    current: 1
    versions:
      1:
        id: 1111111111111111
        retention: 24h
        fields:
          body: object required
          body.amount: decimal/1 required
          body.currency: exact/1 optional null=distinct
        unknown: ignore
        ignored: [body.note]
`

func lockOf(t *testing.T, text string) *Lock {
	t.Helper()
	lock, found := ParseLock([]byte(text), "lock")
	require.Empty(t, found.All(), text)
	return lock
}

// second is a second version, current, with the first one kept.
func second(fields, unknown, ignored string) string {
	return strings.NewReplacer("current: 1", "current: 2", "    versions:\n", `    versions:
      2:
        id: 2222222222222222
        retention: 24h
        fields:
          body: object required
`+fields+`        unknown: `+unknown+`
        ignored: [`+ignored+`]
`).Replace(diffLock)
}

func TestDifferences(t *testing.T) {
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(diffLock) }
	const amount, currency = "          body.amount: decimal/1 required\n", "          body.currency: exact/1 optional null=distinct\n"
	for _, c := range []struct {
		name, is string
		want     []string
	}{
		{"nothing", diffLock, nil},
		{"operation", change("/payments", "/v2/payments"), []string{"operation same"}},
		{"scope", change("[tenant]", "[tenant, user]"), []string{"scope dangerous"}},
		{"scope with the one before", change("scope: [tenant]", "scope: [user]\n    before: [tenant]"), []string{"scope same"}},
		{"keyspace", change("keyspace: pay", "keyspace: money"), []string{"keyspace dangerous"}},
		{"key elsewhere", change("header.Idempotency-Key", "header.X-Id"), []string{"key dangerous"}},
		{"key of another format", change("1..255", "1..255 uuid"), []string{"format-of-the-key dangerous"}},
		{"shorter key", change("1..255", "1..64"), []string{"key retries refused"}},
		{"longer retention", change("    retention: 24h\n    exec", "    retention: 45d\n    exec"), []string{"retention same"}},
		{"shorter retention", change("    retention: 24h\n    exec", "    retention: 1h\n    exec"), []string{"retention dangerous"}},
		{"keep", change("all except [503]", "all"), []string{"keep same"}},
		{"waiting", change("    keep:", "    concurrent: wait 2s\n    keep:"), []string{"concurrent same"}},
		{"another name", change("  pay:\n", "  charge:\n"), []string{" same", "name dangerous"}},
		{"gone", "scheme: idempotency-fingerprint/1\ncontracts: {}\n", []string{" dangerous"}},
		{"compared no more", diffLock[:strings.Index(diffLock, "    current:")] + "    fingerprint: none\n", []string{"fingerprint dangerous"}},
		{"without the older version", change("1111111111111111", "2222222222222222", "      1:", "      2:", "current: 1", "current: 2"), []string{"fingerprint dangerous"}},
		{"field added", second(amount+currency+"          body.who: exact/1 optional\n", "ignore", "body.note"), []string{"body.who new version"}},
		{"required field added", second(amount+currency+"          body.who: exact/1 required\n", "ignore", "body.note"), []string{"body.who retries refused"}},
		{"ignored field counts", second(amount+currency+"          body.note: exact/1 optional\n", "ignore", ""), []string{"body.note new version"}},
		{"field is ignored", second(amount, "ignore", "body.currency, body.note"), []string{"body.currency new version"}},
		{"field is gone", second(amount, "ignore", "body.note"), []string{"body.currency new version"}},
		{"field is gone and refused", second(amount, "reject", "body.note"), []string{"body.currency retries refused", "unknown retries refused"}},
		{"null refused", second(amount+"          body.currency: exact/1 optional\n", "ignore", "body.note"), []string{"body.currency retries refused"}},
		{"another normaliser of texts", second(amount+"          body.currency: ascii-upper/1 optional null=distinct\n", "ignore", "body.note"), []string{"body.currency new version"}},
		{"a narrower one", second(amount+"          body.currency: uuid/1 optional null=distinct\n", "ignore", "body.note"), []string{"body.currency retries refused"}},
		{"required field is gone", second(currency, "ignore", "body.note"), []string{"body.amount new version"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range Differences(lockOf(t, diffLock), lockOf(t, c.is)) {
				if d.What == "fingerprint" && d.Verdict == VerdictVersion {
					assert.Equal(t, "version 1, id 1111111111111111", d.Was)
					continue // of every new version
				}
				assert.NotEmpty(t, d.Retry)
				got = append(got, fmt.Sprintf("%s %s", d.What, d.Verdict))
			}
			assert.Equal(t, c.want, got)
		})
	}
	accepted := change("scope: [tenant]", "scope: [user]", "    keep:", "    accepted:\n      - {change: 'scope: [tenant] -> [user]', reason: at night}\n    keep:")
	found := Differences(lockOf(t, diffLock), lockOf(t, accepted))
	require.Len(t, found, 1)
	assert.Equal(t, "at night", found[0].Accepted)
}

// What becomes of records goes before what their versions do: beside a change that forgets them nothing may be said to recognise a retry.
func TestDifferencesDoNotContradictEachOther(t *testing.T) {
	const amount, currency = "          body.amount: decimal/1 required\n", "          body.currency: exact/1 optional null=distinct\n"
	version := second(amount+currency+"          body.who: exact/1 required\n", "reject", "body.note")
	notFound := []string{"is recognised", "unless its record", "are found", "find them", "answers as before", "503", "keys stay"}
	for _, c := range []struct {
		name, old, new string
		never          []string
	}{
		{"scope", "[tenant]", "[user]", notFound},
		{"keyspace", "keyspace: pay", "keyspace: money", notFound},
		{"key", "header.Idempotency-Key", "header.X-Id", notFound},
		{"keyspace and a scope that is kept", "scope: [tenant]\n    keyspace: pay", "scope: [user]\n    before: [tenant]\n    keyspace: money", notFound},
		{"keyspace and path", "POST /payments\n    key: header.Idempotency-Key", "POST /v2/payments\n    key: header.X-Id", notFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := strings.NewReplacer(c.old, c.new, "execution: transactional", "execution: leased\n    lease: 30s\n    takeover: hold\n    attempts: 5").Replace(version)
			all := Differences(lockOf(t, diffLock), lockOf(t, is))
			require.Greater(t, len(all), 3)
			for _, d := range all {
				for _, claim := range c.never {
					assert.NotContains(t, d.Retry, claim, d.String())
				}
			}
		})
	}
	retryOf := func(t *testing.T, is, what string) string {
		t.Helper()
		for _, d := range Differences(lockOf(t, diffLock), lockOf(t, is)) {
			if d.What == what {
				return d.Retry
			}
		}
		t.Fatalf("no difference %s", what)
		return ""
	}
	partly := strings.Replace(version, "1..255", "1..255 uuid", 1)
	assert.Contains(t, retryOf(t, partly, "fingerprint"), "where its record is found, a retry")
	assert.Contains(t, retryOf(t, version, "fingerprint"), "a retry of an earlier request is recognised")
	leased := strings.Replace(diffLock, "execution: transactional", "execution: leased\n    lease: 30s\n    takeover: hold\n    attempts: 5", 1)
	assert.Contains(t, retryOf(t, leased, "execution"), "is answered 409 by programs that are still transactional, until a new one has finished it")
	back := Differences(lockOf(t, leased), lockOf(t, diffLock))
	require.NotEmpty(t, back)
	assert.Contains(t, back[0].Retry, "somebody resolves it")

	renamed := strings.Replace(diffLock, "  pay:\n", "  charge:\n", 1)
	assert.Contains(t, retryOf(t, renamed, ""), "the operation is the one of pay")
	assert.Equal(t, otherCommand, retryOf(t, renamed, "name"))
	assert.Equal(t, unrecognised, retryOf(t, strings.Replace(renamed, "keyspace: pay", "keyspace: charge", 1), "name"))
}

package idem

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestFingerprintsKeepTheirForm(t *testing.T) {
	first := Fingerprint{Contract: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, KeyID: 0x01020304, Value: canon.Digest(bytes.Repeat([]byte{9}, 32))}
	second := Fingerprint{Contract: [8]byte{0xff}}
	encoded := AppendFingerprint(AppendFingerprint(nil, first), second)
	require.Len(t, encoded, 88)
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 9, 9}, encoded[:14], "stored: it never changes")
	assert.Equal(t, []Fingerprint{first, second}, slices.Collect(Fingerprints(encoded)))
	assert.Equal(t, []Fingerprint{first}, slices.Collect(Fingerprints(encoded[:87])), "a damaged tail is left out")
	assert.Empty(t, slices.Collect(Fingerprints(nil)))
	for range Fingerprints(encoded) {
		break
	}
}

// planOf gives an operation whose contracts are known by their first byte, newest first.
func planOf(ids ...byte) *plan {
	p := &plan{op: &Operation{Name: "pay"}}
	for _, id := range ids {
		p.contracts = append(p.contracts, [8]byte{id})
		p.op.Versions = append(p.op.Versions, Version{Fields: []string{"body.amount", "body.currency"}})
	}
	return p
}

func digestOf(b byte) canon.Digest { return canon.Digest{31: b} }

func recorded(operation string, entries ...Fingerprint) *Prior {
	prior := &Prior{Operation: operation, Fields: []byte{0, 0, 0, 1, 0, 0, 0, 2}}
	for _, e := range entries {
		prior.Fingerprints = AppendFingerprint(prior.Fingerprints, e)
	}
	return prior
}

func under(contract, digest byte) Fingerprint {
	return Fingerprint{Contract: [8]byte{contract}, Value: digestOf(digest)}
}

func TestCompare(t *testing.T) {
	refused := errors.New("refused")
	accepts := func(digests ...byte) *command {
		c := &command{fields: []byte{0, 0, 0, 1, 0, 0, 0, 9}}
		for _, d := range digests {
			v := versionOf{digest: digestOf(d)}
			if d == 0 {
				v = versionOf{refusal: refused}
			}
			c.versions = append(c.versions, v)
		}
		return c
	}
	keyed := under(2, 7)
	keyed.KeyID = 1
	cases := []struct {
		name    string
		plan    *plan
		command *command
		prior   *Prior
		want    verdict
	}{
		{"same under the newest", planOf(2, 1), accepts(7, 5), recorded("pay", under(2, 7), under(1, 5)), verdict{}},
		{"differs under the newest: fields", planOf(2, 1), accepts(8, 5), recorded("pay", under(2, 7), under(1, 5)),
			verdict{comparison: OtherCommand, fields: []string{"body.currency"}}},
		{"another operation comes first, without fields", planOf(2), accepts(7), recorded("refund", under(2, 7)), verdict{comparison: OtherCommand}},
		{"old program, new record", planOf(1), accepts(5), recorded("pay", under(2, 7), under(1, 5)), verdict{}},
		{"old program, new record, differs: no fields", planOf(1), accepts(6), recorded("pay", under(2, 7), under(1, 5)), verdict{comparison: OtherCommand}},
		{"new program, old record", planOf(2, 1), accepts(7, 5), recorded("pay", under(1, 5)), verdict{}},
		{"new program, old record, differs: no fields", planOf(2, 1), accepts(7, 6), recorded("pay", under(1, 5)), verdict{comparison: OtherCommand}},
		{"newest common version decides", planOf(2, 1), accepts(7, 6), recorded("pay", under(2, 7), under(1, 5)), verdict{}},
		{"record's version refuses what today's accepts", planOf(2, 1), accepts(7, 0), recorded("pay", under(1, 5)),
			verdict{comparison: OtherCommand, refused: true}},
		{"today's refuses, the record's knows it", planOf(2, 1), accepts(0, 5), recorded("pay", under(1, 5)), verdict{}},
		{"no common version", planOf(3), accepts(7), recorded("pay", under(2, 7)), verdict{comparison: NotComparable}},
		{"unknown key id", planOf(2), accepts(7), recorded("pay", keyed), verdict{comparison: NotComparable}},
		{"unknown key id, older one plain", planOf(2, 1), accepts(7, 5), recorded("pay", keyed, under(1, 5)), verdict{}},
		{"damaged record", planOf(2), accepts(7), &Prior{Operation: "pay", Fingerprints: []byte("short")}, verdict{comparison: NotComparable}},
		{"record without fingerprints", planOf(2), accepts(7), recorded("pay"), verdict{comparison: NotComparable}},
		{"comparison switched off", planOf(), accepts(), recorded("pay", under(2, 7)), verdict{}},
		{"comparison switched off, another operation", planOf(), accepts(), recorded("refund"), verdict{comparison: OtherCommand}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.plan.compare(c.command, c.prior)) })
	}
}

func TestDifferingFields(t *testing.T) {
	names := []string{"a", "b"}
	ours := []byte{0, 0, 0, 1, 0, 0, 0, 2}
	assert.Empty(t, differingFields(names, ours, ours))
	assert.Equal(t, []string{"a"}, differingFields(names, ours, []byte{1, 0, 0, 1, 0, 0, 0, 2}))
	assert.Equal(t, []string{"a", "b"}, differingFields(names, ours, []byte{1, 0, 0, 1, 0, 0, 0, 3}))
	assert.Empty(t, differingFields(names, ours, ours[:4]), "digests of another field list say nothing")
	assert.Empty(t, differingFields(names, ours, nil))
	assert.Empty(t, differingFields(names[:1], ours, ours))
}

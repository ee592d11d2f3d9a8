package canon_test

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

// digests gives the field digests of a payment.
func digests(t *testing.T, sent string) []uint32 {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(paymentFields)
	_, err := fingerprintPayment(s, &canon.Request{Body: []byte(`{` + smallest + sent + `}`), Path: []string{"acc"}, Query: "dry=true"})
	require.NoError(t, err)
	packed := s.AppendFieldDigests([]byte("x"))
	require.Len(t, packed, 1+4*paymentFields)
	var sums []uint32
	for i := 1; i < len(packed); i += 4 {
		sums = append(sums, binary.BigEndian.Uint32(packed[i:]))
	}
	return sums
}

func crcOf(text string) uint32 {
	return crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
}

func TestFieldDigests(t *testing.T) {
	sums := digests(t, `,"note":"n","meta":{"b":1,"a":2}`)
	want := map[int]string{fieldAmount: `"1"`, fieldCurrency: `"EUR"`, fieldNote: `"n"`, fieldAccount: `"acc"`, fieldDry: `true`,
		fieldMeta: `{"object":{"a":{"number":"2"},"b":{"number":"1"}}}`}
	for field := range paymentFields {
		if text, present := want[field]; present {
			assert.Equal(t, crcOf(text), sums[field], "field %d", field)
		} else {
			assert.Zero(t, sums[field], "field %d", field)
		}
	}
}

// differing names the fields in which two payments differ.
func differing(t *testing.T, a, b string) []int {
	var fields []int
	x, y := digests(t, a), digests(t, b)
	for i := range x {
		if x[i] != y[i] {
			fields = append(fields, i)
		}
	}
	return fields
}

func TestDifferingFields(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       []int
	}{
		{"same, spelled otherwise", `,"note":"a","labels":{"x":"1","y":"2"}`, `,"labels":{"y":"2","x":"\u0031"},"note":"\u0061"`, nil},
		{"a value", `,"note":"a"`, `,"note":"b"`, []int{fieldNote}},
		{"absent and null", `,"rate":null`, ``, []int{fieldRate}},
		{"an element's member", `,"items":[{"sku":"a"},{"sku":"b"}]`, `,"items":[{"sku":"a"},{"sku":"c"}]`, []int{fieldItems, fieldItemsSKU}},
		{"order of elements", `,"items":[{"sku":"a"},{"sku":"b"}]`, `,"items":[{"sku":"b"},{"sku":"a"}]`, []int{fieldItems, fieldItemsSKU}},
		{"the element that has a member", `,"items":[{"sku":"s","quantity":1},{"sku":"s"}]`, `,"items":[{"sku":"s"},{"sku":"s","quantity":1}]`,
			[]int{fieldItems, fieldItemsQuantity}},
		{"order in a set", `,"items":[{"sku":"s","tags":["a","b"]}]`, `,"items":[{"sku":"s","tags":["b","a","a"]}]`, nil},
		{"the name in a map", `,"labels":{"x":"1"}`, `,"labels":{"y":"1"}`, []int{fieldLabels}},
		{"values exchanged in a map", `,"labels":{"x":"1","y":"2"}`, `,"labels":{"x":"2","y":"1"}`, []int{fieldLabels}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, differing(t, tt.a, tt.b)) })
	}
}

// A field that covers the body as a whole is digested in canonical order, however large.
func TestFieldOfLargeBody(t *testing.T) {
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'x'
	}
	digest := func(body string) []byte {
		s := canon.Acquire()
		defer s.Release()
		s.TrackFields(1)
		s.Start(&canon.Request{Body: []byte(body)})
		require.Equal(t, canon.JSON, s.Body(true, canon.JSON))
		s.Generic(0)
		_, err := s.Finish("n", "i")
		require.NoError(t, err)
		return s.AppendFieldDigests(nil)
	}
	a, b := `"a":"`+string(long)+`"`, `"b":"1"`
	assert.Equal(t, digest(`{`+a+`,`+b+`}`), digest(`{`+b+`,`+a+`}`))
}

// The elements of a set have no order, in the digest of a field below it neither.
func TestFieldBelowSet(t *testing.T) {
	digest := func(body string) []byte {
		s := canon.Acquire()
		defer s.Release()
		s.TrackFields(1)
		s.Start(&canon.Request{Body: []byte(body)})
		require.Equal(t, canon.JSON, s.Body(true, canon.JSON))
		a := s.Array(canon.Set, -1)
		for s.Element(&a) {
			s.Exact(0)
		}
		_, err := s.Finish("n", "i")
		require.NoError(t, err)
		return s.AppendFieldDigests(nil)
	}
	assert.Equal(t, digest(`["a","b"]`), digest(`["b","a"]`))
	assert.NotEqual(t, digest(`["a","b"]`), digest(`["a","c"]`))
}

func TestTrackingIsSwitchedOff(t *testing.T) {
	s := canon.Acquire()
	s.TrackFields(paymentFields)
	s.Release()
	s = canon.Acquire()
	defer s.Release()
	_, err := fingerprintPayment(s, &canon.Request{Body: []byte(`{` + smallest + `}`), Path: []string{"acc"}})
	require.NoError(t, err)
	assert.Empty(t, s.AppendFieldDigests(nil))
}

package idem_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

type order struct {
	Amount idem.Number                `json:"amount"`
	At     idem.Instant               `json:"at"`
	Note   idem.Nullable[string]      `json:"note,omitzero"`
	Paid   *idem.Instant              `json:"paid,omitzero"`
	Rate   idem.Nullable[idem.Number] `json:"rate,omitzero"`
	Count  int32                      `json:"count"`
	Lines  []struct {
		SKU string `json:"sku"`
	} `json:"lines"`
	Flag  bool             `json:"flag"`
	Blob  []byte           `json:"blob"`
	Extra map[string]int64 `json:"extra"`
}

func decodeOrder(body string) (*order, error) {
	return idem.DecodeBody[order](&canon.Request{Body: []byte(body)})
}

func TestDecodeBody(t *testing.T) {
	none, err := decodeOrder("")
	require.NoError(t, err)
	require.Nil(t, none, "an absent body and an empty object differ")

	empty, err := decodeOrder("{}")
	require.NoError(t, err)
	assert.Equal(t, &order{}, empty)

	o, err := decodeOrder(`{"amount":"10.00","at":"2026-03-01t12:00:00+02:00","note":null,"rate":0.10,"unknown":[1],"extra":{"a":9007199254740993}}`)
	require.NoError(t, err)
	assert.Equal(t, idem.Number("10.00"), o.Amount, "the text that was sent")
	assert.Equal(t, time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), o.At.Time)
	assert.Equal(t, idem.Nullable[string]{Present: true, Null: true}, o.Note)
	assert.Equal(t, idem.Nullable[idem.Number]{Present: true, Value: "0.10"}, o.Rate)
	assert.Nil(t, o.Paid)
	assert.Equal(t, int64(9007199254740993), o.Extra["a"])
}

func TestDecodeBodyNamesTheMember(t *testing.T) {
	cases := []struct{ body, reason string }{
		{`{"amount":"ten"}`, "member amount cannot be read as a number"},
		{`{"amount":{}}`, "member amount cannot be read as a number"},
		{`{"amount":" 1"}`, "member amount cannot be read as a number"},
		{`{"amount":"1e"}`, "member amount cannot be read as a number"},
		{`{"amount":"true"}`, "member amount cannot be read as a number"},
		{`{"at":"yesterday"}`, "member at cannot be read as an RFC 3339 date-time"},
		{`{"at":7}`, "member at cannot be read as an RFC 3339 date-time"},
		{`{"rate":"x"}`, "member rate cannot be read as a number"},
		{`{"note":7}`, "member note cannot be read as a string"},
		{`{"count":4294967296}`, "member count cannot be read as an integer of 32 bits"},
		{`{"count":1.5}`, "member count cannot be read as an integer of 32 bits"},
		{`{"flag":"yes"}`, "member flag cannot be read as true or false"},
		{`{"lines":{}}`, "member lines cannot be read as an array"},
		{`{"lines":[{"sku":1}]}`, "member lines.sku cannot be read as a string"},
		{`{"extra":[]}`, "member extra cannot be read as an object"},
		{`{"extra":{"secret":"x"}}`, "member extra cannot be read as an integer of 64 bits"},
		{`{"blob":7}`, "member blob cannot be read as base64"},
		{`{"blob":"%"}`, "it cannot be read as what the operation declares"},
		{`[]`, "a value cannot be read as an object"},
		{`{} {}`, "it is not JSON"},
		{`{`, "it is not JSON"},
	}
	for _, c := range cases {
		_, err := decodeOrder(c.body)
		var refusal *canon.Refusal
		require.ErrorAs(t, err, &refusal, c.body)
		assert.Equal(t, "body", refusal.Place)
		assert.Equal(t, c.reason, refusal.Reason, c.body)
		assert.NotContains(t, err.Error(), "secret")
		assert.NotContains(t, err.Error(), "4294967296")
	}
}

func TestNullableWrites(t *testing.T) {
	type doc struct {
		A idem.Nullable[int] `json:"a,omitzero"`
		B idem.Nullable[int] `json:"b,omitzero"`
		C idem.Nullable[int] `json:"c,omitzero"`
		D idem.Nullable[int] `json:"d"`
		N idem.Number        `json:"n"`
		M idem.Number        `json:"m"`
	}
	in := doc{B: idem.Nullable[int]{Present: true, Null: true}, C: idem.Nullable[int]{Present: true, Value: 3}, N: "1.50"}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	assert.Equal(t, `{"b":null,"c":3,"d":null,"n":1.50,"m":0}`, string(text))

	_, err = json.Marshal(idem.Number("ten"))
	require.Error(t, err)
	var stale = idem.Nullable[int]{Present: true, Value: 9}
	require.NoError(t, json.Unmarshal([]byte("null"), &stale))
	assert.Equal(t, idem.Nullable[int]{Present: true, Null: true}, stale)

	var n idem.Number = "1"
	require.NoError(t, json.Unmarshal([]byte("null"), &n))
	var at idem.Instant
	require.NoError(t, json.Unmarshal([]byte("null"), &at))
	assert.True(t, at.IsZero())
}

func TestParameters(t *testing.T) {
	r := &canon.Request{
		Path:   []string{"acc/1", "7", "x"},
		Query:  "n=12&n32=-5&big=2147483648&flag=true&no=yes&at=2026-03-01T00:00:00Z&tag=a&tag=b+c&tag=%2C&ids=1,2,3&pipe=a|b&dec=0.10&blob=aGk%3D&raw=aGk&twice=1&twice=2&bad=%zz&bare&bytes=%ff",
		Header: map[string][]string{"X-Tags": {" a", "b "}, "X-Count": {" 3 "}, "X-Bad": {"z"}},
	}
	path, err := idem.PathParam[string](r, 0, "accountId")
	require.NoError(t, err)
	assert.Equal(t, "acc/1", path)
	number, err := idem.PathParam[int64](r, 1, "n")
	require.NoError(t, err)
	assert.EqualValues(t, 7, number)

	assert.Equal(t, ptr(int64(12)), query[int64](t, r, "n"))
	assert.Equal(t, ptr(int32(-5)), query[int32](t, r, "n32"))
	assert.Equal(t, ptr(int64(2147483648)), query[int64](t, r, "big"))
	assert.Equal(t, ptr(true), query[bool](t, r, "flag"))
	assert.Equal(t, ptr(idem.Instant{Time: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}), query[idem.Instant](t, r, "at"))
	assert.Equal(t, ptr(idem.Number("0.10")), query[idem.Number](t, r, "dec"))
	assert.Equal(t, ptr([]byte("hi")), query[[]byte](t, r, "blob"))
	assert.Equal(t, ptr(""), query[string](t, r, "bare"))
	assert.Nil(t, query[string](t, r, "absent"))

	tags, err := idem.QueryParams[string](r, "tag", 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b c", ","}, tags)
	ids, err := idem.QueryParams[int64](r, "ids", ',')
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 2, 3}, ids)
	pipes, err := idem.QueryParams[string](r, "pipe", '|')
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, pipes)
	absent, err := idem.QueryParams[string](r, "absent", 0)
	require.NoError(t, err)
	assert.Nil(t, absent)

	joined, err := idem.HeaderParam[string](r, "x-tags")
	require.NoError(t, err)
	assert.Equal(t, ptr("a, b"), joined)
	count, err := idem.HeaderParam[int64](r, "X-Count")
	require.NoError(t, err)
	assert.Equal(t, ptr(int64(3)), count)
	none, err := idem.HeaderParam[int64](r, "X-None")
	require.NoError(t, err)
	assert.Nil(t, none)
}

func TestParametersNameThemselves(t *testing.T) {
	r := &canon.Request{
		Path:   []string{"secret"},
		Query:  "big=2147483648&no=secret&twice=1&twice=2&bad=%zz&bytes=%ff&raw=aGk&lines=aGk%3D%0A&ids=1,secret&n=+1&huge=9223372036854775808&num=01",
		Header: map[string][]string{"X-Bad": {"secret"}},
	}
	refused := func(place, reason string, err error) {
		t.Helper()
		var refusal *canon.Refusal
		require.ErrorAs(t, err, &refusal)
		assert.Equal(t, canon.Refusal{Place: place, Offset: -1, Reason: reason}, *refusal)
	}
	_, err := idem.PathParam[int64](r, 0, "id")
	refused("path.id", "it cannot be read as an integer of 64 bits", err)
	_, err = idem.PathParam[string](r, 1, "other")
	refused("path.other", "it is missing", err)
	_, err = idem.QueryParam[int32](r, "big")
	refused("query.big", "it cannot be read as an integer of 32 bits", err)
	_, err = idem.QueryParam[int64](r, "huge")
	refused("query.huge", "it cannot be read as an integer of 64 bits", err)
	_, err = idem.QueryParam[int64](r, "n")
	refused("query.n", "it cannot be read as an integer of 64 bits", err)
	_, err = idem.QueryParam[bool](r, "no")
	refused("query.no", "it is neither true nor false", err)
	_, err = idem.QueryParam[idem.Instant](r, "no")
	refused("query.no", "it cannot be read as an RFC 3339 date-time", err)
	_, err = idem.QueryParam[idem.Number](r, "num")
	refused("query.num", "it cannot be read as a number", err)
	_, err = idem.QueryParam[string](r, "twice")
	refused("query.twice", "it stands there more than once", err)
	_, err = idem.QueryParams[string](r, "twice", ',')
	refused("query.twice", "it stands there more than once", err)
	_, err = idem.QueryParam[string](r, "bad")
	refused("query.bad", "a percent escape is malformed", err)
	_, err = idem.QueryParams[string](r, "bad", 0)
	refused("query.bad", "a percent escape is malformed", err)
	_, err = idem.QueryParam[string](r, "bytes")
	refused("query.bytes", "it is not UTF-8", err)
	for _, name := range []string{"raw", "lines"} {
		_, err = idem.QueryParam[[]byte](r, name)
		refused("query."+name, "it cannot be read as base64", err)
	}
	_, err = idem.QueryParams[int64](r, "ids", ',')
	refused("query.ids", "it cannot be read as an integer of 64 bits", err)
	_, err = idem.HeaderParam[int64](r, "X-Bad")
	refused("header.x-bad", "it cannot be read as an integer of 64 bits", err)
}

func ptr[T any](v T) *T { return &v }

func query[T idem.ParamType](t *testing.T, r *canon.Request, name string) *T {
	t.Helper()
	v, err := idem.QueryParam[T](r, name)
	require.NoError(t, err)
	return v
}

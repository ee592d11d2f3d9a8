package canon

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A scanner in the pool holds no request and no large buffer.
func TestRelease(t *testing.T) {
	s := Acquire()
	body := `{"b":"` + strings.Repeat("x", maxKept) + `\n","a":[` + strings.Repeat(`{"\u0061":1},`, 10_000) + `{}]}`
	s.Start(&Request{Body: []byte(body), Query: strings.Repeat("q&", 10_000)})
	require.Equal(t, JSON, s.Body(true, JSON))
	s.Generic(-1)
	s.Params([]Param{{In: InQuery, Name: "q", As: Exact, Array: Set}})
	_, err := s.Finish("n", "i")
	require.NoError(t, err)
	require.Greater(t, cap(s.out), maxKept)

	r := &Request{Body: []byte(strings.Repeat("a[b]=x&", 30_000)), ContentType: "application/x-www-form-urlencoded"}
	s.Start(r)
	require.Equal(t, Form, s.OpenBody(&BodySpec{Accepts: []Media{Form}}))
	s.Generic(-1)
	_, err = s.Finish("n", "i")
	require.NoError(t, err)
	require.Greater(t, cap(s.form.text), maxKept)

	s.Release()
	assert.False(t, s.form.on)
	assert.LessOrEqual(t, cap(s.form.text), maxKept)
	assert.LessOrEqual(t, cap(s.form.keys), maxKept)
	assert.LessOrEqual(t, cap(s.form.pairs)*20, maxKept)
	assert.Nil(t, s.req)
	assert.Nil(t, s.data)
	assert.Nil(t, s.name)
	assert.LessOrEqual(t, cap(s.out), maxKept)
	assert.LessOrEqual(t, cap(s.tmp), maxKept)
	assert.LessOrEqual(t, cap(s.text), maxKept)
	assert.LessOrEqual(t, cap(s.entries)*16, maxKept)
	assert.LessOrEqual(t, cap(s.elements)*16, maxKept)
	assert.LessOrEqual(t, cap(s.query)*16, maxKept)
}

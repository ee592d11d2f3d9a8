package idem

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRecorderHoldsNoMoreThanItNeeds(t *testing.T) {
	var through bytes.Buffer
	var asked []int
	certain := false
	r := newRecorder(http.Header{}, 10, func(recorded Response) io.Writer {
		asked = append(asked, len(recorded.Body))
		if !certain {
			return nil
		}
		return &through
	})
	write := func(n int) {
		_, err := io.WriteString(r, strings.Repeat("x", n))
		assert.NoError(t, err)
	}
	write(10)
	assert.Empty(t, asked, "at the limit")
	write(1)
	write(1)
	assert.Equal(t, 12, r.body.Len(), "it cannot be decided yet")
	certain = true
	write(1)
	assert.Equal(t, []int{11, 12, 13}, asked)
	assert.Zero(t, r.body.Cap())
	write(100)
	assert.Equal(t, 100, through.Len())
	assert.Zero(t, r.body.Cap())
	r.close()
	_, err := r.Write([]byte("late"))
	assert.ErrorIs(t, err, http.ErrHandlerTimeout)
	assert.Equal(t, 100, through.Len())
}

// What is dropped anyway, because Begin has the answer, is not held either.
func TestSessionDropsWhatBeginHasAnswered(t *testing.T) {
	s := &session[int]{stage: stageDecided}
	assert.Equal(t, io.Discard, s.overflow(Response{}))
	for _, stage := range []stage{stageOutside, stageBeginning, stageRefused, stageRunning} {
		s.stage = stage
		assert.Nil(t, s.overflow(Response{}))
	}
	s.stage, s.over = stageHandled, true
	assert.Nil(t, s.overflow(Response{}))
}

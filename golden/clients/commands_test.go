package clients

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// difference is one thing that the field got wrong about what makes two requests the same command.
type difference struct {
	name string
	// commands are the spellings of each of them: one command is the same in each of its spellings, and no two commands are.
	commands [][]request
	refused  []request // what has no canonical form, and leaves its key free
	// later is what is no command of today's program, and must be told from every command all the same.
	later []request
}

// in is a command whose every spelling is a JSON body of a payment.
func in(bodies ...string) []request {
	var out []request
	for _, body := range bodies {
		out = append(out, post("/accounts/a/payments", body))
	}
	return out
}

func tell(t *testing.T, differences []difference) {
	t.Helper()
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			s := newSite(t)
			keys := 0
			key := func() string {
				keys++
				return "Idempotency-Key: key-" + strconv.Itoa(keys)
			}
			for i, spellings := range d.commands {
				for j, spelling := range spellings { // each may come first
					k := key()
					s.expect(t, runs, spelling.with(k))
					for _, other := range spellings {
						s.expect(t, replay, other.with(k))
					}
					for n, others := range d.commands {
						if n != i {
							s.expect(t, mismatch, others[j%len(others)].with(k))
						}
					}
					for _, r := range d.later {
						s.expect(t, mismatch, r.with(k))
					}
				}
			}
			for _, r := range d.refused {
				k := key()
				s.expect(t, refused, r.with(k))
				s.expect(t, runs, d.commands[0][0].with(k))
				s.expect(t, refused, r.with(k))
			}
			for _, r := range d.later {
				k := key()
				s.expect(t, refused, r.with(k))
				s.expect(t, runs, d.commands[0][0].with(k))
			}
			assert.NotEmpty(t, d.commands)
		})
	}
}

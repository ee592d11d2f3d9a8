package fire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// entry is a line of the journal: that a call begins, how it ended, or what happened in a server.
type entry struct {
	Begin *shop.Order `json:",omitempty"`
	End   *ending     `json:",omitempty"`
	Event string      `json:",omitempty"`
}

// ending is what a client was told.
type ending struct {
	Call   string
	Answer history.Answer
	Status int `json:",omitempty"`
}

// journal is a file to which several processes append.
type journal struct{ file *os.File }

func openJournal(path string) (journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return journal{}, fmt.Errorf("fire: open journal: %w", err)
	}
	return journal{f}, nil
}

// write appends the entry as one line by one call, which the system does not mix with others.
func (j journal) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("fire: write journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("fire: write journal: %w", err)
	}
	return nil
}

// call is a request as the journal tells of it.
type call struct {
	shop.Order
	history.Answer
	Status     int
	begin, end int64 // lines
}

// readJournal gives the calls in the order in which they began, and counts the events.
func readJournal(path string) (calls []*call, events map[string]int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("fire: read journal: %w", err)
	}
	events = map[string]int{}
	byID := map[string]*call{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for line := int64(1); lines.Scan(); line++ {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, nil, fmt.Errorf("fire: read journal: line %d: %w", line, err)
		}
		if e.Event != "" {
			events[e.Event]++
		}
		if e.Begin != nil {
			c := &call{Order: *e.Begin, begin: line, end: history.Never}
			calls, byID[c.Call] = append(calls, c), c
		}
		if e.End != nil {
			c := byID[e.End.Call]
			c.Answer, c.Status, c.end = e.End.Answer, e.End.Status, line
		}
	}
	return calls, events, lines.Err()
}

func (c *call) at() place { return placeOf(c.Path, c.Key, c.Command) }

// operation is the call as histories see it.
func (c *call) operation(leased bool) history.Operation {
	at := c.at()
	return history.Operation{
		Call:   history.Call{Key: at.path + " " + at.key, Command: string(c.Amount), ID: c.Call, Leased: leased},
		Answer: c.Answer, Begin: c.begin, End: c.end,
	}
}

package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// state is what a key stands at. The zero state is an absent key.
type state struct {
	command string // empty: absent
	done    bool
	call    string
	run     string // empty: done by a request whose answer was lost, so the run is not known yet
}

// step gives what a key may stand at after an operation, none when its answer is wrong.
func (s state) step(c Call, a Answer) []state {
	free := s.command == "" || s.command == c.Command && !s.done
	switch a.Kind {
	case Ran:
		if free {
			return []state{{c.Command, true, a.Receipt.Call, a.Receipt.Run}}
		}
	case Replayed:
		if free && a.Receipt.Call == c.ID { // its own claim, which another attempt brought to its end
			return []state{{c.Command, true, c.ID, a.Receipt.Run}}
		}
		if s.done && s.command == c.Command && s.call == a.Receipt.Call && (s.run == "" || s.run == a.Receipt.Run) {
			s.run = a.Receipt.Run
			return []state{s}
		}
	case Mismatch:
		if s.command != "" && s.command != c.Command {
			return []state{s}
		}
	case Nothing:
		return []state{s}
	case claimed:
		if !free {
			return []state{s}
		}
		return []state{s, {command: c.Command}}
	case Lost:
		if !free {
			return []state{s}
		}
		return []state{s, {command: c.Command}, {command: c.Command, done: true, call: c.ID}}
	}
	return nil
}

var register = porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{}} },
	Step: func(s, in, out any) []any {
		var next []any
		for _, n := range s.(state).step(in.(Call), out.(Answer)) {
			next = append(next, n)
		}
		return next
	},
}

// Check gives an error when the operations on a key fit no order. It spends about patience on each key at most.
func Check(all []Operation, patience time.Duration) error {
	keys := map[string][]Operation{}
	for _, o := range all {
		if o.Kind != Nothing {
			keys[o.Key] = append(keys[o.Key], o)
		}
	}
	model := register.ToModel()
	for key, history := range keys {
		switch porcupine.CheckOperationsTimeout(model, operations(history), patience) {
		case porcupine.Ok:
		case porcupine.Illegal:
			return fmt.Errorf("history: the answers to key %s fit no order:\n%s", key, describe(history))
		case porcupine.Unknown:
			return fmt.Errorf("history: whether the %d answers to key %s fit an order was not found out in %s", len(history), key, patience)
		}
	}
	return nil
}

func operations(history []Operation) []porcupine.Operation {
	var out []porcupine.Operation
	for _, o := range history {
		out = append(out, porcupine.Operation{Input: o.Call, Call: o.Begin, Output: o.Answer, Return: o.End})
		if o.Leased && o.Kind == Replayed {
			out = append(out, porcupine.Operation{Input: o.Call, Call: o.Begin, Output: Answer{Kind: claimed}, Return: o.End})
		}
	}
	return out
}

var kindNames = [...]string{Lost: "lost", Ran: "ran", Replayed: "replayed", Mismatch: "mismatch", Nothing: "nothing"}

// describe lists a key's operations by when they began.
func describe(history []Operation) string {
	slices.SortFunc(history, func(a, b Operation) int { return cmp.Compare(a.Begin, b.Begin) })
	var b strings.Builder
	for _, o := range history {
		end := fmt.Sprint(o.End)
		if o.End == Never {
			end = "…"
		}
		fmt.Fprintf(&b, "  %d–%s: %s asks for %s: %s %s %s\n", o.Begin, end, o.ID, o.Command, kindNames[o.Kind], o.Receipt.Call, o.Receipt.Run)
	}
	return b.String()
}

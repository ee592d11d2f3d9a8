package trace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a trace. file is its name in errors and steps. The error joins one for each line that is wrong.
func Parse(file, text string) ([]Step, error) {
	var (
		steps []Step
		errs  []error
	)
	for i, line := range strings.Split(text, "\n") {
		s, err := parseLine(line)
		var p *problem
		switch {
		case errors.As(err, &p):
			errs = append(errs, fmt.Errorf("%s:%d:%d: %s", file, i+1, p.column, p.text))
		case s != nil:
			s.File, s.Line, s.Text = file, i+1, strings.TrimSpace(line)
			steps = append(steps, *s)
		}
	}
	return steps, errors.Join(errs...)
}

// parseLine gives no step for a line without one.
func parseLine(line string) (*Step, error) {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	switch words[0].text {
	case "clock":
		return parseClock(words)
	case "include":
		return parseInclude(words)
	}
	return parseStep(words)
}

func parseClock(words []word) (*Step, error) {
	if len(words) != 2 {
		return nil, problemf(words[0], "usage: clock +DURATION")
	}
	by, plus := strings.CutPrefix(words[1].text, "+")
	if !plus {
		return nil, problemf(words[1], "the clock turns forward only: +%s", strings.TrimPrefix(words[1].text, "-"))
	}
	if err := check(duration, word{by, words[1].column + 1, false}); err != nil {
		return nil, err
	}
	d, err := time.ParseDuration(by)
	if err != nil || d == 0 {
		return nil, problemf(words[1], "the clock must turn")
	}
	return &Step{Clock: d}, nil
}

func parseInclude(words []word) (*Step, error) {
	if len(words) != 2 {
		return nil, problemf(words[0], "usage: include NAME")
	}
	return &Step{Include: words[1].text}, nil
}

func parseStep(words []word) (*Step, error) {
	at := slices.IndexFunc(words, func(w word) bool { return w.text == arrow && !w.quoted })
	last := words[len(words)-1]
	switch {
	case at < 0:
		return nil, problemf(last, `no result: a step ends with "-> …"`)
	case at < 2:
		return nil, problemf(words[0], "a step begins with an actor and a verb: alice claims k -> ours")
	case at == len(words)-1:
		return nil, problemf(last, "no result after the arrow")
	}
	verb, known := verbOf(words[1].text)
	if !known {
		return nil, problemf(words[1], "no verb %q%s", words[1].text, nearest(words[1].text, verbNames()))
	}
	s := &Step{Actor: words[0].text, Verb: verb, Want: join(words[at+1:]), options: map[string]string{}}
	end := words[at]
	return s, s.fill(words[2:at], end)
}

// fill takes the arguments and then the options. end is what stands behind them.
func (s *Step) fill(words []word, end word) error {
	for _, p := range s.Verb.args {
		if p.needless && (len(words) == 0 || s.Verb.option(words[0]) != nil) {
			break
		}
		if len(words) == 0 {
			return problemf(end, "%s is missing; usage: %s", p.name, s.Verb.Usage())
		}
		n := 1
		if p.many {
			n = len(words)
		}
		for _, w := range words[:n] {
			if err := check(p.kind, w); err != nil {
				return err
			}
			s.args = append(s.args, w.text)
		}
		words = words[n:]
	}
	return s.fillOptions(words, end)
}

func (s *Step) fillOptions(words []word, end word) error {
	for len(words) > 0 {
		name := words[0]
		p := s.Verb.option(name)
		if p == nil {
			return problemf(name, "%s takes no %q%s; usage: %s", s.Verb.name, name.text, nearest(name.text, s.Verb.optionNames()), s.Verb.Usage())
		}
		if s.Has(p.name) {
			return problemf(name, "%s is there twice", p.name)
		}
		words = words[1:]
		if p.kind == flag {
			s.options[p.name] = ""
			continue
		}
		if len(words) == 0 {
			return problemf(end, "%s has no value; usage: %s", p.name, s.Verb.Usage())
		}
		if err := check(p.kind, words[0]); err != nil {
			return err
		}
		s.options[p.name] = words[0].text
		words = words[1:]
	}
	return nil
}

// option gives the option that w names.
func (v *Verb) option(w word) *param {
	if w.quoted {
		return nil
	}
	i := slices.IndexFunc(v.options, func(p param) bool { return p.name == w.text })
	if i < 0 {
		return nil
	}
	return &v.options[i]
}

func (v *Verb) optionNames() (names []string) {
	for _, p := range v.options {
		names = append(names, p.name)
	}
	return names
}

func verbNames() (names []string) {
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return names
}

// check says what is wrong with a value.
func check(k kind, w word) error {
	switch k {
	case number:
		if n, err := strconv.Atoi(w.text); err != nil || n < 0 {
			return problemf(w, "%q is no number", w.text)
		}
	case status:
		if n, err := strconv.Atoi(w.text); err != nil || n < 100 || n > 599 {
			return problemf(w, "%q is no status: three digits, as of HTTP", w.text)
		}
	case duration:
		d, err := time.ParseDuration(w.text)
		if w.text != forever && (err != nil || d < 0 || d%time.Millisecond != 0) {
			return problemf(w, "%q is no duration: write 30s or 1h30m, in whole milliseconds", w.text)
		}
	case state:
		if _, known := States[w.text]; !known {
			return problemf(w, "no state %q%s", w.text, nearest(w.text, stateNames()))
		}
	case text, flag:
	}
	return nil
}

func stateNames() (names []string) {
	for name := range States {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

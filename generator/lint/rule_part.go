package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/names"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// requiredIgnored finds entries of ignored that name what every request has to say.
func requiredIgnored(r *review, s *contract.Survey, p *contract.Surveyed) {
	n := names.New(p.Name)
	if p.Fate != contract.LeftOut || !p.Said.IsValid() || !p.Required || s.InScope(p.Text) || ofAttempt(n) || n.MadeAt() || n.Metadata() {
		return
	}
	hint := "take the entry away"
	if s.Listed() {
		hint = "- " + s.Entry(p.Text) + "   # in fields instead"
	}
	r.addPart(s, p, diag.RequiredIgnored, p.Text+" is a part of every request and does not count: a request for another one gets the first one's answer", hint)
}

// headerUnlisted finds headers of which nobody has said whether they count.
func headerUnlisted(r *review, s *contract.Survey, p *contract.Surveyed) {
	n := names.New(p.Name)
	if p.Fate != contract.Unlisted || n.Carried() || n.Key() || n.Authenticates() || s.InScope(p.Text) {
		return
	}
	r.addPart(s, p, diag.HeaderUnlisted, p.Text+" is declared and listed nowhere, so it does not count", s.DecideHint(p.Text))
}

// keyCounts finds what looks like a key beside the key.
func keyCounts(r *review, s *contract.Survey, p *contract.Surveyed) {
	n := names.New(p.Name)
	if (n.Key() || n.RequestID()) && countsAlone(s, p) {
		r.addPart(s, p, diag.KeyCounts, p.Text+" counts and looks like a name of the request: a retry with another one is another command", ignoreHint(s, p))
	}
}

// attemptCounts finds what a client fills in anew for every attempt.
func attemptCounts(r *review, s *contract.Survey, p *contract.Surveyed) {
	n := names.New(p.Name)
	if (n.SentAt() || n.Trace()) && countsAlone(s, p) {
		r.addPart(s, p, diag.AttemptCounts, p.Text+" counts, and by its name every attempt has another one: retries would be other commands", ignoreHint(s, p))
	}
}

// ofAttempt are names that follow the attempt and not the command.
func ofAttempt(n names.Name) bool { return n.Key() || n.RequestID() || n.Trace() || n.SentAt() }

// countsAlone reports whether p is a single value that counts and names nothing that the request makes. What the path says is never of an attempt.
func countsAlone(s *contract.Survey, p *contract.Surveyed) bool {
	unique := s.Contract.Unique != nil && slices.Contains(s.Contract.Unique.Paths, p.Text)
	return p.Fate == contract.Counts && p.As != 0 && p.As != canon.Generic && p.Path.In != openapi.InPath && !unique
}

// ignoreHint moves a part that counts into ignored.
func ignoreHint(s *contract.Survey, p *contract.Surveyed) string {
	if s.Listed() {
		return "- " + s.Entry(p.Text) + "   # in ignored instead"
	}
	return s.IgnoredHint(p.Text)
}

// stampCounts finds members that a server sets.
func stampCounts(r *review, s *contract.Survey, p *contract.Surveyed) {
	if !names.New(p.Name).MadeAt() || !countsAlone(s, p) || p.Path.In != openapi.InBody {
		return
	}
	r.add(s.Contract.Name, diag.Diagnostic{Pos: p.Pos, Code: diag.StampCounts, Hint: "readOnly: true",
		Message: p.Text + " counts, and by its name it is the server's to set",
		Related: []diag.Related{{Pos: s.FieldsPos(), Message: "the fingerprint"}}})
}

// defaultDistinct finds values whose default is another command than leaving them out, and tells of all of an operation at once.
func defaultDistinct(r *review, s *contract.Survey) {
	var texts []string
	var related []diag.Related
	for i := range s.Parts {
		p := &s.Parts[i]
		if hasDistinctDefault(p) && !slices.Contains(texts, p.Text) {
			texts = append(texts, p.Text)
			related = append(related, diag.Related{Pos: p.Pos, Message: "the default of " + p.Text})
		}
	}
	if len(texts) == 0 {
		return
	}
	r.add(s.Contract.Name, diag.Diagnostic{Pos: s.FieldsPos(), Code: diag.DefaultDistinct, Related: related,
		Hint:    s.FieldsHint(texts, "default", "materialise"),
		Message: "sending the default and leaving it out are two commands: " + someOf(texts)})
}

func hasDistinctDefault(p *contract.Surveyed) bool {
	last := p.Path.Segments
	member := len(last) > 0 && last[len(last)-1].Kind == openapi.SegName
	return p.Fate == contract.Counts && p.As != 0 && p.As != canon.Generic && !p.Required && !p.Materialised && member && p.Default != "" && p.Default != "null"
}

// someOf names the first of a list and counts the others.
func someOf(texts []string) string {
	const most = 3
	if len(texts) <= most+1 {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

func money(p *contract.Surveyed) bool {
	beside := make([]names.Name, len(p.Beside))
	for i, name := range p.Beside {
		beside[i] = names.New(name)
	}
	return p.Fate == contract.Counts && p.Path.In != openapi.InPath && names.New(p.Name).Money(beside)
}

func moneyDouble(r *review, s *contract.Survey, p *contract.Surveyed) {
	if money(p) && p.As == canon.Double {
		r.addPart(s, p, diag.MoneyDouble, p.Text+" is money and compared as a double: amounts that differ beyond 15 digits are one command", s.FieldsHint([]string{p.Text}, "as", "decimal"))
	}
}

func moneyNumber(r *review, s *contract.Survey, p *contract.Surveyed) {
	if !money(p) || p.As != canon.Decimal || !slices.Equal(p.Types, []string{"number"}) {
		return
	}
	r.add(s.Contract.Name, diag.Diagnostic{Pos: p.Pos, Code: diag.MoneyNumber, Hint: "{type: string, format: decimal}",
		Message: p.Text + " is money and a number: a client that computes in binary floating point sends 0.30000000000000004 on the retry"})
}

// secretGuessable finds secrets whose digest has no key. A value by its name, or what the schema calls writeOnly, and then the whole of it.
// Numbers and switches alone are none by their names, and a UUID cannot be guessed.
func secretGuessable(r *review, s *contract.Survey) {
	var told []string
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Fate != contract.Counts || p.Sensitive || len(p.Path.Segments) == 0 || p.Path.In == openapi.InPath || inside(p.Text, told) {
			continue
		}
		if p.WriteOnly || namedSecret(p) {
			told = append(told, p.Text)
			r.addPart(s, p, diag.SecretGuessable, p.Text+" is a secret, and its stored digest can be guessed from", s.FieldsHint([]string{p.Text}, "sensitive", "true"))
		}
	}
}

// namedSecret reports whether a value is a secret by its name, and by the name of what it stands in: the number of a card.
func namedSecret(p *contract.Surveyed) bool {
	plain := p.Enum || p.Format == "uuid" || len(p.Types) == 1 && slices.Contains([]string{"boolean", "integer", "number"}, p.Types[0])
	if plain || p.As == 0 || p.As == canon.Generic {
		return false
	}
	var called []string
	for _, step := range p.Path.Segments {
		if step.Kind == openapi.SegName {
			called = append(called, step.Name)
		}
	}
	return names.New(strings.Join(called[max(0, len(called)-2):], " ")).Secret()
}

// inside reports whether the part at text stands in one of others.
func inside(text string, others []string) bool {
	return slices.ContainsFunc(others, func(outer string) bool {
		rest, ok := strings.CutPrefix(text, outer)
		return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
	})
}

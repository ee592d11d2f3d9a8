package lint

import (
	"slices"

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
	if p.Fate != contract.Unlisted || n.Carried() || n.Key() || n.Secret() || s.InScope(p.Text) {
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

// defaultDistinct finds values whose default is another command than leaving them out.
func defaultDistinct(r *review, s *contract.Survey, p *contract.Surveyed) {
	last := p.Path.Segments
	member := len(last) > 0 && last[len(last)-1].Kind == openapi.SegName
	if p.Fate != contract.Counts || p.As == 0 || p.As == canon.Generic || p.Required || p.Materialised || !member || p.Default == "" || p.Default == "null" {
		return
	}
	r.addPart(s, p, diag.DefaultDistinct, p.Text+" has the default "+short(p.Default)+": sending it and leaving it out are two commands",
		s.FieldHint(p.Text, "default", "materialise"))
}

// short is the beginning of a text of the document.
func short(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
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
		r.addPart(s, p, diag.MoneyDouble, p.Text+" is money and compared as a double: amounts that differ beyond 15 digits are one command", s.FieldHint(p.Text, "as", "decimal"))
	}
}

func moneyNumber(r *review, s *contract.Survey, p *contract.Surveyed) {
	if !money(p) || p.As != canon.Decimal || !slices.Equal(p.Types, []string{"number"}) {
		return
	}
	r.add(s.Contract.Name, diag.Diagnostic{Pos: p.Pos, Code: diag.MoneyNumber, Hint: "{type: string, format: decimal}",
		Message: p.Text + " is money and a number: a client that computes in binary floating point sends 0.30000000000000004 on the retry"})
}

// insideSecret reports whether p stands in what is a secret by its name, which is told of the whole.
func insideSecret(p *contract.Surveyed) bool {
	var above []string
	for _, step := range p.Path.Segments {
		if step.Kind == openapi.SegName {
			above = append(above, step.Name)
		}
	}
	return len(above) > 1 && slices.ContainsFunc(above[:len(above)-1], func(name string) bool { return names.New(name).Secret() })
}

// secretGuessable finds secrets whose digest has no key. Numbers and switches alone are none by their names, and a UUID cannot be guessed.
func secretGuessable(r *review, s *contract.Survey, p *contract.Surveyed) {
	if p.Fate != contract.Counts || p.Sensitive || len(p.Path.Segments) == 0 || p.Path.In == openapi.InPath {
		return
	}
	plain := p.Enum || p.Format == "uuid" || len(p.Types) == 1 && slices.Contains([]string{"boolean", "integer", "number"}, p.Types[0])
	array := slices.Equal(p.Types, []string{"array"}) // its elements are a part of their own
	if !p.WriteOnly && (plain || array || !names.New(p.Name).Secret()) || insideSecret(p) {
		return
	}
	r.addPart(s, p, diag.SecretGuessable, p.Text+" is a secret, and its stored digest can be guessed from", s.FieldHint(p.Text, "sensitive", "true"))
}

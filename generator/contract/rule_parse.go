package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// parseRule reads what rule.String writes.
func parseRule(text string) (rule, error) {
	p := ruleParser{rest: text}
	r := p.rule()
	if p.err == nil && p.rest != "" {
		p.fail()
	}
	if p.err != nil {
		return rule{}, fmt.Errorf("rule %q: %w", text, p.err)
	}
	return r, nil
}

// ruleParser takes words off the front. err stays set from the first one that it does not know.
type ruleParser struct {
	rest string
	err  error
}

func (p *ruleParser) fail() {
	if p.err == nil {
		p.err = fmt.Errorf("this idemgen does not know %q", strings.TrimSpace(p.rest))
	}
}

// take takes prefix, if it comes next.
func (p *ruleParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

// takeUntil takes what comes before the first character of stop that stands outside of quotes.
func (p *ruleParser) takeUntil(stop string) string {
	at := 0
	for at < len(p.rest) && !strings.ContainsRune(stop, rune(p.rest[at])) {
		if p.rest[at] == '"' {
			at = quotedEnd(p.rest, at)
			continue
		}
		at++
	}
	taken := p.rest[:at]
	p.rest = p.rest[at:]
	return taken
}

func (p *ruleParser) rule() rule {
	r := p.headed()
	if p.take(" of ") {
		of := p.element()
		r.of = &of
	}
	switch {
	case p.take(" required"):
		r.presence = requiredMember
	case p.take(" optional"):
		r.presence = optionalMember
	}
	p.traits(&r)
	if p.take(" split=") {
		split, err := strconv.Unquote(p.takeUntil(" "))
		if err != nil || len(split) != 1 {
			p.fail()
			return r
		}
		r.split = split[0]
	}
	if p.take(" default=") { // the last trait: a JSON text may hold anything
		r.defaultText, p.rest = p.rest, ""
		if r.defaultText == "" {
			p.fail()
		}
	}
	return r
}

// element is what an array's elements are: a head, or one with traits in parentheses.
func (p *ruleParser) element() rule {
	if !p.take("(") {
		return p.headed()
	}
	r := p.headed()
	p.traits(&r)
	if !p.take(")") {
		p.fail()
	}
	return r
}

// headed takes a head. What it says is restore's to read.
func (p *ruleParser) headed() rule {
	all := p.rest
	switch {
	case p.take("recursion of "):
		p.takeUntil(" )")
	case p.take("union("):
		p.takeUntil(")")
		p.take(")")
	case p.take(viewPrefix):
		p.takeUntil(")")
		p.take(")")
		p.takeUntil(" )")
	default:
		p.takeUntil(" )")
	}
	head := all[:len(all)-len(p.rest)]
	if head == "" {
		p.fail()
	}
	return rule{head: head}
}

func (p *ruleParser) traits(r *rule) {
	switch {
	case p.take(" null=distinct"):
		r.null = NullDistinct
	case p.take(" null=absent"):
		r.null = NullAbsent
	}
	if !p.take(" unknown=") {
		return
	}
	word := p.takeUntil(" )")
	if r.unknown = policyOf(word); r.unknown == 0 {
		p.fail()
	}
}

// policyOf finds a policy by its name; 0 when there is none.
func policyOf(name string) canon.UnknownPolicy {
	for _, policy := range []canon.UnknownPolicy{canon.RejectUnknown, canon.IgnoreUnknown, canon.IncludeUnknown} {
		if policy.String() == name {
			return policy
		}
	}
	return 0
}

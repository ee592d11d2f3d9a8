package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"github.com/idemgen/idemgen/openapi/diag"
)

// parseTarget reads an action's target. The hint is the target with quotes where they seem to be missing.
func parseTarget(text string) (path *jsonpath.Path, hint string, err error) {
	path, err = jsonpath.Parse(text)
	if err == nil {
		return path, "", nil
	}
	if guess, parseErr := jsonpath.Parse(quoteSteps(text)); parseErr == nil {
		hint = "target: " + targetText(guess.Query().Segments())
	}
	return nil, hint, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "jsonpath: "))
}

// quoteSteps writes $.paths./payments.post, which people expect to work, as JSONPath.
func quoteSteps(text string) string {
	steps := strings.Split(text, ".")
	if steps[0] != "$" || strings.ContainsAny(text, `[]'"*`) {
		return text
	}
	var b strings.Builder
	b.WriteString("$")
	for _, name := range steps[1:] {
		fmt.Fprintf(&b, "['%s']", name)
	}
	return b.String()
}

// explainNoMatch finds the step of path at which nothing is left, and the nearest member that exists there.
func explainNoMatch(path *jsonpath.Path, root any) (message, hint string) {
	message = "the target matches nothing"
	defer func() { _ = recover() }() // the short message will do where the library gives up
	segments := path.Query().Segments()
	reached := []any{root}
	for i, seg := range segments {
		next := jsonpath.New(spec.Query(true, segments[:i+1]...)).Select(root)
		if len(next) > 0 {
			reached = next
			continue
		}
		where := targetText(segments[:i])
		name, ok := stepName(seg)
		if !ok {
			return fmt.Sprintf("the target matches nothing: below %s nothing fits %s", where, seg), ""
		}
		message = fmt.Sprintf("the target matches nothing: %s has no member %s", where, quoteText(name))
		if near, ok := diag.Nearest(name, membersOf(reached)); ok {
			meant := slices.Clone(segments)
			meant[i] = spec.Child(spec.Name(near))
			hint = "target: " + targetText(meant)
		}
		return message, hint
	}
	return message, ""
}

// membersOf gives the names of the members of all objects among values, sorted.
func membersOf(values []any) []string {
	var names []string
	for _, v := range values {
		if object, ok := v.(map[string]any); ok {
			for name := range object {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stepName is the name that a step selects when it selects just one.
func stepName(seg *spec.Segment) (string, bool) {
	if seg.IsDescendant() || len(seg.Selectors()) != 1 {
		return "", false
	}
	name, ok := seg.Selectors()[0].(spec.Name)
	return string(name), ok
}

func isWildcard(seg *spec.Segment) bool {
	if seg.IsDescendant() || len(seg.Selectors()) != 1 {
		return false
	}
	_, ok := seg.Selectors()[0].(spec.WildcardSelector)
	return ok
}

// parentTarget is the target one step further up; empty when a hint would be wrong.
func parentTarget(path *jsonpath.Path) string {
	segments := path.Query().Segments()
	if len(segments) == 0 {
		return ""
	}
	if _, ok := stepName(segments[len(segments)-1]); !ok {
		return ""
	}
	return "target: " + targetText(segments[:len(segments)-1])
}

// targetText writes a query as people do: $.paths['/payments'].post.
func targetText(segments []*spec.Segment) string {
	var b strings.Builder
	b.WriteString("$")
	for _, seg := range segments {
		name, ok := stepName(seg)
		switch {
		case ok && isShorthand(name):
			b.WriteString("." + name)
		case ok && !strings.ContainsAny(name, `'\`) && !strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 }):
			b.WriteString("['" + name + "']")
		case isWildcard(seg):
			b.WriteString(".*")
		default:
			b.WriteString(seg.String())
		}
	}
	return b.String()
}

// isShorthand reports whether name may follow a dot (RFC 9535 section 2.5.1.1); letters beyond ASCII are left to quotes.
func isShorthand(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

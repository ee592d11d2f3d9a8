package contract

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/vector"
)

// vectors writes the test vectors: one that changes another one's request on a line where it fits, a whole request with a line for each fact.
func (w *lockWriter) vectors(v *Version) {
	if len(v.Vectors) == 0 {
		return
	}
	if v.LeftOut > 0 {
		w.line(4, fmt.Sprintf("# %d vectors; %d more are left out", len(v.Vectors), v.LeftOut))
	}
	w.line(4, "vectors:")
	for i := range v.Vectors {
		w.vector(&v.Vectors[i])
	}
}

func (w *lockWriter) vector(v *vector.Vector) {
	facts := vectorFacts(v)
	if line := "- {" + strings.Join(facts, ", ") + "}"; v.Base() != "" && v.SHA256 == "" && 10+len(line) <= lockWidth+20 {
		w.line(5, line)
		return
	}
	start := "- "
	for _, fact := range facts {
		w.line(5, start+fact)
		start = "  "
	}
}

// vectorFacts spells the members of a vector, each with its value in flow style.
func vectorFacts(v *vector.Vector) []string {
	facts := []string{"name: " + flowName(v.Name)}
	text := func(name, value string) {
		if value != "" {
			facts = append(facts, name+": "+flowName(value))
		}
	}
	text("like", v.Like)
	text("unlike", v.Unlike)
	text("refused", v.Refused)
	if request := requestFacts(&v.Request); len(request) > 0 {
		facts = append(facts, "request: "+flowMap(request))
	}
	if len(v.Set) > 0 {
		set := make([]string, len(v.Set))
		for i, c := range v.Set {
			set[i] = flowName(c.Path) + ": " + asciiText(c.JSON)
		}
		facts = append(facts, "set: "+flowMap(set))
	}
	if len(v.Remove) > 0 {
		remove := make([]string, len(v.Remove))
		for i, path := range v.Remove {
			remove[i] = flowName(path)
		}
		facts = append(facts, "remove: ["+strings.Join(remove, ", ")+"]")
	}
	if v.SHA256 != "" {
		facts = append(facts, "canonical: "+asciiText(v.Canonical), "sha256: "+asciiText(v.SHA256))
	}
	return facts
}

func requestFacts(r *vector.Request) []string {
	var facts []string
	text := func(name, value string) {
		if value != "" {
			facts = append(facts, name+": "+asciiText(value))
		}
	}
	values := func(name string, list []vector.Value) {
		if len(list) == 0 {
			return
		}
		texts := make([]string, len(list))
		for i, v := range list {
			texts[i] = flowName(v.Name) + ": " + asciiText(v.Text)
		}
		facts = append(facts, name+": "+flowMap(texts))
	}
	text("body", r.Body)
	text("view", r.View)
	text("type", r.Type)
	values("path", r.Path)
	text("query", r.Query)
	values("header", r.Header)
	return facts
}

// flowName writes a name plain where that is safe.
func flowName(s string) string {
	if plainText(s, flowText) {
		return s
	}
	return asciiText(s)
}

// asciiText writes s in quotes, whatever it holds in characters that everybody sees: a request may hold what field paths escape themselves.
func asciiText(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7E }) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r >= 0x20 && r <= 0x7E:
			b.WriteRune(r)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\n':
			b.WriteString(`\n`)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func flowMap(members []string) string { return "{" + strings.Join(members, ", ") + "}" }

// vectors reads what the writer writes.
func (r *lockReader) vectors(v *LockedVersion, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		r.bad(n, "vectors is no list")
		return
	}
	before := r.found.Len()
	for _, item := range n.Content {
		v.Vectors = append(v.Vectors, r.vector(item))
		v.VectorPos = append(v.VectorPos, r.pos(item))
	}
	if r.found.Len() > before {
		return
	}
	if _, err := vector.Expand(v.Vectors); err != nil {
		r.bad(n, "vectors: %s", oneLine(err.Error()))
	}
}

func (r *lockReader) vector(n *yaml.Node) vector.Vector {
	var v vector.Vector
	r.record(n, "a vector", map[string]func(*yaml.Node){
		"name":    r.scalar(&v.Name, "a vector's name", someText),
		"like":    r.scalar(&v.Like, "like", someText),
		"unlike":  r.scalar(&v.Unlike, "unlike", someText),
		"refused": r.scalar(&v.Refused, "refused", someText),
		"request": func(n *yaml.Node) { r.request(&v.Request, n) },
		"set": func(n *yaml.Node) {
			for _, p := range r.mapping(n, "set") {
				c := vector.Change{Path: p.name.Value}
				r.scalar(&c.JSON, "what is set", someText)(p.value)
				v.Set = append(v.Set, c)
			}
		},
		"remove":    r.list(&v.Remove, "remove", isFieldPath),
		"canonical": r.scalar(&v.Canonical, "canonical", someText),
		"sha256":    r.scalar(&v.SHA256, "sha256", isSHA256),
	}, "name")
	return v
}

func isSHA256(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == 32 && s == strings.ToLower(s)
}

func anyText(string) bool { return true }

func (r *lockReader) request(to *vector.Request, n *yaml.Node) {
	values := func(list *[]vector.Value, what string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			for _, p := range r.mapping(n, what) {
				v := vector.Value{Name: p.name.Value}
				r.scalar(&v.Text, what, anyText)(p.value)
				*list = append(*list, v)
			}
		}
	}
	r.record(n, "a request", map[string]func(*yaml.Node){
		"body":   r.scalar(&to.Body, "body", someText),
		"view":   r.scalar(&to.View, "view", someText),
		"type":   r.scalar(&to.Type, "type", someText),
		"path":   values(&to.Path, "path"),
		"query":  r.scalar(&to.Query, "query", someText),
		"header": values(&to.Header, "header"),
	})
}

// holdVectors checks that this idemgen makes of the locked vectors what the lock says. Where it does not, records of the version would not be
// recognised any more, although its id stays.
func holdVectors(c *Contract, lock *Lock, found *diag.List) {
	locked := lock.contract(c.Name)
	if locked == nil || !c.Compare {
		return
	}
	for _, v := range c.Versions() {
		if number := locked.version(string(v.ID)); number != 0 {
			holdVersion(c, v, locked.Versions[number], found)
		}
	}
}

func holdVersion(c *Contract, v *Version, locked *LockedVersion, found *diag.List) {
	if len(locked.Vectors) == 0 {
		return
	}
	for _, f := range vector.Check(locked.Vectors, cmp.Or(v.Path, c.Path), interpret(v.Reference(c.Name))) {
		found.Add(diag.Diagnostic{
			Pos: locked.VectorPos[max(0, f.Index)], Code: diag.LockVector,
			Message: fmt.Sprintf("version %d of %s: vector %q does not hold: %s", v.Number, c.Name, f.Vector, cutText(strings.ReplaceAll(f.Text, "\n  ", "; "))),
			Hint:    "take back what was changed in the lock by hand; if nothing was, use the idemgen that wrote it",
		})
	}
}

// cutText bounds what a finding shows of canonical texts.
func cutText(text string) string {
	const longest = 400
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

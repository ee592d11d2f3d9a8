package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Gone is a contract that was released and that no operation has any more. Somebody has answered for that, and the lock remembers it until
// an operation has the contract again.
type Gone struct {
	Contract  string
	Operation string // POST /refunds, as the lock had it
	Reason    string
}

// runsAgain is what becomes of a retry when its contract is gone.
const runsAgain = "a retry of an earlier request runs again, if the operation is still served"

// goneWord is what --accept calls it: createRefund.gone.
const goneWord = "gone"

// reportLost reports contracts that are released, or in the lock where nobody knows, and that no operation of doc has any more; api gets
// those that somebody has answered for. live are the operations that have a contract.
func (api *API) reportLost(doc *openapi.Document, live []namedOperation, opts Options, found *diag.List) {
	lock := opts.Lock
	if opts.Released != nil {
		lock = opts.Released
	}
	has := map[string]bool{}
	for _, n := range live {
		name, _ := lock.earlier(operationText(n.src), n.name) // under another name: a finding of its own
		has[n.name], has[name] = true, true
	}
	answered := opts.Lock.answered(has)
	for _, name := range lock.names() {
		was := lock.Contracts[name]
		if has[name] || opts.Comparing || slices.ContainsFunc(answered, func(g Gone) bool { return g.Contract == name && g.Operation == was.Operation }) {
			continue
		}
		if opts.accepts(name, goneWord) {
			answered = append(answered, Gone{name, was.Operation, opts.Reason})
			continue
		}
		found.Add(lost(doc, name, was, opts))
	}
	slices.SortFunc(answered, func(a, b Gone) int { return cmp.Compare(a.Contract, b.Contract) })
	api.Gone = answered
}

// answered gives what the lock remembers, without contracts that are there again: their next end is another one.
func (l *Lock) answered(live map[string]bool) (out []Gone) {
	if l == nil {
		return nil
	}
	for _, g := range l.Gone {
		if !live[g.Contract] {
			out = append(out, g)
		}
	}
	return out
}

// names lists the contracts in order. A nil lock has none.
func (l *Lock) names() []string {
	if l == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(l.Contracts))
}

// lost is the finding, at the operation where the document still has it.
func lost(doc *openapi.Document, name string, was *LockedContract, opts Options) diag.Diagnostic {
	pos, hint := diag.Pos{File: doc.File}, ""
	if locked := opts.Lock.contract(name); locked != nil {
		pos = locked.Pos
	}
	if op := unannotated(doc, was.Operation); op.IsValid() {
		pos, hint = op, "annotate "+was.Operation+" again"
	}
	return diag.Diagnostic{
		Pos: pos, Code: diag.RecordsForgotten, About: name, Hint: hint,
		Message: fmt.Sprintf("%s: the contract is that of %s in the lock and gone now: %s", name, was.Operation, runsAgain),
		Related: []diag.Related{{Pos: pos, Message: "if that is wanted: --accept " + name + "." + goneWord + " --reason WHY"}},
	}
}

// unannotated finds an operation that the document has without a contract.
func unannotated(doc *openapi.Document, operation string) diag.Pos {
	for _, op := range doc.Exempt {
		if operationText(op) == operation {
			return op.Pos
		}
	}
	for i := range doc.Candidates {
		if c := &doc.Candidates[i]; c.Method+" "+c.Path == operation {
			return c.Pos
		}
	}
	return diag.Pos{}
}

func (w *lockWriter) gone(list []Gone) {
	if len(list) > 0 {
		w.line(0, "gone:")
	}
	for _, g := range list {
		w.line(1, yamlText(g.Contract, blockText)+":")
		w.fact(2, "operation", g.Operation)
		w.fact(2, "reason", g.Reason)
	}
}

// gone reads the member of a lock.
func (r *lockReader) gone(to *[]Gone) func(*yaml.Node) {
	return func(n *yaml.Node) {
		for _, p := range r.mapping(n, "gone") {
			g := Gone{Contract: p.name.Value}
			if !validName(g.Contract) {
				r.bad(p.name, "%q is no contract name", g.Contract)
			}
			r.record(p.value, "gone "+oneLine(g.Contract), map[string]func(*yaml.Node){
				"operation": r.scalar(&g.Operation, "operation", operationForm.MatchString),
				"reason":    r.scalar(&g.Reason, "reason", isReason),
			}, "operation", "reason")
			*to = append(*to, g)
		}
	}
}

// mergeGone joins what both branches of a merge have answered for.
func mergeGone(ours, theirs []Gone) []Gone {
	out := slices.Clone(ours)
	for _, g := range theirs {
		if !slices.ContainsFunc(out, func(o Gone) bool { return o.Contract == g.Contract }) {
			out = append(out, g)
		}
	}
	return out
}

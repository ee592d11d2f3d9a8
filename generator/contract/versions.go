package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// pinVersions gives c's version its number, and c the versions that the lock has beside it. A version of another id than the current one
// is a new one where that was released, and takes its place where it was not: nobody has written records under it.
func pinVersions(c *Contract, opts Options, found *diag.List) {
	defer c.reportGone(opts, found)
	v := &c.Version
	v.Number, v.RetentionText = 1, c.RetentionText
	locked := opts.Lock.contract(c.Name)
	if locked == nil {
		return
	}
	c.Retired = locked.Retired
	if locked.Current == 0 || !c.Compare {
		v.Number = locked.highest() + 1
		return
	}
	kept := maps.Clone(locked.Versions)
	switch current := locked.Versions[locked.Current]; {
	case current.ID == string(v.ID):
		v.Number = locked.Current
	case opts.released(c.Name, current.ID):
		v.Number = locked.highest() + 1
	default:
		v.Number = locked.Current
		delete(kept, locked.Current)
	}
	for _, number := range slices.Sorted(maps.Keys(kept)) {
		if old := kept[number]; old.ID == string(v.ID) { // this version again, whatever came between
			if longerRetention(old.Retention, v.RetentionText) {
				v.RetentionText = old.Retention
			}
			if v.Number == locked.Current && number != locked.Current { // taken back before it was released
				v.Number = number
			}
			delete(kept, number)
		}
	}
	c.keep(kept, locked, found)
}

// reportGone reports released versions that c does not have any more and that nobody pruned: what programs wrote under them would not be
// recognised.
func (c *Contract) reportGone(opts Options, found *diag.List) {
	released := opts.Released.contract(c.Name)
	if released == nil || !c.Compare || opts.Comparing {
		return
	}
	for _, number := range slices.Sorted(maps.Keys(released.Versions)) {
		id := released.Versions[number].ID
		live := slices.ContainsFunc(c.Versions(), func(v *Version) bool { return string(v.ID) == id })
		if live || slices.Contains(c.Retired, retiredText(number, id)) {
			continue
		}
		pos, hint := c.Pos, "take back what was changed in the lock by hand, or prune the version"
		if opts.Lock == nil {
			hint = "bring the lock back from version control"
		}
		if locked := opts.Lock.contract(c.Name); locked != nil {
			pos = locked.Pos
		}
		found.Add(diag.Diagnostic{
			Pos: pos, Code: diag.ReleasedGone, Hint: hint,
			Message: fmt.Sprintf("version %d of %s, id %s, is released and the lock does not have it any more", number, c.Name, id),
			Related: []diag.Related{{Pos: released.Versions[number].Pos, Message: "the released one"}},
		})
	}
}

// keep restores the older versions, newest first.
func (c *Contract) keep(older map[int]*LockedVersion, locked *LockedContract, found *diag.List) {
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(older))) {
		old := older[number]
		path := old.Path
		if method, rest, _ := strings.Cut(locked.Operation, " "); path == "" && method != webhookMethod {
			path = rest
		}
		v, err := old.restore(number, path)
		if err == nil && len(templateNames(path)) != len(templateNames(c.Path)) && slices.ContainsFunc(v.Params, isPathParam) {
			err = fmt.Errorf("its path %s has another number of parameters than %s", path, c.Path)
		}
		if err != nil {
			found.Add(diag.Diagnostic{
				Pos: old.Pos, Code: diag.LockVersions, Message: fmt.Sprintf("version %d of %s cannot be kept: %v", number, c.Name, err),
				Hint: "take back what was changed in the lock by hand; if nothing was, use the idemgen that wrote it",
			})
			continue
		}
		if path != c.Path {
			v.Path = path
		}
		c.Older = append(c.Older, v)
	}
}

func isPathParam(p canon.Param) bool { return p.In == canon.InPath }

// released reports whether programs may have written records under a version. What is not known counts as released.
func (o Options) released(contract, id string) bool {
	if o.Released == nil {
		return true
	}
	c := o.Released.contract(contract)
	return c != nil && c.version(id) != 0
}

// version finds a version by its id; 0 when there is none.
func (c *LockedContract) version(id string) int {
	for number, v := range c.Versions {
		if v.ID == id {
			return number
		}
	}
	return 0
}

// highest is the highest number that a version ever had, retired ones included: no number is used again.
func (c *LockedContract) highest() int {
	top := 0
	for number := range c.Versions {
		top = max(top, number)
	}
	for _, text := range c.Retired {
		number, _ := parseRetired(text)
		top = max(top, number)
	}
	return top
}

// retiredText is how the lock remembers a version that was pruned: 1 5d0c1f7a92b4e863.
func retiredText(number int, id string) string { return fmt.Sprintf("%d %s", number, id) }

// parseRetired reads what retiredText writes.
func parseRetired(text string) (number int, ok bool) {
	var id string
	n, err := fmt.Sscanf(text, "%d %s", &number, &id)
	return number, err == nil && n == 2 && number > 0 && idForm.MatchString(id) && text == retiredText(number, id)
}

// Versions gives the live versions, newest first.
func (c *Contract) Versions() []*Version {
	if !c.Compare {
		return nil
	}
	out := []*Version{&c.Version}
	for i := range c.Older {
		out = append(out, &c.Older[i])
	}
	return out
}

// VersionNames are the Go identifiers of one version's declarations.
type VersionNames struct {
	Fingerprint string // FingerprintCreatePayment; v1FingerprintCreatePayment of an older version
	Fields      string // fieldsCreatePayment: the field paths
	Params      string // createPaymentParams: the canon.Param table
	Body        string // bodyCreatePayment: the canon.BodySpec, where there is one
	Vectors     string // vectorsCreatePayment, in the test
	Scan        string // begins the names of the body's nodes: CreatePaymentBody
}

// NameVersions names the declarations of every version after the contract's. Those of an older one are not exported: nobody calls them
// but the descriptor.
func (c *Contract) NameVersions() {
	c.Version.Names = VersionNames{
		Fingerprint: c.Names.Fingerprint, Fields: "fields" + c.GoName, Params: c.Names.Params, Body: "body" + c.GoName,
		Vectors: "vectors" + c.GoName, Scan: c.GoName + "Body",
	}
	for i := range c.Older {
		v := &c.Older[i]
		prefix := fmt.Sprintf("v%d", v.Number)
		v.Names = VersionNames{
			Fingerprint: prefix + "Fingerprint" + c.GoName, Fields: prefix + "Fields" + c.GoName, Params: prefix + "Params" + c.GoName,
			Body: prefix + "Body" + c.GoName, Vectors: prefix + "Vectors" + c.GoName, Scan: fmt.Sprintf("V%d%sBody", v.Number, c.GoName),
		}
	}
}

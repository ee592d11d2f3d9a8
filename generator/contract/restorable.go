package contract

import (
	"cmp"
	"fmt"
	"slices"
)

// CheckLock holds the text of api's lock against api: every version must come back from its lines as what reads the same requests in the
// same way. When the document has changed the lines are all there is. An error is a fault of this package, not of a document.
func CheckLock(api *API, text []byte) error {
	lock, found := ParseLock(text, "")
	if lock == nil {
		return fmt.Errorf("contract: the lock cannot be read back: %s", found.All()[0].Message)
	}
	for _, c := range api.Contracts {
		for _, v := range c.Versions() {
			if err := checkVersion(c, v, lock.Contracts[c.Name].Versions[v.Number]); err != nil {
				return err
			}
		}
		if err := checkUnique(c, lock.Contracts[c.Name].Unique); err != nil {
			return err
		}
	}
	return nil
}

// checkUnique holds what the lock says of a business key, by which a change of it is found.
func checkUnique(c *Contract, locked *LockedUnique) error {
	switch {
	case c.Unique == nil && locked == nil:
	case c.Unique == nil || locked == nil, locked.ID != string(c.Unique.Version.ID), !slices.Equal(locked.Fields, c.Unique.Version.Fields),
		!slices.Equal(locked.paths(), c.Unique.Paths):
		return fmt.Errorf("contract: the business key of %s is another one when it is read back", c.Name)
	}
	return nil
}

func checkVersion(c *Contract, v *Version, locked *LockedVersion) error {
	back, err := locked.restore(v.Number, cmp.Or(v.Path, c.Path))
	if err != nil {
		return fmt.Errorf("contract: version %d of %s cannot be read back: %w", v.Number, c.Name, err)
	}
	if at := readsOtherwise(v, &back); at != "" {
		return fmt.Errorf("contract: version %d of %s reads %s otherwise when it is read back", v.Number, c.Name, at)
	}
	return nil
}

// readsOtherwise names the first part of a request that two versions read in different ways; empty when there is none.
func readsOtherwise(a, b *Version) string {
	if !slices.Equal(a.Params, b.Params) {
		return "parameters"
	}
	if a.View != b.View {
		return "the view"
	}
	if a.Spec.Required != b.Spec.Required || !slices.Equal(a.Spec.Accepts, b.Spec.Accepts) || !slices.Equal(a.Spec.Types, b.Spec.Types) ||
		!slices.Equal(a.Spec.Parts, b.Spec.Parts) {
		return "the kinds of bodies"
	}
	return (&nodeComparer{seen: map[[2]*Node]bool{}}).differs(a.Body, b.Body, "body")
}

// nodeComparer compares what nodes say. Names of Go and the sharing of nodes say nothing.
type nodeComparer struct{ seen map[[2]*Node]bool }

func (c *nodeComparer) differs(a, b *Node, at string) string {
	if a == nil || b == nil {
		if a != b {
			return at
		}
		return ""
	}
	if c.seen[[2]*Node{a, b}] {
		return ""
	}
	c.seen[[2]*Node{a, b}] = true
	if a.Kind != b.Kind || a.Field != b.Field || a.Null != b.Null || a.As != b.As || a.Array != b.Array || a.Unknown != b.Unknown ||
		a.Recursive != b.Recursive || len(a.Members) != len(b.Members) || (a.Union == nil) != (b.Union == nil) {
		return at
	}
	for i, m := range a.Members {
		n := b.Members[i]
		below := at + "." + m.Name
		if m.Name != n.Name || m.Key != n.Key || m.Required != n.Required || m.Ignored != n.Ignored || m.Default != n.Default {
			return below
		}
		if d := c.differs(m.Node, n.Node, below); d != "" {
			return d
		}
	}
	if d := c.unions(a.Union, b.Union, at); d != "" {
		return d
	}
	if d := c.differs(a.Elem, b.Elem, at+"[]"); d != "" {
		return d
	}
	return c.differs(a.Back, b.Back, at)
}

func (c *nodeComparer) unions(a, b *Union, at string) string {
	if a == nil {
		return ""
	}
	if a.Discriminator != b.Discriminator || len(a.Branches) != len(b.Branches) {
		return at
	}
	for i, branch := range a.Branches {
		below := at + branchText([]string{branch.Label})
		if branch.Label != b.Branches[i].Label {
			return below
		}
		if d := c.differs(branch.Node, b.Branches[i].Node, below); d != "" {
			return d
		}
	}
	return ""
}

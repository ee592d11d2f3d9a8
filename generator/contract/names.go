package contract

import (
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// names gives each name once; a name that is taken gets the first free number from 2 on.
type names struct{ used map[string]bool }

func newNames(reserved ...string) *names {
	n := &names{used: map[string]bool{}}
	for _, name := range reserved {
		n.used[name] = true
	}
	return n
}

func (n *names) unique(base string) string {
	name := base
	for i := 2; n.used[name]; i++ {
		name = numbered(base, i)
	}
	n.used[name] = true
	return name
}

// numbered keeps 1 with the number 2 apart from 12.
func numbered(base string, i int) string {
	if last := base[len(base)-1]; last >= '0' && last <= '9' {
		base += "_"
	}
	return base + strconv.Itoa(i)
}

// reserved are identifiers that generated packages declare whatever the document says.
func reserved() []string {
	return []string{"Scope", "Views", "NewEngine", "Contract", "Operations", "apiContract", "packageContract", "TestVectors"}
}

// emittedPrefixes begin the names that emitters make of node names. No other declaration may begin so.
func emittedPrefixes() []string {
	return []string{"scan", "shape", "decode", "params", "equal", "fields", "vectors", "body"}
}

// nameAll gives every declaration of the package its identifier. Contracts are sorted, so the document's order decides nothing.
func nameAll(api *API) {
	used := newNames(reserved()...)
	files := newNames("contract")
	scope, views := newNames(), newNames()
	for i, v := range api.Views {
		api.Views[i].GoName = views.unique(exported(v.Name))
	}
	for i, d := range api.Dimensions {
		api.Dimensions[i].GoName = scope.unique(exported(d.Name))
	}
	for _, c := range api.Contracts {
		nameContract(c, used)
		file := asciiLower(c.GoName)
		if file == "" {
			file = "operation"
		}
		c.FileName = uniqueFile(files, file)
	}
	nodes := newNames()
	for _, c := range api.Contracts {
		seen := map[*Type]bool{}
		nameTypes(c.BodyType, c.GoName, used, seen)
		nameParams(c.PathParams)
		nameParams(c.QueryParams)
		nameParams(c.HeaderParams)
		c.NameVersions()
		nameNodes(c.Version.Body, c.Version.Names.Scan, nodes)
		if c.Unique != nil {
			nameNodes(c.Unique.Version.Body, c.GoName+"Business", nodes)
		}
	}
	for _, c := range api.Contracts { // last, so that a version that grows old changes no other name
		for _, v := range c.Older {
			nameNodes(v.Body, v.Names.Scan, nodes)
		}
	}
}

// uniqueFile numbers without an underscore: file names keep to letters and digits, so that no ending becomes a build constraint.
func uniqueFile(files *names, base string) string {
	name := base
	for i := 2; files.used[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	files.used[name] = true
	return name
}

// nameContract finds a name whose declarations are all free.
func nameContract(c *Contract, used *names) {
	base := exported(c.Name)
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name = numbered(base, i)
		}
		set := declarations(name)
		if c.Unique != nil {
			set.addBusiness(name)
		}
		if c.Takeover == TakeoverRecover && c.Method != "" { // a webhook has no place in the middleware
			set.Recover = "Recover" + name
		}
		all := append(set.list(), name)
		if slices.ContainsFunc(all, func(s string) bool { return used.used[s] }) {
			continue
		}
		for _, s := range all {
			used.used[s] = true
		}
		c.GoName, c.Names = name, set
		return
	}
}

func declarations(name string) Names {
	return Names{
		Operation: name + "Operation", Fingerprint: "Fingerprint" + name, Handle: "Handle" + name, Command: name + "Command",
		Path: name + "Path", Query: name + "Query", Header: name + "Header", Decode: "decode" + name, Params: apart(unexported(name)) + "Params",
	}
}

// addBusiness completes n for an operation with a business key. Others keep the names for theirs.
func (n *Names) addBusiness(name string) {
	n.Business, n.BusinessParams, n.BusinessBody = "BusinessKey"+name, apart(unexported(name))+"BusinessParams", apart(unexported(name))+"BusinessBody"
}

// olderName matches what the names of older versions' declarations begin with.
var olderName = regexp.MustCompile(`^v[0-9]+(Fingerprint|Fields|Params|Body|Vectors)`)

// apart keeps an unexported name out of the space of names that emitters make.
func apart(name string) string {
	if slices.ContainsFunc(emittedPrefixes(), func(p string) bool { return strings.HasPrefix(name, p) }) || olderName.MatchString(name) {
		return "op" + exported(name)
	}
	return name
}

func (n Names) list() []string {
	all := []string{n.Operation, n.Fingerprint, n.Handle, n.Command, n.Path, n.Query, n.Header, n.Decode, n.Params,
		n.Business, n.BusinessParams, n.BusinessBody, n.Recover}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// nameTypes completes the names of structs with the operation's. A type that stands in several places has one.
func nameTypes(t *Type, operation string, used *names, seen map[*Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if t.Kind == TypeStruct {
		t.GoName = used.unique(operation + t.GoName)
	}
	nameTypes(t.Elem, operation, used, seen)
	for _, f := range t.Fields {
		nameTypes(f.Type, operation, used, seen)
	}
}

func nameParams(params []CommandParam) {
	used := newNames()
	for i := range params {
		params[i].GoName = used.unique(exported(params[i].Name))
	}
}

// nameNodes names what gets a function of its own after its place. A node that stands in several places is named after the first.
func nameNodes(n *Node, name string, used *names) {
	if n == nil || n.GoName != "" {
		return
	}
	if n.Kind == ObjectNode || n.Kind == MapNode || n.Kind == UnionNode || n.Recursive {
		n.GoName = used.unique(name)
	}
	if n.Kind == MapNode {
		nameNodes(n.Elem, name+"Value", used)
	} else {
		nameNodes(n.Elem, name, used)
	}
	for _, m := range n.Members {
		nameNodes(m.Node, name+exported(m.Name), used)
	}
	if n.Union == nil {
		return
	}
	for _, b := range n.Union.Branches {
		nameNodes(b.Node, name+exported(b.Label), used)
	}
}

// packageName is the document's file name as a Go package (DESIGN section 3).
func packageName(base string) string {
	name := asciiLower(base)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "x" + name // also so that a name without any ASCII letter is not the runtime's
	}
	return name + "idem"
}

func validPackage(name string) bool { return token.IsIdentifier(name) && name != "_" && name != "main" }

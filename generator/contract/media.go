package contract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// carrier is one declared media type of a body that fingerprints are made of.
type carrier struct {
	openapi.Media
	kind canon.Media
}

// chooseMedia decides which of the declared media types are taken, and as what. Media types that have members lead to one fingerprint;
// beside them no other can, since nothing says what a document of another kind has to do with them. The others are a text, or bytes.
func (o *operation) chooseMedia() {
	body := o.src.Body
	if body == nil {
		return
	}
	o.carriers = carriersOf(body.Media)
	if o.view() != "" {
		o.carriers = viewedCarriers(body.Media)
	}
	if len(o.carriers) == 0 {
		o.bodyUnsupported = true
		what := "a body without a media type"
		if len(body.Media) > 0 {
			what = "a body of type " + body.Media[0].Type
		}
		o.notSupported(body.Pos, what)
		return
	}
	o.reportRefused()
	o.merger.forms = slices.ContainsFunc(o.carriers, func(c carrier) bool { return c.kind == canon.Form || c.kind == canon.Multipart })
	o.spec = o.bodySpec()
	o.tree = o.newTree(o.carriers[0])
}

// carriersOf lists the media types that are taken without a view.
func carriersOf(media []openapi.Media) []carrier {
	var members, others []carrier
	for _, m := range media {
		c := carrier{m, mediaKind(m)}
		switch c.kind {
		case canon.JSON, canon.Form, canon.Multipart:
			members = append(members, c)
		case canon.Text, canon.Octets:
			others = append(others, c)
		case canon.NoBody:
		}
	}
	if len(members) == 0 {
		members = asOne(others)
	}
	slices.SortStableFunc(members, func(a, b carrier) int { return cmp.Compare(a.kind, b.kind) })
	return members
}

// asOne takes texts for bytes where bytes are declared too.
func asOne(list []carrier) []carrier {
	if slices.ContainsFunc(list, func(c carrier) bool { return c.kind == canon.Octets }) {
		for i := range list {
			list[i].kind = canon.Octets
		}
	}
	return list
}

// mediaKind says how bodies of a media type are read; NoBody where they are not.
func mediaKind(m openapi.Media) canon.Media {
	name := mediaName(m.Type)
	kind, subtype, ok := strings.Cut(name, "/")
	switch {
	case !ok || kind == "" || subtype == "":
		return canon.NoBody
	case name == "application/json" || strings.HasSuffix(subtype, "+json"):
		return canon.JSON
	case name == "*/*" || name == "application/*":
		if s := newMerger().merge(schemaList(m.Schema)); s.kind == scalarKind && s.file() {
			return canon.Octets
		}
		return canon.JSON // what a document means that does not care to say it
	case name == "application/x-www-form-urlencoded":
		return canon.Form
	case name == "multipart/form-data" || name == "multipart/*":
		return canon.Multipart
	case kind == "multipart":
		return canon.NoBody // a body of parts without names
	case kind == "text" && subtype != "xml": // whose white space says nothing, and whose bytes are what can be compared
		return canon.Text
	}
	return canon.Octets
}

// mediaName is a media type in lower case, without parameters.
func mediaName(mediaType string) string {
	name, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	return strings.TrimSpace(name)
}

// bodySpec is what the scanner has to know of bodies before it reads one.
func (o *operation) bodySpec() canon.BodySpec {
	spec := canon.BodySpec{Required: o.src.Body.Required}
	for _, c := range o.carriers {
		if !slices.Contains(spec.Accepts, c.kind) {
			spec.Accepts = append(spec.Accepts, c.kind)
		}
		switch name := mediaName(c.Type); {
		case c.kind == canon.Multipart:
			spec.Parts = o.parts(c)
		case c.kind == canon.Octets, c.kind == canon.Text && name != "text/plain":
			spec.Types = append(spec.Types, name)
		}
	}
	slices.Sort(spec.Types)
	spec.Types = slices.Compact(spec.Types)
	return spec
}

// reportRefused warns of media types that clients may send today and that are answered with 415.
func (o *operation) reportRefused() {
	var names, taken []string
	var pos diag.Pos
	for _, m := range o.src.Body.Media {
		if slices.ContainsFunc(o.carriers, func(c carrier) bool { return c.Pos == m.Pos && c.Type == m.Type }) {
			taken = append(taken, m.Type)
			continue
		}
		if len(names) == 0 {
			pos = m.Pos
		}
		names = append(names, m.Type)
	}
	if len(names) > 0 {
		o.found.Add(diag.Diagnostic{Pos: pos, Code: diag.MediaRefused,
			Message: o.title() + " is generated for " + strings.Join(taken, ", ") + "; a body of type " + strings.Join(names, ", ") + " is answered with 415"})
	}
}

// checkOtherMedia holds all media types to the same fields, and where nothing is compared to the same business key.
func (o *operation) checkOtherMedia(c *Contract) {
	if len(o.carriers) == 0 || o.spec.Accepts[0] == canon.Octets || !c.Compare && c.Unique == nil {
		return
	}
	chosen := o.carriers[0]
	for _, m := range o.carriers[1:] {
		if m.kind == chosen.kind && m.Schema == chosen.Schema && len(m.Encoding) == 0 {
			continue
		}
		if !o.sameUnder(m, c) {
			o.unsupported.Add(diag.Diagnostic{Pos: m.Pos, Code: diag.MediaDisagree, Message: o.title() + ": " + m.Type + " leads to other fields than " + chosen.Type,
				Related: []diag.Related{{Pos: chosen.Pos, Message: "the other media type"}}})
		}
	}
}

// sameUnder reports whether bodies of a media type lead to what c has.
func (o *operation) sameUnder(m carrier, c *Contract) bool {
	other := newOperation(o.src, o.name)
	other.merger.forms = o.merger.forms
	other.spec = o.spec
	other.tree = other.newTree(m)
	other.collectParams()
	other.readKey()
	if !c.Compare {
		u := other.readUnique()
		return u != nil && u.Version.ID == c.Unique.Version.ID
	}
	other.choose()
	id := other.version().ID
	o.misfitted.Append(other.misfitted)
	return id == c.Version.ID
}

// newTree makes the tree of the values that bodies of one media type are.
func (o *operation) newTree(c carrier) *tree {
	m := o.merger.merge(schemaList(c.Schema))
	if c.kind == canon.Text && m.kind != scalarKind || o.view() != "" { // whatever the schema says of what stands for it elsewhere
		m = o.merger.merge([]*openapi.Schema{o.text})
	}
	path := openapi.FieldPath{In: openapi.InBody}
	return &tree{merger: o.merger, multipart: c.kind == canon.Multipart, encoding: c.Encoding, root: &place{
		merged: m, path: path, plain: path.String(), text: path.String(), pos: c.Pos, presence: present(o.src.Body.Required), file: c.kind == canon.Octets,
	}}
}

package contract

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/canon"
)

// The lock says which kinds of bodies a version reads: a request of yesterday is read as yesterday's document said. JSON alone goes
// without saying.
//
//	media: [json, form, multipart]
//	types: [image/*]             of bytes, and of texts that are not text/plain
//	parts: {avatar: file}        of multipart: what is no text

// mediaNames are the lock's words, in the order of canon's kinds.
func mediaNames() []string {
	return []string{canon.JSON: "json", canon.Form: "form", canon.Multipart: "multipart", canon.Text: "text", canon.Octets: "octets"}
}

func partNames() []string { return []string{canon.JSONPart: "json", canon.FilePart: "file"} }

func (w *lockWriter) media(spec canon.BodySpec) {
	if !slices.Equal(spec.Accepts, []canon.Media{canon.JSON}) {
		var words []string
		for _, m := range spec.Accepts {
			words = append(words, mediaNames()[m])
		}
		w.list(4, "media", words)
	}
	if len(spec.Types) > 0 {
		w.list(4, "types", spec.Types)
	}
	if len(spec.Parts) > 0 {
		w.line(4, "parts:")
	}
	for _, p := range spec.Parts {
		w.fact(5, p.Name, partNames()[p.Kind])
	}
}

// mediaList reads the member media of a version.
func (r *lockReader) mediaList(v *LockedVersion) func(*yaml.Node) {
	var words []string
	read := r.list(&words, "media", func(s string) bool { return slices.Contains(mediaNames(), s) && s != "" })
	return func(n *yaml.Node) {
		read(n)
		for _, word := range words {
			v.Media = append(v.Media, canon.Media(slices.Index(mediaNames(), word)))
		}
	}
}

// parts reads the member parts of a version.
func (r *lockReader) parts(v *LockedVersion) func(*yaml.Node) {
	return func(n *yaml.Node) {
		for _, p := range r.mapping(n, "parts") {
			kind := slices.Index(partNames(), p.value.Value)
			if kind < 1 {
				r.bad(p.value, "a part cannot be %q: %s", oneLine(p.value.Value), strings.Join(partNames()[1:], " or "))
				continue
			}
			v.Parts = append(v.Parts, canon.Part{Name: p.name.Value, Kind: canon.PartKind(kind)})
		}
	}
}

// spec gives what bodies the version reads.
func (l *LockedVersion) spec(required bool) canon.BodySpec {
	spec := canon.BodySpec{Required: required, Accepts: l.Media, Types: l.Types, Parts: l.Parts}
	if len(spec.Accepts) == 0 {
		spec.Accepts = []canon.Media{canon.JSON}
	}
	return spec
}

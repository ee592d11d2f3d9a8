package generator

import (
	"maps"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Moved gives findings about the document as it was read with the places that they have since the proposal was written into it.
func (p *Proposal) Moved(found diag.List) (out diag.List) {
	if !p.inPlace {
		return found
	}
	found.Each(func(d diag.Diagnostic) {
		d.Pos, d.End = p.moved(d.Pos), p.moved(d.End)
		related := make([]diag.Related, len(d.Related))
		for i, r := range d.Related {
			related[i] = diag.Related{Pos: p.moved(r.Pos), Message: r.Message}
		}
		d.Related = related
		out.Add(d)
	})
	return out
}

// moved counts the lines that were there before.
func (p *Proposal) moved(pos diag.Pos) diag.Pos {
	if !pos.IsValid() {
		return pos
	}
	for line, old := 1, 0; ; line++ {
		if p.added[place{pos.File, line}] {
			continue
		}
		if old++; old == pos.Line {
			pos.Line = line
			return pos
		}
	}
}

// linesAdded are the places of the lines that a proposal puts into files.
func (p *proposing) linesAdded() map[place]bool {
	added := map[place]bool{}
	for at := range maps.Keys(p.placed) {
		added[at] = true
	}
	return added
}

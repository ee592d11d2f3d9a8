package openapi

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// annotating is the file system with every POST and PATCH annotated in the text of the files, so that places can be checked.
type annotating struct {
	disk
	files map[string][]byte // as given
}

func (a annotating) read(name string) ([]byte, error) {
	data, err := a.disk.read(name)
	if err != nil {
		return nil, err
	}
	data = annotate(name, data)
	a.files[name] = data
	return data, nil
}

// annotate writes the annotation into every POST and PATCH that this API serves, the last first, so that places stay right.
func annotate(name string, data []byte) []byte {
	s, _ := parseSource(name, data)
	if s == nil {
		return data
	}
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	var ops []*yaml.Node
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for key, value := range entries(n) {
			if slices.Contains([]string{"post", "patch"}, key.Value) && child(value, "responses") != nil && child(value, "x-idempotency") == nil {
				ops = append(ops, value)
			}
		}
		for i, c := range n.Content {
			if n.Kind != yaml.MappingNode || i == 0 || !slices.Contains([]string{"webhooks", "callbacks"}, n.Content[i-1].Value) {
				walk(c)
			}
		}
	}
	walk(s.root)
	offset := func(n *yaml.Node) int { return starts[n.Line-1] + n.Column - 1 }
	slices.SortFunc(ops, func(a, b *yaml.Node) int { return offset(b) - offset(a) })
	ops = slices.Compact(ops)
	for _, op := range ops {
		at, text := offset(op), "x-idempotency: {scope: [tenant], fingerprint: all}\n"+strings.Repeat(" ", op.Column-1)
		if data[at] == '{' {
			at, text = at+1, `"x-idempotency": {"scope": ["tenant"], "fingerprint": "all"}, `
		}
		data = slices.Concat(data[:at], []byte(text), data[at:])
	}
	return data
}

// publicDocuments are the root files of the documents beside the repository.
func publicDocuments(t testing.TB) (out []string) {
	dir := specs(t)
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range list {
		switch ext := filepath.Ext(e.Name()); {
		case e.IsDir():
			out = append(out, filepath.Join(dir, e.Name(), "specs", "spec.yml"))
		case ext != ".md":
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func TestPublicDocumentsLoad(t *testing.T) {
	for _, file := range publicDocuments(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			from := annotating{files: map[string][]byte{}}
			doc, ds, err := load(from, file, Options{})
			require.NoError(t, err)
			for _, d := range ds.All() {
				lines := bytes.Split(from.files[d.Pos.File], []byte("\n"))
				require.True(t, d.Pos.IsValid() && d.Pos.Line <= len(lines), "%s has a place in the file", d)
				assert.LessOrEqual(t, d.Pos.Col, len(lines[d.Pos.Line-1])+1, "%s has a place in the line", d)
				if testing.Verbose() {
					t.Log(d)
				}
			}
			if doc == nil {
				require.True(t, ds.HasErrors(), "no document and no reason")
				return
			}
			t.Logf("%d operations, %d findings", len(doc.Operations), ds.Len())
			checkDocument(t, doc)
		})
	}
}

// checkDocument holds what Document promises.
func checkDocument(t *testing.T, doc *Document) {
	t.Helper()
	seen := map[*Schema]bool{}
	composed := map[*Schema]bool{}
	var walk func(s *Schema)
	walk = func(s *Schema) {
		require.NotNil(t, s)
		require.False(t, composed[s], "a schema consists of itself")
		if seen[s] {
			return
		}
		seen[s] = true
		require.True(t, s.Pos.IsValid())
		require.NotContains(t, s.Types, "null")
		composed[s] = true
		for _, list := range [][]*Schema{s.AllOf, s.OneOf, s.AnyOf} {
			for _, c := range list {
				walk(c)
			}
		}
		composed[s] = false
		held := composed
		composed = map[*Schema]bool{}
		for _, p := range s.Properties {
			require.True(t, p.Pos.IsValid())
			if p.Schema == nil {
				require.True(t, p.Required, "a member without a schema is there because it is demanded")
				continue
			}
			walk(p.Schema)
		}
		if s.Items != nil {
			walk(s.Items)
		}
		if s.Additional.Schema != nil {
			walk(s.Additional.Schema)
		}
		if s.Discriminator != nil {
			for _, b := range s.Discriminator.Mapping {
				walk(b.Schema)
			}
		}
		composed = held
	}
	for _, op := range doc.Operations {
		require.True(t, op.Pos.IsValid())
		for _, p := range op.Parameters {
			require.True(t, p.Pos.IsValid())
			require.NotEmpty(t, p.Style)
			walk(p.Schema)
		}
		if op.Body != nil {
			for _, m := range op.Body.Media {
				walk(m.Schema)
			}
		}
	}
}

func BenchmarkLoadStripe(b *testing.B) {
	file := filepath.Join(specs(b), "stripe-2020.json")
	plain, err := disk{}.read(file)
	require.NoError(b, err)
	from := memory{file: string(annotate(file, plain))}
	b.ReportAllocs()
	for b.Loop() {
		doc, _, err := load(from, file, Options{})
		require.NoError(b, err)
		require.Greater(b, len(doc.Operations), 150)
	}
}

package openapi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// BenchmarkOverlay annotates every POST of a generated document of about 3 MB, one action each: the work must grow
// with the document plus the actions, not with their product.
func BenchmarkOverlay(b *testing.B) {
	for _, paths := range []int{150, 300} {
		doc, actions := largeDocument(paths)
		o, found := parseSource("overlay.yaml", []byte(overlayHead+actions))
		require.Empty(b, short(found))
		b.Run(fmt.Sprintf("actions=%d/bytes=%d", paths, len(doc)), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				s, _ := parseSource("doc.json", []byte(doc))
				var ds diag.List
				b.StartTimer()
				applyOverlay(s, o, &ds)
				require.Zero(b, ds.Len())
			}
		})
	}
}

func largeDocument(paths int) (doc, actions string) {
	var d, a strings.Builder
	property := `"p%d":{"type":"string","description":"` + strings.Repeat("text ", 20) + `","maxLength":5000}`
	d.WriteString(`{"openapi":"3.0.0","paths":{`)
	for i := range paths {
		if i > 0 {
			d.WriteByte(',')
		}
		fmt.Fprintf(&d, `"/v1/things/%d":{"post":{"operationId":"post%d","requestBody":{"content":{"application/json":{"schema":{"properties":{`, i, i)
		for j := range 140 {
			if j > 0 {
				d.WriteByte(',')
			}
			fmt.Fprintf(&d, property, j)
		}
		d.WriteString(`}}}}}}}`)
		fmt.Fprintf(&a, "- target: $.paths['/v1/things/%d'].post\n  update: {x-idempotency: {scope: [tenant], retention: 48h}}\n", i)
	}
	d.WriteString(`}}`)
	return d.String(), a.String()
}

// The largest public document at hand, every POST annotated: nothing is reported, and every one has the annotation.
func TestOverlayOnALargePublicDocument(t *testing.T) {
	file := filepath.Join("..", "..", "shared", "specs", "stripe-2020.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("the public document is not at hand: %v", err)
	}
	s, found := parseSource("stripe.json", data)
	require.Empty(t, short(found))
	var actions strings.Builder
	posts := 0
	for key, item := range entries(child(s.root, "paths")) {
		if child(item, "post") != nil {
			posts++
			fmt.Fprintf(&actions, "- {target: \"$.paths['%s'].post\", update: {x-idempotency: {scope: [tenant]}}}\n", key.Value)
		}
	}
	require.Greater(t, posts, 100)
	o, found := parseSource("overlay.yaml", []byte(overlayHead+actions.String()))
	require.Empty(t, short(found))
	var ds diag.List
	applyOverlay(s, o, &ds)
	require.Empty(t, short(ds))
	annotated := 0
	for _, item := range entries(child(s.root, "paths")) {
		if n := child(child(item, "post"), "x-idempotency"); n != nil {
			annotated++
			require.Equal(t, "overlay.yaml", s.pos(n).File)
		}
	}
	require.Equal(t, posts, annotated)
	t.Logf("%d actions", posts)
}

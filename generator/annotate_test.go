package generator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// everyWrite gives an overlay that annotates each POST and PATCH of the document as `required`, with the scope [tenant], and how
// many there are.
// Operations behind a path item's $ref cannot be reached by an overlay: they are named at the root, by their operationId.
func everyWrite(t testing.TB, document string) (overlay string, annotated int) {
	t.Helper()
	root := readNode(t, document)
	out := "overlay: 1.0.0\ninfo: {title: Every write, version: \"1\"}\nactions:\n"
	byID := ""
	paths := member(root, "paths")
	for i := 0; paths != nil && i+1 < len(paths.Content); i += 2 {
		path, item := paths.Content[i].Value, alias(paths.Content[i+1])
		if ref := member(item, "$ref"); ref != nil && !strings.HasPrefix(ref.Value, "#") {
			file, _, _ := strings.Cut(ref.Value, "#")
			item = readNode(t, filepath.Join(filepath.Dir(document), filepath.FromSlash(file)))
			for _, method := range []string{"post", "patch"} {
				if op := member(item, method); op != nil {
					annotated++
					byID += fmt.Sprintf("          %s: required\n", quote(member(op, "operationId").Value))
				}
			}
			continue
		}
		for _, method := range []string{"post", "patch"} {
			if member(item, method) != nil {
				annotated++
				target := "$.paths['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(path) + "']." + method
				out += fmt.Sprintf("  - {target: %s, update: {x-idempotency: required}}\n", quote(target))
			}
		}
	}
	out += "  - target: $\n    update:\n      x-idempotency:\n        scope: [tenant]\n"
	if byID != "" {
		out += "        operations:\n" + byID
	}
	overlay = filepath.Join(t.TempDir(), "every-write.yaml")
	require.NoError(t, os.WriteFile(overlay, []byte(out), 0o644))
	return overlay, annotated
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func readNode(t testing.TB, file string) *yaml.Node {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var n yaml.Node
	require.NoError(t, yaml.Unmarshal(data, &n), file)
	return alias(n.Content[0])
}

// member finds the value of a mapping's key; nil where there is none.
func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return alias(n.Content[i+1])
		}
	}
	return nil
}

func alias(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

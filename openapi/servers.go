package openapi

import (
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// basePath gives the path of the first server's URL without a trailing slash, its variables replaced by their defaults.
// A relative URL is taken from the host's root: where a document is served from is not known here.
func basePath(s *source, servers *yaml.Node, ds *diag.List) string {
	list := items(servers)
	if len(list) == 0 {
		return ""
	}
	n := child(list[0], "url")
	if n == nil {
		return ""
	}
	base := urlPath(replaceVariables(scalar(n), child(list[0], "variables")))
	if before, rest, ok := strings.Cut(base, "{"); ok {
		variable, _, _ := strings.Cut(rest, "}")
		ds.Add(diag.Diagnostic{Pos: s.pos(n), Code: diag.ServerURL,
			Message: fmt.Sprintf("the variable {%s} of the server's URL has no default; the base path ends before it", variable)})
		base = before[:strings.LastIndexByte(before, '/')+1]
	}
	return strings.TrimRight(base, "/")
}

// replaceVariables puts the defaults of a server's variables in. What has none stays.
func replaceVariables(url string, variables *yaml.Node) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(url, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			b.WriteString(url)
			return b.String()
		}
		b.WriteString(before)
		if n := child(child(variables, name), "default"); n != nil && n.Kind == yaml.ScalarNode {
			b.WriteString(scalar(n))
		} else {
			b.WriteString("{" + name + "}")
		}
		url = after
	}
}

// urlPath gives the path of a URL that may be relative and may hold what no URL holds.
func urlPath(url string) string {
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	scheme, rest, ok := strings.Cut(url, "//")
	switch {
	case ok && (scheme == "" || strings.HasSuffix(scheme, ":") && !strings.Contains(scheme, "/")):
		_, below, found := strings.Cut(rest, "/")
		if !found {
			return ""
		}
		return "/" + below
	case strings.HasPrefix(url, "/"):
		return url
	}
	return path.Clean("/" + url)
}

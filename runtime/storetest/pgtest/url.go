package pgtest

import (
	"net/url"
	"strings"
	"testing"
)

// SchemaURL makes a schema that lives as long as the test, and gives a connection string whose search_path is that schema: for
// programs under test that take one. Like URL it is either a URL or a list of keywords and values.
func SchemaURL(t testing.TB) string {
	t.Helper()
	schema := Config(t).ConnConfig.RuntimeParams["search_path"]
	server := URL(t)
	if !strings.Contains(server, "://") {
		return server + " search_path=" + schema
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("pgtest: read %s: %v", EnvServer, err)
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

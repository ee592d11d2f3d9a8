package pgtest

import (
	"net/url"
	"testing"
)

// SchemaURL makes a schema that lives as long as the test, and gives a connection string whose search_path is that schema: for
// programs under test that take a URL.
func SchemaURL(t testing.TB) string {
	t.Helper()
	schema := Config(t).ConnConfig.RuntimeParams["search_path"]
	u, err := url.Parse(URL(t))
	if err != nil {
		t.Fatalf("pgtest: %s is no URL: %v", EnvServer, err)
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

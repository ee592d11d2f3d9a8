package httptext_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/httptext"
)

func files(name string) ([]byte, error) {
	content, ok := map[string]string{"body.json": "{\r\n\"a\": 1\r\n}\n", "dir/scan.png": "\x89PNG\x00"}[name]
	if !ok {
		return nil, errors.New("no such file: " + name)
	}
	return []byte(content), nil
}

// short writes a request on one line.
func short(r *httptext.Request) string {
	var headers []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		headers = append(headers, fmt.Sprintf("%s=%s", name, strings.Join(r.Header[name], "|")))
	}
	query := ""
	if r.Query != "" {
		query = "?" + r.Query
	}
	return fmt.Sprintf("%s %s%s [%s] %q", r.Method, r.Path, query, strings.Join(headers, " "), r.Body)
}

func TestRequestsAreRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"as on the wire":       {"POST /a%2Fb?x=1&x=%20 HTTP/1.1\r\nHost: h\r\nidempotency-key: k\r\nContent-Length: 3\r\n\r\n{}\n", `POST /a%2Fb?x=1&x=%20 [Content-Length=3 Host=h Idempotency-Key=k] "{}\n"`},
		"of an editor":         {"# a comment\n// another\n\nPOST http://localhost:8080/payments\nContent-Type: application/json\n\n{\n  \"a\": 1\n}\n", `POST /payments [Content-Type=application/json] "{\n  \"a\": 1\n}"`},
		"without a body":       {"DELETE /payments/7", `DELETE /payments/7 [] ""`},
		"two lines of one":     {"GET / HTTP/2\nX-A: 1\nx-a:  2 \n", `GET / [X-A=1|2] ""`},
		"host alone":           {"GET http://localhost:8080", `GET / [] ""`},
		"blank lines in body":  {"POST / \n\n\n\na\n\n", `POST / [] "\n\na\n"`},
		"byte order mark":      {"\xEF\xBB\xBFGET /x", `GET /x [] ""`},
		"curl":                 {`curl http://localhost:8080/x?q=1`, `GET /x?q=1 [] ""`},
		"curl without scheme":  {`curl localhost:8080/x`, `GET /x [] ""`},
		"curl data":            {"$ curl -sSX PUT \\\n  -H 'Idempotency-Key: k 1' -H \"Content-Type: application/json\" \\\n -d '{\"a\":\"it'\"'\"'s\"}' http://h/x", `PUT /x [Content-Type=application/json Idempotency-Key=k 1] "{\"a\":\"it's\"}"`},
		"curl data joined":     {`curl h/x -d a=1 --data-urlencode 'b=ä &' --data-raw @c --data-urlencode '=d e' --data-urlencode 'f g'`, `POST /x [Content-Type=application/x-www-form-urlencoded] "a=1&b=%C3%A4+%26&@c&d+e&f+g"`},
		"curl data in query":   {`curl -G h/x?a=1 -d b=2`, `GET /x?a=1&b=2 [] ""`},
		"curl json":            {`curl --json '{"a":' --json '1}' h/x`, `POST /x [Content-Type=application/json] "{\"a\":1}"`},
		"curl data of a file":  {`curl -d @body.json -H 'Content-Type: application/json' h/`, `POST / [Content-Type=application/json] "{\"a\": 1}"`},
		"curl binary file":     {`curl --data-binary @body.json h/ -H content-type:application/json`, `POST / [Content-Type=application/json] "{\r\n\"a\": 1\r\n}\n"`},
		"curl of a browser":    {`curl 'https://h/x' --compressed -H $'x-a: it\'s \u00e4' -b 'c=1' -A agent`, `GET /x [Cookie=c=1 User-Agent=agent X-A=it's ä] ""`},
		"curl header emptied":  {`curl h/ -H 'Accept:' -H 'X-Empty;' -H 'A: 1' -H 'A:'`, `GET / [X-Empty=] ""`},
		"curl head":            {`curl -I h/x`, `HEAD /x [] ""`},
		"curl form":            {`curl -F a=1 -F 'b={"x":1};type=application/json' h/`, "POST / [Content-Type=multipart/form-data; boundary=idemgen-boundary] \"--idemgen-boundary\\r\\nContent-Disposition: form-data; name=\\\"a\\\"\\r\\n\\r\\n1\\r\\n--idemgen-boundary\\r\\nContent-Disposition: form-data; name=\\\"b\\\"\\r\\nContent-Type: application/json\\r\\n\\r\\n{\\\"x\\\":1}\\r\\n--idemgen-boundary--\\r\\n\""},
		"curl form with files": {`curl -F f=@dir/scan.png -F 'g=<body.json' --form-string h=@x h/`, "POST / [Content-Type=multipart/form-data; boundary=idemgen-boundary] \"--idemgen-boundary\\r\\nContent-Disposition: form-data; name=\\\"f\\\"; filename=\\\"scan.png\\\"\\r\\nContent-Type: application/octet-stream\\r\\n\\r\\n\\x89PNG\\x00\\r\\n--idemgen-boundary\\r\\nContent-Disposition: form-data; name=\\\"g\\\"\\r\\n\\r\\n{\\r\\n\\\"a\\\": 1\\r\\n}\\n\\r\\n--idemgen-boundary\\r\\nContent-Disposition: form-data; name=\\\"h\\\"\\r\\n\\r\\n@x\\r\\n--idemgen-boundary--\\r\\n\""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := httptext.Parse([]byte(c.text), files)
			require.NoError(t, err)
			assert.Equal(t, c.want, short(r))
		})
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":             {" \n", "empty"},
		"comments alone":      {"# x\n", "no request line"},
		"no method":           {"/payments", "line 1: a request begins with a method"},
		"small method":        {"post /payments", "line 1: a request begins with a method"},
		"blank in target":     {"POST /a b", "line 1: a target has no blanks"},
		"relative target":     {"POST payments", "line 1: \"payments\" is neither"},
		"no header":           {"GET /\nX-A 1\n", "line 2: \"X-A 1\" is no header"},
		"folded header":       {"GET /\nX-A: 1\n  2\n", "line 3: a header's line is continued"},
		"blank before colon":  {"GET /\nX-A : 1", "line 2:"},
		"length too large":    {"POST /\nContent-Length: 9\n\n{}", "Content-Length is 9 and the body has 2"},
		"length no number":    {"POST /\nContent-Length: x\n\n{}", "Content-Length is x"},
		"chunked":             {"POST /\nTransfer-Encoding: chunked\n\n2\r\n{}", "Transfer-Encoding"},
		"several":             {"POST /\n\na\n### next\nGET /", "several requests"},
		"curl without URL":    {"curl -d a", "no URL"},
		"curl two URLs":       {"curl h/a h/b", "two URLs"},
		"curl unknown option": {"curl --frobnicate h/", "unknown flag: --frobnicate"},
		"curl variable":       {"curl $HOST/x", "uses $HOST"},
		"curl substitution":   {"curl $(cat x)", "runs another command"},
		"curl two commands":   {"curl h/; curl h/", "more than one command"},
		"curl pipe":           {"curl h/ | jq", "more than one command"},
		"curl redirected":     {"curl -d @- h/ < body.json", "redirected"},
		"curl open quote":     {"curl 'h/", "cannot be read"},
		"curl missing file":   {"curl -d @nowhere h/", "no such file: nowhere"},
		"curl stdin":          {"curl -d @- h/", "standard input"},
		"curl two kinds":      {"curl -d a=1 -F b=2 h/", "exclude each other"},
		"curl method":         {"curl -X post h/", "no method"},
		"curl part":           {"curl -F a h/", "is no part"},
		"curl part option":    {"curl -F 'a=1;encoder=8bit' h/", ";encoder=8bit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := httptext.Parse([]byte(c.text), files)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("POST /a?b HTTP/1.1\r\nA: b\r\n\r\nbody")
	f.Add("curl -X00,0 0")
	f.Add("curl -sX POST 'h/x' -H 'a: b' -d @f -F a=@b;type=x $'\\x41'")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := httptext.Parse([]byte(text), files)
		if err != nil {
			require.Nil(t, r)
			return
		}
		require.NotEmpty(t, r.Method)
		require.True(t, strings.HasPrefix(r.Path, "/"))
		_, err = http.NewRequest(r.Method, "http://h"+r.Path, nil)
		require.NoError(t, err)
	})
}

package httptext

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/pflag"
)

// parseCurl reads a command line as curl does (its manual, https://curl.se/docs/manpage.html). Options that say how to connect or what to
// print are taken and mean nothing here.
func parseCurl(text string, read ReadFunc) (*Request, error) {
	words, err := shellWords(text)
	if err != nil {
		return nil, err
	}
	c := &curl{request: &Request{Header: http.Header{}}, read: read}
	set := c.options()
	if err := set.Parse(words[1:]); err != nil {
		return nil, err
	}
	return c.finish(set.Args())
}

// curl collects what options say.
type curl struct {
	request *Request
	read    ReadFunc

	url    string
	data   []string // pieces that an ampersand joins
	json   string
	isJSON bool
	parts  []formPart
	get    bool
	head   bool
}

// option takes the values of one option, in the order in which they stand on the command line.
type option struct {
	take func(value string) error
}

func (o option) Set(value string) error { return o.take(value) }
func (option) String() string           { return "" }
func (option) Type() string             { return "string" }

// Options that do not change what is asked for.
var (
	silentFlags = []string{
		"silent/s", "show-error/S", "verbose/v", "include/i", "insecure/k", "location/L", "fail/f", "globoff/g", "no-buffer/N", "compressed",
		"http1.1", "http2", "fail-with-body", "path-as-is", "location-trusted", "no-progress-meter",
	}
	silentValues = []string{
		"output/o", "max-time/m", "connect-timeout", "proxy/x", "cacert", "cert/E", "key", "write-out/w", "retry", "user/u", "resolve",
		"unix-socket", "interface", "dump-header/D", "cookie-jar/c", "oauth2-bearer",
	}
)

func (c *curl) options() *pflag.FlagSet {
	set := pflag.NewFlagSet("curl", pflag.ContinueOnError)
	set.Usage = func() {}
	value := func(names string, take func(string) error) {
		name, short, _ := strings.Cut(names, "/")
		set.VarP(option{take}, name, short, "")
	}
	for _, names := range silentFlags {
		name, short, _ := strings.Cut(names, "/")
		set.BoolP(name, short, false, "")
	}
	for _, names := range silentValues {
		value(names, func(string) error { return nil })
	}
	set.BoolVarP(&c.get, "get", "G", false, "")
	set.BoolVarP(&c.head, "head", "I", false, "")
	value("request/X", func(v string) error { c.request.Method = v; return nil })
	value("url", c.setURL)
	value("header/H", c.addHeader)
	value("user-agent/A", func(v string) error { c.request.Header.Set("User-Agent", v); return nil })
	value("referer/e", func(v string) error { c.request.Header.Set("Referer", v); return nil })
	value("cookie/b", func(v string) error { c.request.Header.Set("Cookie", v); return nil })
	value("data/d", c.addData(stripped))
	value("data-ascii", c.addData(stripped))
	value("data-binary", c.addData(asItIs))
	value("data-raw", func(v string) error { c.data = append(c.data, v); return nil })
	value("data-urlencode", c.addEncoded)
	value("json", c.addJSON)
	value("form/F", c.addPart(true))
	value("form-string", c.addPart(false))
	return set
}

func (c *curl) setURL(text string) error {
	if c.url != "" {
		return errors.New("it has two URLs: give one")
	}
	c.url = text
	return nil
}

// addHeader follows curl: "Name;" is a header without a value, and "Name:" takes a header away.
func (c *curl) addHeader(text string) error {
	name, value, ok := strings.Cut(text, ":")
	if !ok && strings.HasSuffix(text, ";") {
		return c.request.header(strings.TrimSuffix(text, ";") + ":")
	}
	if ok && strings.TrimSpace(value) == "" {
		c.request.Header.Del(name)
		return nil
	}
	return c.request.header(text)
}

// stripped is what --data makes of a file: line breaks and NUL are left out.
func stripped(content string) string {
	return strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(content)
}

func asItIs(content string) string { return content }

func (c *curl) addData(of func(string) string) func(string) error {
	return func(v string) error {
		if file, ok := strings.CutPrefix(v, "@"); ok {
			content, err := c.file(file)
			if err != nil {
				return err
			}
			v = of(content)
		}
		c.data = append(c.data, v)
		return nil
	}
}

func (c *curl) file(name string) (string, error) {
	if name == "-" {
		return "", errors.New("a body from standard input is not known: give the body itself")
	}
	content, err := c.read(name)
	return string(content), err
}

// addEncoded reads the five forms of --data-urlencode.
func (c *curl) addEncoded(v string) error {
	name, content, found := strings.Cut(v, "=")
	if !found {
		var file string
		if name, file, found = strings.Cut(v, "@"); found {
			var err error
			if content, err = c.file(file); err != nil {
				return err
			}
		} else {
			name, content = "", v
		}
	}
	piece := url.QueryEscape(content)
	if name != "" {
		piece = name + "=" + piece
	}
	c.data = append(c.data, piece)
	return nil
}

func (c *curl) addJSON(v string) error {
	c.isJSON = true
	if file, ok := strings.CutPrefix(v, "@"); ok {
		content, err := c.file(file)
		c.json += content
		return err
	}
	c.json += v
	return nil
}

// finish puts the request together.
func (c *curl) finish(urls []string) (*Request, error) {
	for _, u := range urls {
		if err := c.setURL(u); err != nil {
			return nil, err
		}
	}
	if c.url == "" {
		return nil, errors.New("it has no URL")
	}
	if !strings.Contains(c.url, "://") {
		c.url = "http://" + c.url
	}
	r := c.request
	if err := r.target(c.url); err != nil {
		return nil, err
	}
	kinds := 0
	for _, given := range []bool{len(c.data) > 0, c.isJSON, len(c.parts) > 0} {
		if given {
			kinds++
		}
	}
	if kinds > 1 {
		return nil, errors.New("--data, --json and --form exclude each other")
	}
	usual, err := c.setBody(r)
	if err != nil {
		return nil, err
	}
	if c.head {
		usual = http.MethodHead
	}
	if r.Method == "" {
		r.Method = usual
	}
	if !method.MatchString(r.Method) {
		return nil, fmt.Errorf("%q is no method", r.Method)
	}
	return r, nil
}

// setBody gives the body, its type unless a header says another one, and the method that goes with it.
func (c *curl) setBody(r *Request) (method string, err error) {
	mediaType := "application/x-www-form-urlencoded"
	switch {
	case len(c.data) > 0 && c.get:
		r.Query = strings.Trim(r.Query+"&"+strings.Join(c.data, "&"), "&")
		return http.MethodGet, nil
	case len(c.data) > 0:
		r.Body = []byte(strings.Join(c.data, "&"))
	case c.isJSON:
		r.Body, mediaType = []byte(c.json), "application/json"
	case len(c.parts) > 0:
		if r.Body, mediaType, err = multipartBody(c.parts); err != nil {
			return "", err
		}
	default:
		return http.MethodGet, nil
	}
	if r.Header.Get("Content-Type") == "" || len(c.parts) > 0 {
		r.Header.Set("Content-Type", mediaType)
	}
	return http.MethodPost, nil
}

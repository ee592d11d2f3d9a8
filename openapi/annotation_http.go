package openapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// The statuses that a problem may have, and those that keep can except: below 400 a client is told that its command took effect.
const (
	minStatus = 400
	maxStatus = 599
)

// keep reads {except: [statuses]}.
func (r reader) keep(n *yaml.Node) Val[[]Val[int]] {
	except := unset[[]Val[int]](r.s.pos(n))
	written := false
	if n.Kind == yaml.SequenceNode {
		statuses := make([]string, len(n.Content))
		for i, entry := range n.Content {
			statuses[i] = entry.Value
		}
		r.wrongType(n, "keep", `an object with "except"`, "keep: {except: ["+strings.Join(statuses, ", ")+"]}")
		return except
	}
	if r.object(n, "keep", []memberReader{
		{"except", func(m member) { written, except = true, r.statuses(m.value) }},
	}) && !written {
		r.reportHint(n, diag.AnnotationMissing, "keep: {except: [429, 503]}", "keep says nothing; it needs except")
	}
	return except
}

func (r reader) statuses(n *yaml.Node) Val[[]Val[int]] {
	entries, ok := r.items(n, "keep.except", 0)
	if !ok {
		return unset[[]Val[int]](r.s.pos(n))
	}
	statuses := make([]Val[int], 0, len(entries))
	seen := newListed(r, "keep.except")
	for _, entry := range entries {
		if status := r.integer(entry, "an entry of keep.except", minStatus, maxStatus); status.Set && seen.add(entry, strconv.Itoa(status.Value)) {
			statuses = append(statuses, status)
		}
	}
	return set(r, n, statuses)
}

// replay reads {headers, marker}.
func (r reader) replay(m member) Replay {
	replay := newReplay(r.s.pos(m.value))
	listed := newListed(r, "replay.headers")
	replay.Set = r.object(m.value, "replay", []memberReader{
		{"headers", func(m member) { replay.Headers = r.replayHeaders(m.value, listed) }},
		{"marker", func(m member) { replay.Marker = r.header(m.value, "replay.marker") }},
	})
	if first, both := listed.at[lowerASCII(replay.Marker.Value)]; both && replay.Marker.Set {
		r.ds.Add(diag.Diagnostic{Pos: replay.Marker.Pos, Code: diag.AnnotationTwice,
			Message: "replay.marker " + replay.Marker.Value + " is one of replay.headers; the marker would hide the stored header",
			Related: []diag.Related{{Pos: r.s.pos(first), Message: "listed here"}}})
	}
	return replay
}

func (r reader) replayHeaders(n *yaml.Node, seen listed) Val[[]Val[string]] {
	entries, ok := r.items(n, "replay.headers", 0)
	if !ok {
		return unset[[]Val[string]](r.s.pos(n))
	}
	headers := make([]Val[string], 0, len(entries))
	for _, entry := range entries {
		if h := r.header(entry, "an entry of replay.headers"); h.Set && seen.add(entry, lowerASCII(h.Value)) {
			headers = append(headers, h)
		}
	}
	return set(r, n, headers)
}

// header reads the name of a response header that a replay may carry.
func (r reader) header(n *yaml.Node, what string) Val[string] {
	none := unset[string](r.s.pos(n))
	name, ok := r.text(n, what)
	if !ok {
		return none
	}
	if !isToken(name) {
		r.report(n, diag.AnnotationHeaderName, "%s: %s is not a header name (a token of RFC 9110)", what, quoteText(name))
		return none
	}
	if why := refusedHeader(name); why != "" {
		r.report(n, diag.AnnotationHeader, "%s: %s %s", what, name, why)
		return none
	}
	return set(r, n, name)
}

// Reasons why a response header is never listed under replay.
const (
	whyAuth    = "belongs to one caller's authentication and is never stored"
	whyCookie  = "belongs to one caller's session and is never stored"
	whyConn    = "belongs to one connection and is never stored"
	whyFraming = "is made anew for every response"
	whyAlways  = "is always stored; it is not listed"
)

// refusedHeaders are the names in lower case; everything with proxy- in front is refused as well.
var refusedHeaders = map[string]string{
	"set-cookie": whyCookie, "set-cookie2": whyCookie, "cookie": whyCookie, "clear-site-data": whyCookie,
	"authorization": whyAuth, "www-authenticate": whyAuth, "authentication-info": whyAuth,
	"connection": whyConn, "keep-alive": whyConn, "te": whyConn, "trailer": whyConn, "transfer-encoding": whyConn, "upgrade": whyConn,
	"content-length": whyFraming, "content-range": whyFraming, "date": whyFraming,
	"content-type": whyAlways, "content-encoding": whyAlways, "content-language": whyAlways,
}

func refusedHeader(name string) string {
	name = lowerASCII(name)
	if name == "proxy-connection" {
		return whyConn
	}
	if strings.HasPrefix(name, "proxy-") {
		return whyAuth
	}
	return refusedHeaders[name]
}

// errors reads the statuses of an operation's problems, and where they are documented.
func (r reader) errors(m member) Errors {
	e := newErrors(r.s.pos(m.value))
	status := func(name string, to *Val[int]) memberReader {
		return memberReader{name, func(m member) { *to = r.integer(m.value, "errors."+name, minStatus, maxStatus) }}
	}
	e.Set = r.object(m.value, "errors", []memberReader{
		status("missing", &e.Missing), status("malformed", &e.Malformed), status("mismatch", &e.Mismatch),
		status("inFlight", &e.InFlight), status("unknown", &e.Unknown), status("unavailable", &e.Unavailable),
		{"docs", func(m member) { e.Docs = r.docs(m.value) }},
	})
	return e
}

// docs reads the link of the problems. It stands in a response header, so it is an absolute URI and plain ASCII.
func (r reader) docs(n *yaml.Node) Val[string] {
	text, ok := r.text(n, "errors.docs")
	if !ok {
		return unset[string](r.s.pos(n))
	}
	link, err := url.Parse(text)
	plain := !slices.ContainsFunc([]byte(text), func(c byte) bool { return c <= 0x20 || c >= 0x7F || strings.IndexByte(`<>"\^{|}`+"`", c) >= 0 })
	if err != nil || !plain || link.Host == "" || link.Scheme != "https" && link.Scheme != "http" {
		r.report(n, diag.AnnotationText, "errors.docs must be an absolute http or https URL, not %s", quoteText(text))
		return unset[string](r.s.pos(n))
	}
	return set(r, n, text)
}

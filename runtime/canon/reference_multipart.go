package canon

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	refToken  = "[a-zA-Z0-9!#$%&'*+.^_`|~-]+"
	refQuoted = `"(?:[^"\\]|\\.)*"`

	refMostParts      = 1000
	refMostParameters = 16
)

var (
	refTypeParameter = regexp.MustCompile(`(?s)^[ \t]*(` + refToken + `)[ \t]*=[ \t]*(` + refToken + `|` + refQuoted + `)[ \t]*$`)
	refBoundaryForm  = regexp.MustCompile("^[a-zA-Z0-9!#$%&'*+.^_`|~(),/:=? -]{0,69}[a-zA-Z0-9!#$%&'*+.^_`|~(),/:=?-]$") // RFC 2046, and tokens
	refHeaderLine    = regexp.MustCompile(`^(` + refToken + `):([^\x00-\x08\x0a-\x1f\x7f]*)$`)
	refDisposition   = regexp.MustCompile(`^(?i:form-data)[ \t]*((?:;[ \t]*` + refToken + `=(?:` + refToken + `|` + refQuoted + `)[ \t]*)+)$`)
	refPartParameter = regexp.MustCompile(`;[ \t]*(` + refToken + `)=(` + refToken + `|` + refQuoted + `)`)
	refListedName    = regexp.MustCompile(`^([^\[\]]*)(?:\[\]|\[(?:0|[1-9][0-9]{0,8})\])?$`) // files, files[], files[0]
	refNoControl     = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

// refReadMultipart makes a tree of a multipart/form-data body (RFC 7578), as refReadForm does of a form. What two readers of such bodies could
// divide otherwise is refused: whatever follows a line end and begins like the boundary is one, wherever it stands, and lines end with CR LF.
func refReadMultipart(body string, listed []Part, parameters []string) (*refValue, *Refusal) {
	boundary, ok := refBoundary(parameters)
	if !ok {
		return nil, refRefuse("header.content-type", -1, "a multipart body without a boundary of 1 to 70 characters")
	}
	if strings.HasPrefix(body, "--"+boundary) {
		body = "\r\n" + body
	}
	texts := strings.Split(body, "\r\n--"+boundary)
	last := len(texts) - 1
	closing, closed := strings.CutPrefix(texts[last], "--")
	switch {
	case texts[0] != "" || last == 0:
		return nil, refRefuse("body", -1, "a boundary is expected")
	case !closed || strings.Trim(strings.TrimSuffix(closing, "\r\n"), " \t") != "":
		return nil, refRefuse("body", -1, "the body does not end with its boundary")
	case last-1 > refMostParts:
		return nil, refRefuse("body", -1, "more than 1000 parts")
	}
	var pieces []refPiece
	for _, text := range texts[1:last] {
		p, reason := refReadPart(text, listed)
		if reason != "" {
			return nil, refRefuse("body", -1, reason)
		}
		pieces = append(pieces, p)
	}
	return refFormTree(pieces)
}

// refBoundary finds the boundary among the parameters of the Content-Type, all of which have to be well formed. One semicolon may end them.
func refBoundary(parameters []string) (boundary string, ok bool) {
	if n := len(parameters); n > 0 && strings.Trim(parameters[n-1], " \t") == "" {
		parameters = parameters[:n-1]
	}
	found := 0
	for _, p := range parameters {
		parts := refTypeParameter.FindStringSubmatch(p)
		if parts == nil || !refNoControl.MatchString(p) {
			return "", false
		}
		switch name := refLower(parts[1]); {
		case strings.HasPrefix(name, "boundary*"): // extended or continued (RFC 2231): others may read it otherwise
			return "", false
		case name == "boundary":
			boundary = strings.TrimSuffix(strings.TrimPrefix(parts[2], `"`), `"`)
			found++
		}
	}
	return boundary, found == 1 && refBoundaryForm.MatchString(boundary)
}

// refReadPart reads what stands between two boundaries: the rest of the boundary's line, header lines, an empty line, the content.
func refReadPart(text string, listed []Part) (p refPiece, reason string) {
	padding, text, ok := strings.Cut(text, "\r\n")
	if !ok || strings.Trim(padding, " \t") != "" {
		return p, "a boundary with something after it"
	}
	head, content, ok := strings.Cut(text, "\r\n\r\n")
	if !ok { // no content, not even a line end: that of the empty line is the boundary's
		head, ok = strings.CutSuffix(text, "\r\n")
	}
	if !ok {
		return p, "a part without an empty line"
	}
	header, reason := refPartHeader(head)
	if reason != "" {
		return p, reason
	}
	p = refPiece{text: content}
	if p.name, reason = refPartName(header["content-disposition"]); reason != "" {
		return p, reason
	}
	if base := refListedName.FindStringSubmatch(p.name); base != nil {
		if i := slices.IndexFunc(listed, func(l Part) bool { return l.Name == base[1] }); i >= 0 {
			p.kind = listed[i].Kind
		}
	}
	return p, refPartContent(p, header)
}

// refPartHeader reads header lines: their values by lower-case name.
func refPartHeader(head string) (header map[string][]string, reason string) {
	header = map[string][]string{}
	for line := range strings.SplitSeq(head, "\r\n") {
		parts := refHeaderLine.FindStringSubmatch(line)
		if parts == nil {
			return nil, "a header line of a part is malformed"
		}
		name := refLower(parts[1])
		header[name] = append(header[name], strings.Trim(parts[2], " \t"))
	}
	return header, ""
}

// refPartName finds the name in the Content-Disposition of a part. A backslash stands before a quote or another one only.
func refPartName(dispositions []string) (name, reason string) {
	if len(dispositions) != 1 {
		return "", "a part without one Content-Disposition: form-data with a name"
	}
	parts := refDisposition.FindStringSubmatch(dispositions[0])
	if parts == nil {
		return "", "a Content-Disposition that is no form-data, or has a parameter that is malformed"
	}
	parameters := refPartParameter.FindAllStringSubmatch(parts[1], -1)
	if len(parameters) > refMostParameters {
		return "", "more than 16 parameters"
	}
	seen := map[string]bool{}
	for _, p := range parameters {
		parameter, value := refLower(p[1]), p[2]
		switch {
		case seen[parameter]:
			return "", "a parameter stands there twice"
		case strings.HasPrefix(parameter, "name*"): // extended or continued (RFC 2231): others may read it otherwise
			return "", "an extended name"
		}
		seen[parameter] = true
		if parameter != "name" {
			continue
		}
		name = value
		if inner, quoted := strings.CutPrefix(value, `"`); quoted {
			plain := strings.NewReplacer(`\\`, "", `\"`, "").Replace(inner)
			if strings.Contains(plain, `\`) {
				return "", "a backslash in a name"
			}
			name = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(inner, `"`))
		}
	}
	if name == "" {
		return "", "a part without a name"
	}
	return name, ""
}

// refPartContent says what is wrong with the way in which a part's content is sent; empty when nothing is.
func refPartContent(p refPiece, header map[string][]string) (reason string) {
	for _, encoding := range header["content-transfer-encoding"] {
		if !slices.Contains([]string{"7bit", "8bit", "binary"}, refLower(encoding)) {
			return "a Content-Transfer-Encoding other than 7bit, 8bit and binary"
		}
	}
	types := header["content-type"]
	switch {
	case len(types) > 1:
		return "a Content-Type that stands there twice"
	case len(types) == 1:
		parts := refParameters(types[0])
		if mediaType := refLower(strings.Trim(parts[0], " \t")); strings.HasPrefix(mediaType+"/", "multipart/") {
			return "a multipart body in a part"
		}
		if p.kind != FilePart && !refUTF8(parts[1:]) {
			return "the charset is not UTF-8"
		}
	}
	if p.kind == TextPart && !utf8.ValidString(p.text) {
		return "invalid UTF-8"
	}
	return ""
}

package textgen

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/templates"
)

// Markdown writes the sheet for those who call the API: for every operation the key, what makes two requests the same, and what it answers.
// doc is the document that api was built of.
func Markdown(doc *openapi.Document, api *contract.API) ([]byte, error) {
	s := sheet{Title: prose(doc.Title), Document: code(path.Base(doc.File))}
	if s.Title == "" {
		s.Title = s.Document
	}
	for _, c := range api.Contracts {
		op, err := operationOf(doc, api, c)
		if err != nil {
			return nil, err
		}
		s.Operations = append(s.Operations, op)
		s.Leased = s.Leased || c.Execution == contract.Leased
		s.Transactional = s.Transactional || c.Execution != contract.Leased
	}
	linkUnique(s.Operations)
	return execute("sheet.md.tmpl", s)
}

func execute(name string, data any) ([]byte, error) {
	t, err := template.New(name).ParseFS(templates.Files, "*.md.tmpl")
	if err != nil {
		return nil, fmt.Errorf("textgen: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("textgen: %w", err)
	}
	return out.Bytes(), nil
}

// sheet is what the template's holes take.
type sheet struct {
	Title, Document       markdown
	Operations            []*operation
	Transactional, Leased bool
}

// operation is one operation's part of the sheet.
type operation struct {
	plainName string
	Name      markdown
	Link      markdown // the name, as a link to its part where the name makes one
	Request   markdown
	Summary   markdown // with its colon; or empty
	Key       keyTerms
	Kept      markdown
	Forever   bool
	Scope     markdown
	Sharers   markdown
	Compared  []compared
	Compares  bool
	Branches  bool // a path of Compared goes through a kind of value
	Ignored   markdown
	Unknown   markdown
	Unique    markdown
	Wait      markdown
	Leased    bool
	Lease     markdown
	Takeover  string
	Excepted  markdown
	Stores400 bool
	Marker    markdown
	Headers   markdown
	Docs      markdown
	Answers   []row
	Curl      markdown
}

// row is a line of the table of answers.
type row struct {
	Status, Code, When, Then, Retry markdown
}

// keyTerms say where the key stands and what it is.
type keyTerms struct {
	Where, Length, Text markdown
	Required            bool
}

func operationOf(doc *openapi.Document, api *contract.API, c *contract.Contract) (*operation, error) {
	op := &operation{
		plainName: c.Name, Name: code(c.Name), Link: code(c.Name), Request: requestText(c), Key: keyTermsOf(&c.Key),
		Kept: markdown(spell(c.Retention)), Forever: c.Retention == contract.Forever, Scope: scopeText(c.Scope),
		Sharers: listed(codes(sharers(api, c))), Compares: c.Compare,
		Leased: c.Execution == contract.Leased, Takeover: c.Takeover, Lease: markdown(spell(c.Lease)),
		Marker: code(c.ReplayMarker + ": true"), Headers: listed(codes(headerNames(c.ReplayHeaders))),
		Curl: fenced("sh", curl(api, c, operationIn(doc, c.Method, c.Path, c.Webhook))),
	}
	if c.Summary != "" {
		op.Summary = ": " + prose(c.Summary)
	}
	if c.Docs != "" {
		op.Docs = code(c.Docs)
	}
	if c.Wait > 0 {
		op.Wait = markdown(spell(c.Wait))
	}
	if c.Unique != nil {
		op.Unique = listed(codes(c.Unique.Paths))
	}
	op.Stores400 = !slices.Contains(c.KeepExcept, http.StatusBadRequest)
	for i, status := range c.KeepExcept {
		if i > 0 {
			op.Excepted += ", "
		}
		op.Excepted += markdown(strconv.Itoa(status))
	}
	for _, a := range answersOf(api, c) {
		op.Answers = append(op.Answers, row{Status: markdown(strconv.Itoa(a.status)), Code: code(string(a.code)), When: markdown(a.when),
			Then: markdown(a.then), Retry: a.retryText()})
	}
	return op, op.compare(&c.Version)
}

// compare tells what makes two requests the same.
func (op *operation) compare(v *contract.Version) (err error) {
	if !op.Compares {
		return nil
	}
	op.Compared, err = comparedOf(v)
	for _, f := range v.Fields {
		op.Branches = op.Branches || contract.PlainPath(f.Path) != f.Path
	}
	op.Ignored = listed(codes(v.Ignored))
	op.Unknown = unknownText(v)
	return err
}

func requestText(c *contract.Contract) markdown {
	if c.Webhook != "" {
		return "webhook " + code(c.Webhook)
	}
	return code(c.Method + " " + c.Path)
}

func keyTermsOf(k *contract.Key) keyTerms {
	t := keyTerms{Required: k.Required, Length: markdown(fmt.Sprintf("%d to %d", k.MinLength, k.MaxLength)), Text: "visible ASCII characters"}
	if k.MinLength == k.MaxLength {
		t.Length = markdown(strconv.Itoa(k.MinLength))
	}
	switch k.In {
	case openapi.InHeader.String():
		t.Where = "the header " + code(k.Name)
		t.Text += " without `\"`, `,` and `;`, bare or as a quoted string (RFC 8941): `abc` and `\"abc\"` are one key"
	case openapi.InQuery.String():
		t.Where = "the query parameter " + code(k.Name)
	case openapi.InPath.String():
		t.Where = "the path parameter " + code(k.Name)
	default:
		t.Where = "the member " + code(strings.TrimPrefix(k.From, "body.")) + " of the body"
	}
	if k.Format != "" {
		t.Text += "; it is a UUID"
	}
	if k.Numbers {
		t.Text += "; a number is taken as its text"
	}
	return t
}

// headerNames spells names as people do. Go's form of ETag is Etag.
func headerNames(names []string) []string {
	out := slices.Clone(names)
	if i := slices.Index(out, "Etag"); i >= 0 {
		out[i] = "ETag"
	}
	return out
}

// scopeText says whom a key belongs to.
func scopeText(terms []contract.ScopeTerm) markdown {
	out := make([]markdown, len(terms))
	for i, t := range terms {
		switch {
		case t.Literal != "":
			out[i] = "everybody"
		case t.Dimension >= 0:
			out[i] = "the caller's " + code(t.Text)
		default:
			out[i] = code(t.Text) + " of the request"
		}
	}
	return listed(out)
}

// headingName is a name whose heading every renderer gives the same anchor.
var headingName = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// linkUnique makes links of the names whose headings can be told apart.
func linkUnique(ops []*operation) {
	times := map[string]int{"retrying": 1, "states": 1, "operations": 1, "answers": 1, "example": 1, "comparison": 1}
	for _, op := range ops {
		times[strings.ToLower(op.plainName)]++
	}
	for _, op := range ops {
		if heading := strings.ToLower(op.plainName); headingName.MatchString(op.plainName) && times[heading] == 1 {
			op.Link = link(op.Name, heading)
		}
	}
}

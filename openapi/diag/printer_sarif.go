package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// SARIFPrinter writes a log of the Static Analysis Results Interchange Format, version 2.1.0 (OASIS standard, errata 01),
// which code-scanning services read. Every code of the table is a rule of the log, found or not; a finding that somebody has accepted is
// a result that is suppressed, with the reason.
type SARIFPrinter struct {
	// Read gives the lines from which columns are counted: SARIF counts characters, and a [Pos] counts bytes.
	// Where a line cannot be read the column is left out.
	Read ReadFunc
}

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage     = "https://github.com/idemgen/idemgen"
)

// The types name the properties of the standard's section 3 that the printer writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string             `json:"id"`
		ShortDescription     sarifText          `json:"shortDescription"`
		FullDescription      sarifText          `json:"fullDescription"`
		Help                 sarifHelp          `json:"help"`
		DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId,omitempty"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		// Suppressions is nil for all results or for none (section 3.27.23).
		Suppressions *[]sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

// Print implements [Printer].
func (p SARIFPrinter) Print(w io.Writer, ds []Diagnostic) error {
	rules, index := sarifRules()
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "idemgen", InformationURI: homepage, Rules: rules}},
		ColumnKind: "unicodeCodePoints",
		Results:    make([]sarifResult, 0, len(ds)),
	}
	files := &lineCache{read: p.Read}
	some := slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Accepted != "" })
	for _, d := range ds {
		r := sarifResultOf(d, index, files)
		if some {
			r.Suppressions = sarifSuppressions(d)
		}
		run.Results = append(run.Results, r)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifLog{sarifSchema, sarifVersion, []sarifRun{run}}); err != nil {
		return fmt.Errorf("diag: print: %w", err)
	}
	return nil
}

// sarifRules gives a rule for each row of the table, and where each code stands among them.
func sarifRules() ([]sarifRule, map[Code]int) {
	rules := make([]sarifRule, 0, len(table))
	index := make(map[Code]int, len(table))
	for i, info := range table {
		index[info.Code] = i
		rules = append(rules, sarifRule{
			ID:                   string(info.Code),
			ShortDescription:     sarifText{info.Title},
			FullDescription:      sarifText{info.Explanation},
			Help:                 sarifHelp{Text: info.Text(), Markdown: info.Markdown()},
			DefaultConfiguration: sarifConfiguration{sarifLevel(info.Severity)},
		})
	}
	return rules, index
}

// sarifLevel gives the level of section 3.27.10.
func sarifLevel(s Severity) string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

func sarifResultOf(d Diagnostic, index map[Code]int, files *lineCache) sarifResult {
	text := d.Message
	if d.Hint != "" {
		text += "\n\n" + d.Hint
	}
	r := sarifResult{RuleID: string(d.Code), Level: sarifLevel(d.severity()), Message: sarifText{text}}
	if i, ok := index[d.Code]; ok {
		r.RuleIndex = &i
	}
	if at, ok := sarifPlace(d.Pos, d.End, files); ok {
		r.Locations = []sarifLocation{{Physical: at}}
	}
	for _, other := range d.Related {
		if at, ok := sarifPlace(other.Pos, Pos{}, files); ok {
			r.Related = append(r.Related, sarifLocation{ID: len(r.Related) + 1, Physical: at, Message: &sarifText{other.Message}})
		}
	}
	return r
}

// sarifSuppressions says that somebody has accepted d, in a file apart from the document.
func sarifSuppressions(d Diagnostic) *[]sarifSuppression {
	list := []sarifSuppression{}
	if d.Accepted != "" {
		list = append(list, sarifSuppression{Kind: "external", Justification: d.Accepted})
	}
	return &list
}

// sarifPlace gives a place; false when not even a file is known.
func sarifPlace(from, to Pos, files *lineCache) (sarifPhysical, bool) {
	if from.File == "" {
		return sarifPhysical{}, false
	}
	place := sarifPhysical{Artifact: sarifArtifact{sarifURI(from.File)}}
	if !from.IsValid() {
		return place, true
	}
	place.Region = &sarifRegion{StartLine: from.Line, StartColumn: files.character(from)}
	if to.IsValid() && to.File == from.File && place.Region.StartColumn > 0 {
		if end := files.character(to); end > 0 {
			place.Region.EndLine, place.Region.EndColumn = to.Line, end
		}
	}
	return place, true
}

// character is the column in characters, from 1; 0 when it is not known.
func (c *lineCache) character(pos Pos) int {
	line, ok := c.line(pos)
	if !ok || pos.Col < 1 {
		return 0
	}
	return utf8.RuneCountInString(line[:min(pos.Col-1, len(line))]) + 1
}

// sarifURI is a file's name as a URI reference (RFC 3986): a relative one stays relative.
func sarifURI(file string) string {
	u := url.URL{Path: file}
	switch {
	case path.IsAbs(file):
		u.Scheme = "file"
	case len(file) > 2 && file[1:3] == ":/": // a Windows drive
		u = url.URL{Scheme: "file", Path: "/" + file}
	case strings.Contains(strings.SplitN(file, "/", 2)[0], ":"):
		u.Path = "./" + file // its first segment would be taken for a scheme
	}
	return u.String()
}

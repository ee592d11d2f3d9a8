package fingerprint

import (
	"fmt"

	"github.com/idemgen/idemgen/runtime/canon"
)

// MultipartContracts are contracts whose bodies may come in parts: one with every kind of part, and those of FormContracts with members three
// times, so that each member is a text once, JSON once and a file once, whatever the contract makes of it.
func MultipartContracts() []*canon.Contract {
	all := []*canon.Contract{upload()}
	for turn := range 3 {
		for _, c := range FormContracts() {
			if turn > 0 && len(c.Body.Members) == 0 {
				continue // no part of it has a kind
			}
			c.Accepts, c.Parts = append(c.Accepts, canon.Multipart), turned(c.Body.Members, turn)
			all = append(all, c)
		}
	}
	return all
}

func turned(members []canon.NodeMember, turn int) []canon.Part {
	var parts []canon.Part
	for i, m := range members {
		if kind := []canon.PartKind{canon.TextPart, canon.JSONPart, canon.FilePart}[(i+turn)%3]; kind != canon.TextPart {
			parts = append(parts, canon.Part{Name: m.Name, Kind: kind})
		}
	}
	return parts
}

// upload has files, JSON and texts, single, repeated and nested. Two of its files are read as what they are not: of a union's branches one may
// have a file where another has a text.
func upload() *canon.Contract {
	item := structure(canon.IncludeUnknown, required("sku", scalar(canon.Exact)), optional("qty", scalar(canon.Int)))
	exact := structure(canon.RejectUnknown, optional("flag", scalar(canon.Boolean)), optional("rate", scalar(canon.Double)))
	c := &canon.Contract{Name: "upload", ID: "5d0c1f7a92b4e863", Accepts: []canon.Media{canon.Multipart}, BodyRequired: true,
		Parts: []canon.Part{
			{Name: "drop", Kind: canon.JSONPart}, {Name: "exact", Kind: canon.JSONPart}, {Name: "file", Kind: canon.FilePart}, {Name: "grid", Kind: canon.JSONPart}, {Name: "items", Kind: canon.JSONPart},
			{Name: "kind", Kind: canon.JSONPart}, {Name: "meta", Kind: canon.JSONPart}, {Name: "odd", Kind: canon.FilePart}, {Name: "pages", Kind: canon.FilePart},
			{Name: "skip", Kind: canon.FilePart}, {Name: "when", Kind: canon.FilePart},
		},
		Body: structure(canon.IncludeUnknown, required("file", scalar(canon.ContentDigest)), optional("count", scalar(canon.Int)), leftOut("drop"), optional("exact", exact),
			optional("grid", rows(canon.List, rows(canon.Set, scalar(canon.Int)))), optional("items", rows(canon.List, item)),
			optional("kind", withNull(canon.NullDistinct, oneOf("", canon.Branch{Label: "string", Node: scalar(canon.Exact)}, canon.Branch{Label: "object", Node: item},
				canon.Branch{Label: "array", Node: rows(canon.List, scalar(canon.Exact))}))),
			optional("labels", entries(scalar(canon.ASCIIUpper))), optional("meta", withNull(canon.NullAbsent, scalar(canon.Generic))), optional("note", scalar(canon.Exact)),
			optional("odd", scalar(canon.ASCIIUpper)), optional("pages", rows(canon.List, scalar(canon.ContentDigest))), leftOut("skip"),
			optional("tags", rows(canon.Set, scalar(canon.ASCIITrim))), leftOut("trace"), optional("when", scalar(canon.Instant)))}
	numberFields(c)
	return c
}

// multipartSeed has every member of upload that a request may have. Each file and text is a string here.
const multipartSeed = `{"note":"a \"b\"\r\n é","file":"content","pages":["2","1","2"],"items":[{"sku":"b","qty":2},{"sku":"a","qty":"1"}],"meta":{"b":[1.50,"1.5",null],"a":{}},"count":-0,` +
	`"labels":{"b":"x","a":"y"},"tags":[" b ","a","b"],"kind":{"sku":"k"},"grid":[[1,2],[2,1,1]],"drop":{"a":1e999},"skip":"s","trace":"t","odd":"a","free":"5","exact":{"flag":true,"rate":1.0}}`

// MultipartSeeds are bodies in JSON of which the parts of a multipart body are made. Some are refused, and near to what is not.
func MultipartSeeds(contract string) []string {
	if contract != "upload" {
		return Seeds(contract)
	}
	seeds := []string{multipartSeed, `{"file":""}`, `{"file":"f","exact":{"flag":"true"}}`, `{"file":"f","exact":{"rate":"1"}}`, `{"file":"f","when":"2026-11-30T09:00:00Z"}`,
		`{"file":"f","when":"\"2026-11-30T09:00:00Z\""}`}
	for _, kind := range []string{`null`, `"x"`, `["x","y"]`, `[]`, `{"sku":""}`, `{"0":1,"sku":"x"}`} {
		seeds = append(seeds, fmt.Sprintf(`{"kind":%s,"file":"f","items":{"sku":"one"},"pages":"one","tags":"one","meta":null}`, kind))
	}
	return seeds
}

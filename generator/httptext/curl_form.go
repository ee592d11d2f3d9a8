package httptext

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// formPart is one value of --form.
type formPart struct {
	name, filename, mediaType, content string
	file                               bool
}

// boundary is the same for every command: what is made of one is a function of its text.
const boundary = "idemgen-boundary"

// addPart reads name=content, name=@file and name=<file, with ;type= and ;filename= behind them. --form-string knows only the first.
func (c *curl) addPart(special bool) func(string) error {
	return func(v string) error {
		name, content, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("%q is no part: name=content", v)
		}
		p := formPart{name: name, content: content}
		if special {
			if err := c.readPart(&p); err != nil {
				return err
			}
		}
		c.parts = append(c.parts, p)
		return nil
	}
}

func (c *curl) readPart(p *formPart) error {
	source, options, _ := strings.Cut(p.content, ";")
	p.content = source
	for option := range strings.SplitSeq(options, ";") {
		switch key, value, _ := strings.Cut(option, "="); key {
		case "type":
			p.mediaType = value
		case "filename":
			p.filename = strings.Trim(value, `"`)
		case "":
		default:
			return fmt.Errorf("part %s: ;%s is not understood", p.name, option)
		}
	}
	if len(source) == 0 || source[0] != '@' && source[0] != '<' {
		return nil
	}
	name := source[1:]
	content, err := c.file(name)
	if err != nil {
		return err
	}
	p.content = content
	if p.file = source[0] == '@'; p.file && p.filename == "" {
		p.filename = name[strings.LastIndexAny(name, `/\`)+1:]
	}
	return nil
}

// multipartBody writes the parts (RFC 7578).
func multipartBody(parts []formPart) (body []byte, mediaType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, "", err
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		disposition := `form-data; name="` + quote.Replace(p.name) + `"`
		if p.filename != "" {
			disposition += `; filename="` + quote.Replace(p.filename) + `"`
		}
		header.Set("Content-Disposition", disposition)
		if p.file && p.mediaType == "" {
			p.mediaType = "application/octet-stream"
		}
		if p.mediaType != "" {
			header.Set("Content-Type", p.mediaType)
		}
		part, err := w.CreatePart(header)
		if err != nil {
			return nil, "", err
		}
		if _, err := part.Write([]byte(p.content)); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

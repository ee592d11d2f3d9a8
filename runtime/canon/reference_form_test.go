package canon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestReferenceForms(t *testing.T) {
	item := objectOf(canon.RejectUnknown, property("qty", node(canon.Int)), property("sku", node(canon.Exact)))
	loop := &canon.Node{Kind: canon.ArrayNode, Array: canon.List}
	loop.Elem = loop
	form := objectOf(canon.RejectUnknown, property("free", node(canon.Generic)), property("items", arrayOf(canon.List, item)), property("live", node(canon.Boolean)),
		property("loop", loop), property("name", node(canon.Exact)), property("rate", node(canon.Double)), property("tags", arrayOf(canon.Set, node(canon.ASCIILower))),
		canon.NodeMember{Name: "trace", Ignored: true})
	c := referenceOf(form)
	c.Accepts = []canon.Media{canon.JSON, canon.Form}
	for _, tt := range []struct{ body, want string }{
		{"name=a+b%20c%2B&live=true&rate=1e0", `{"live":true,"name":"a b c+","rate":"1"}`},
		{"&&name=", `{"name":""}`},
		{"name", `{"name":""}`},
		{"&", `{}`},
		{"tags=B&tags=a&tags=b", `{"tags":["a","b"]}`},
		{"tags[]=B", `{"tags":["b"]}`},
		{"tags=B", `{"tags":["b"]}`},
		{"tags[1]=x&tags[0]=y", `{"tags":["x","y"]}`},
		{"items[10][qty]=1", "body/items: the indexes of an array do not run from 0 without a gap"},
		{"items[0][qty]=1&items[00][qty]=1", "body/items: the indexes of an array do not run from 0 without a gap"},
		{"items[1][sku]=b&items[0][sku]=a&items[1][qty]=2", `{"items":[{"sku":"a"},{"qty":"2","sku":"b"}]}`},
		{"items[sku]=b", "body/items: the indexes of an array do not run from 0 without a gap"},
		{"items=b", "body/items/0: an object is expected"},
		{"name=a&name=b", "body/name: a string is expected"},
		{"name[]=a", "body/name: a string is expected"},
		{"name=a&name[b]=c", "body/name: a name stands for a single value and for an object"},
		{"tags=a&tags[]=b", "body/tags: a name stands with and without []"},
		{"free=5&x", "body/x: the member is not declared"},
		{"free[a]=5&free[b][]=x", `{"free":{"object":{"a":"5","b":["x"]}}}`},
		{"Name=a", "body/Name: the name differs from a declared one only in case"},
		{"live=TRUE", "body/live: true or false is expected"},
		{"rate=x", "body/rate: a number is expected"},
		{"name=%zz", "body: a percent sign without two hexadecimal digits"},
		{"trace=%f", "body: a percent sign without two hexadecimal digits"},
		{"trace=%ff", "body: invalid UTF-8"},
		{"trace[a][b]=1", `{}`},
		{"tags[a=1", "body: the brackets of a name do not match"},
		{"tags[][a]=1", "body: the brackets of a name do not match"},
		{"[a]=1", "body: the brackets of a name do not match"},
		{"trace" + strings.Repeat("[a]", 127) + "=1", `{}`},
		{"trace" + strings.Repeat("[a]", 128) + "=1", "body: more than 128 levels of nesting"},
		{"trace" + strings.Repeat("[a]", 127) + "[]=1", "body/trace" + strings.Repeat("/a", 127) + ": more than 128 levels of nesting"},
		{"loop=1", "body/loop" + strings.Repeat("/0", 127) + ": more than 128 levels of nesting"},
	} {
		text, err := c.Canonical(&canon.Request{Body: []byte(tt.body), ContentType: "application/x-www-form-urlencoded; charset=utf-8"})
		if err != nil {
			var refusal *canon.Refusal
			require.ErrorAs(t, err, &refusal)
			text = []byte(`{"body":` + refusal.Place + ": " + refusal.Reason + "}")
		}
		assert.Equal(t, tt.want, strings.TrimSuffix(strings.TrimPrefix(string(text), `{"body":`), "}"), tt.body)
	}
}

func TestReferenceMedia(t *testing.T) {
	c := referenceOf(node(canon.ContentDigest))
	c.Accepts, c.Types = []canon.Media{canon.Text, canon.Octets}, []string{"image/*"}
	const digest = `{"body":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae:3"}`
	for contentType, want := range map[string]string{
		"text/plain": digest, "image/png; charset=latin1": digest, "IMAGE/GIF": digest,
		"text/plain;charset=latin1": "header.content-type: the charset is not UTF-8",
		"text/html":                 "header.content-type: the media type is not accepted",
		"":                          "header.content-type: the media type is not accepted",
		"multipart/form-data":       "header.content-type: the media type is not accepted",
	} {
		text, err := c.Canonical(&canon.Request{Body: []byte("foo"), ContentType: contentType})
		if err != nil {
			text = []byte(err.Error())
		}
		assert.Equal(t, want, string(text), contentType)
	}
	_, err := c.Canonical(&canon.Request{Body: []byte("\xff"), ContentType: "text/plain"})
	require.EqualError(t, err, "body: invalid UTF-8")
	_, err = c.Canonical(&canon.Request{Body: []byte("\xff"), ContentType: "image/png"})
	require.NoError(t, err)
}

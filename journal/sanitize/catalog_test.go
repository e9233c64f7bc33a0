package sanitize_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func shapeWith(t *testing.T, c *sanitize.Catalog, tool, args string) (shape string, declared bool) {
	t.Helper()
	schema, declared := c.Lookup([]byte(tool))
	return sanitize.ShapeOf(parse(t, args), schema).String(), declared
}

func TestCatalog(t *testing.T) {
	var c sanitize.Catalog
	if _, declared := c.Lookup([]byte("a")); declared {
		t.Fatal("an empty catalog declares a tool")
	}
	page := []byte(`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"enum":["on"]}}}},
		{"name":"bare"},{"name":"true","inputSchema":true},{"inputSchema":{}},{"name":7},{"name":"has space"},"noise",
		{"name":"twice","name":"last","inputSchema":{"properties":{"p":{}}},"inputSchema":{"properties":{"q":{}}}}]`)
	c.Learn(parse(t, string(page)), true)
	clear(page)
	tests := []struct {
		tool, args, want string
		declared         bool
	}{
		{"a", `{"x":"on","y":1}`, `{"x":"enum:on","key8":"num:1"}`, true},
		{"bare", `{"y":{"z":1}}`, `{"y":{"key8":"num:1"}}`, true},
		{"true", `{"y":1}`, `{"y":"num:1"}`, true},
		{"last", `{"p":1,"q":2}`, `{"key8":"num:1","q":"num:2"}`, true},
		{"twice", `{"p":1}`, `{"p":"num:1"}`, false},
		{"has space", `{}`, `{}`, false},
		{"A", `{}`, `{}`, false},
	}
	for _, tt := range tests {
		if got, declared := shapeWith(t, &c, tt.tool, tt.args); got != tt.want || declared != tt.declared {
			t.Errorf("%s: %s, declared %v; want %s, %v", tt.tool, got, declared, tt.want, tt.declared)
		}
	}

	// A second page adds; a new first page forgets only what the listing before
	// it did not have either.
	c.Learn(parse(t, `[{"name":"second","inputSchema":{"properties":{"s":{}}}}]`), false)
	declared := func(want string) {
		t.Helper()
		var got []string
		for _, name := range []string{"a", "second", "third"} {
			if _, ok := c.Lookup([]byte(name)); ok {
				got = append(got, name)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("declared %q, want %q", g, want)
		}
	}
	declared("a second")
	c.Learn(parse(t, `[{"name":"a","inputSchema":{"properties":{"x":{}}}}]`), true)
	declared("a second")
	if got, _ := shapeWith(t, &c, "a", `{"x":"on"}`); got != `{"x":"str8"}` {
		t.Errorf("a tool defined anew has the old schema: %s", got)
	}
	c.Learn(parse(t, `[{"name":"third"}]`), true)
	declared("a third")
	c.Learn(parse(t, `[]`), true)
	declared("third")
	c.Learn(parse(t, `[]`), true)
	declared("")
}

func TestCatalogBounds(t *testing.T) {
	tools := func(n int, description string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"name":"t%d","inputSchema":{"description":"%s","properties":{"p":{}}}}`, i, description)
		}
		return "[" + b.String()[1:] + "]"
	}
	var many sanitize.Catalog
	many.Learn(parse(t, tools(2100, "")), true)
	if _, ok := many.Lookup([]byte("t1999")); !ok {
		t.Error("tool 2000 is not known")
	}
	if _, ok := many.Lookup([]byte("t2000")); ok {
		t.Error("tool 2001 is known")
	}
	many.Learn(parse(t, tools(10, "")), true)
	many.Learn(parse(t, `[{"name":"new"}]`), true)
	if _, ok := many.Lookup([]byte("new")); !ok {
		t.Error("forgotten tools still take room")
	}

	var large sanitize.Catalog
	large.Learn(parse(t, tools(10, strings.Repeat("x", 1<<20))), true)
	if got, declared := shapeWith(t, &large, "t2", `{"a b":1}`); got != `{"key8":"num:1"}` || !declared {
		t.Errorf("t2: %s, %v", got, declared)
	}
	if schema, declared := large.Lookup([]byte("t9")); schema != nil || !declared {
		t.Errorf("t9: schema %v, declared %v; want it declared without a schema", schema != nil, declared)
	}
}

func TestCatalogConcurrently(t *testing.T) {
	var c sanitize.Catalog
	page := parse(t, `[{"name":"a","inputSchema":`+richSchema+`}]`)
	args := parse(t, `{"path":"x","tree":{"left":{"leaf":"green"}}}`)
	c.Learn(page, true)
	want := `{"path":"str8","tree":{"left":{"leaf":"enum:green"}}}`
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				if i%10 == 0 {
					c.Learn(page, i%20 == 0)
				}
				schema, _ := c.Lookup([]byte("a"))
				if got := sanitize.ShapeOf(args, schema).String(); got != want {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	wg.Wait()
}

func TestCompileSchema(t *testing.T) {
	enum := func(n int) string {
		m := make([]string, n)
		for i := range m {
			m[i] = fmt.Sprintf(`"m%d"`, i)
		}
		return `{"properties":{"p":{"enum":[` + strings.Join(m, ",") + `]}}}`
	}
	nested := strings.Repeat(`{"allOf":[`, 2000) + `{"properties":{"p":{}}}` + strings.Repeat(`]}`, 2000)
	var fan strings.Builder // every property refers to every definition: their union grows at each level
	fan.WriteString(`{"$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&fan, `"d%d":{"properties":{"p%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},"p%d":{"$ref":"#/$defs/d%d"}}},`,
			i, i%7, (i*7+1)%60, (i*13+5)%60, i%5, (i*3+2)%60)
	}
	fan.WriteString(`"z":{}},"$ref":"#/$defs/d0"}`)

	tests := []struct{ name, schema, args, want string }{
		{"true", `true`, `{"p":1}`, `{"key8":"num:1"}`},
		{"empty", `{}`, `{"p":1}`, `{"key8":"num:1"}`},
		{"32 members", enum(32), `{"p":"m31"}`, `{"p":"enum:m31"}`},
		{"33 members", enum(33), `{"p":"m0"}`, `{"p":"str8"}`},
		{"members add up", `{"properties":{"p":{"anyOf":[{"enum":["a","b"]},{"const":"c"},{"enum":["a",null]}]}}}`, `{"p":"c"}`, `{"p":"enum:c"}`},
		{"reference to the root", `{"properties":{"p":{"$ref":"#"}}}`, `{"p":{"p":{"p":1}}}`, `{"p":{"p":{"p":"num:1"}}}`},
		{"reference to itself", `{"properties":{"p":{"$ref":"#/properties/p"}}}`, `{"p":{"q":1}}`, `{"p":{"key8":"num:1"}}`},
		{"reference in escapes", `{"properties":{"p":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"properties":{"q":{}}}}}`, `{"p":{"q":1}}`, `{"p":{"q":"num:1"}}`},
		{"reference into an array", `{"properties":{"p":{"$ref":"#/allOf/1"}},"allOf":[{},{"properties":{"q":{}}}]}`, `{"p":{"q":1}}`, `{"p":{"q":"num:1"}}`},
		{"reference to nothing", `{"properties":{"p":{"$ref":"#/$defs/x"},"q":{"$ref":"#/allOf/01"},"r":{"$ref":"#%zz"},"s":{"$ref":7}},"allOf":[{}]}`, `{"p":{"q":1}}`, `{"p":{"key8":"num:1"}}`},
		{"array form of items", `{"properties":{"p":{"items":[{"properties":{"q":{}}},{}]}}}`, `{"p":[{"q":1}]}`, `{"p":{"array":1,"items":{"q":"num:1"}}}`},
		{"not is no declaration", `{"not":{"properties":{"p":{}}}}`, `{"p":1}`, `{"key8":"num:1"}`},
		{"keyword case", `{"Properties":{"p":{}}}`, `{"p":1}`, `{"key8":"num:1"}`},
		{"ill-typed", `{"properties":["p"],"allOf":{"p":1},"items":7,"enum":"x","$ref":{},"additionalProperties":"x"}`, `{"p":[1]}`, `{"key8":{"array":1,"items":"num:1"}}`},
		{"nested beyond use", nested, `{"p":1}`, `{"key8":"num:1"}`},
		{"a fan of references", fan.String(), `{"p0":{"p1":{"x":1}}}`, `{"p0":{"p1":{"key8":"num:1"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sanitize.ShapeOf(parse(t, tt.args), sanitize.CompileSchema(parse(t, tt.schema))).String()
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func BenchmarkCompileSchema(b *testing.B) {
	v := parse(b, richSchema)
	b.SetBytes(int64(len(richSchema)))
	b.ReportAllocs()
	for b.Loop() {
		sanitize.CompileSchema(v)
	}
}

// The worst schemas for a compiler that merges.
func BenchmarkCompileSchemaWorst(b *testing.B) {
	var fan strings.Builder
	fan.WriteString(`{"$defs":{`)
	for i := range 200 {
		fmt.Fprintf(&fan, `"d%d":{"properties":{`, i)
		for j := range 20 {
			fmt.Fprintf(&fan, `"p%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, j, (i*7+j)%200, (i*13+j*5)%200)
		}
		fan.WriteString(`"z":{}}},`)
	}
	fan.WriteString(`"z":{}},"$ref":"#/$defs/d0"}`)
	for name, text := range map[string]string{
		"nested": strings.Repeat(`{"allOf":[`, 4900) + `{}` + strings.Repeat(`]}`, 4900),
		"fan":    fan.String(),
	} {
		b.Run(name, func(b *testing.B) {
			v := parse(b, text)
			for b.Loop() {
				sanitize.CompileSchema(v)
			}
		})
	}
}

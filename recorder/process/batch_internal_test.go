package process

import (
	"errors"
	"testing"
)

func TestBatchCommandLine(t *testing.T) {
	const cmd = `C:\Windows\System32\cmd.exe`
	const head = `"` + cmd + `" /e:ON /v:OFF /d /c "`
	tests := []struct {
		name, script string
		args         []string
		want         string
	}{
		{"plain", `C:\npx.cmd`, []string{"-y", "pkg@1.0"}, `"C:\npx.cmd" -y pkg@1.0"`},
		{"space in both", `C:\Program Files\npx.cmd`, []string{"a b"}, `"C:\Program Files\npx.cmd" "a b""`},
		{"empty", `C:\x.bat`, []string{""}, `"C:\x.bat" """`},
		{"command separators", `C:\x.bat`, []string{"a&calc", "b|c", "d^e", "(f)", "<g>"}, `"C:\x.bat" "a&calc" "b|c" "d^e" "(f)" "<g>""`},
		{"variable", `C:\x.bat`, []string{"%PATH%"}, `"C:\x.bat" "%%cd:~,%PATH%%cd:~,%""`},
		{"variable in the path", `C:\%a%\x.bat`, nil, `"C:\%%cd:~,%a%%cd:~,%\x.bat""`},
		{"quote", `C:\x.bat`, []string{`{"a":1}`}, `"C:\x.bat" "{""a"":1}""`},
		{"backslashes before a quote", `C:\x.bat`, []string{`a\\"b`}, `"C:\x.bat" "a\\\\""b""`},
		{"backslash at the end", `C:\x.bat`, []string{`C:\dir\`}, `"C:\x.bat" "C:\dir\\""`},
		{"backslash inside", `C:\x.bat`, []string{`C:\dir\f`}, `"C:\x.bat" C:\dir\f"`},
		{"delayed expansion", `C:\x.bat`, []string{"!PATH!"}, `"C:\x.bat" "!PATH!""`},
		{"letters of other scripts", `C:\x.bat`, []string{"größe"}, `"C:\x.bat" größe"`},
		{"control block", `C:\x.bat`, []string{"a\u0085b"}, "\"C:\\x.bat\" \"a\u0085b\"\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := batchCommandLine(cmd, tt.script, tt.args)
			if want := head + tt.want; err != nil || got != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

func TestBatchCommandLineRefuses(t *testing.T) {
	tests := []struct {
		name, script string
		args         []string
	}{
		{"line feed", `C:\x.bat`, []string{"a\nb"}},
		{"carriage return", `C:\x.bat`, []string{"a\rb"}},
		{"NUL", `C:\x.bat`, []string{"a\x00b"}},
		{"quote in the path", `C:\x".bat`, nil},
		{"path that is a folder", `C:\x\`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := batchCommandLine("cmd.exe", tt.script, tt.args); !errors.Is(err, ErrBatchArgument) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestIsBatch(t *testing.T) {
	for path, want := range map[string]bool{`C:\npx.cmd`: true, `C:\X.BAT`: true, `C:\node.exe`: false, `C:\cmd`: false} {
		if got := isBatch(path); got != want {
			t.Errorf("isBatch(%q) = %v", path, got)
		}
	}
}

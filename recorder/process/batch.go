package process

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrBatchArgument is returned by Start for an argument or file name that cannot
// be passed to a batch file unchanged.
var ErrBatchArgument = errors.New("an argument cannot be passed to a batch file: it holds a line break, a NUL or, in the file name, a quote")

// batchCommandLine is the command line that makes Windows run a batch file with
// exactly these arguments. Batch files are run by cmd.exe, which expands
// variables and splits commands in what the usual quoting protects, so that
// starting a .cmd file the way an .exe is started lets an argument run commands.
// The outer pair of quotes is removed by cmd /c; extensions are on and delayed
// expansion is off, as the quoting needs.
func batchCommandLine(cmdExe, script string, args []string) (string, error) {
	if strings.ContainsAny(script, "\"\x00\r\n") || strings.HasSuffix(script, `\`) {
		return "", ErrBatchArgument
	}
	var b strings.Builder
	b.WriteString(`"` + cmdExe + `" /e:ON /v:OFF /d /c ""`)
	writePercentSafe(&b, script)
	b.WriteByte('"')
	for _, arg := range args {
		if strings.ContainsAny(arg, "\x00\r\n") {
			return "", ErrBatchArgument
		}
		b.WriteByte(' ')
		writeBatchArg(&b, arg)
	}
	b.WriteByte('"')
	return b.String(), nil
}

// writeBatchArg quotes unless every character is known to be harmless, doubles
// quotes, and doubles the backslashes before a quote, which is what both cmd.exe
// and the C runtime of the program behind the batch file read back.
func writeBatchArg(b *strings.Builder, arg string) {
	quoted := batchNeedsQuotes(arg)
	if quoted {
		b.WriteByte('"')
	}
	backslashes := 0
	for i := 0; i < len(arg); i++ {
		switch c := arg[i]; c {
		case '\\':
			backslashes++
			b.WriteByte(c)
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes) + `""`)
		case '%':
			b.WriteString(percent)
		default:
			b.WriteByte(c)
		}
		backslashes = 0
	}
	if quoted {
		b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
	}
}

// percent comes out as one percent sign: %cd:~,% expands to nothing, and with it
// in between no two signs enclose a name.
const percent = `%%cd:~,%`

func writePercentSafe(b *strings.Builder, s string) {
	b.WriteString(strings.ReplaceAll(s, "%", percent))
}

func batchNeedsQuotes(arg string) bool {
	if arg == "" || strings.HasSuffix(arg, `\`) {
		return true
	}
	for _, r := range arg {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case r < utf8.RuneSelf && strings.ContainsRune(`#$*+-./:?@\_`, r):
		case r >= 0xa0:
		default:
			return true
		}
	}
	return false
}

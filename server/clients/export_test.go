package clients

// Parse reads a text and says whether it could.
func Parse(source []byte) error {
	_, err := parse(source)
	return err
}

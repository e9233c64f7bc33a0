package home

// SetPause replaces the wait between two looks at a salt that is short.
func (h *Home) SetPause(f func()) { h.pause = f }

// CreateSaltInPlace creates the salt as file systems without hard links need it.
func (h *Home) CreateSaltInPlace() error { return h.createSaltInPlace() }

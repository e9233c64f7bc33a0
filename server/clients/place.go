package clients

import (
	"path/filepath"
)

// The clients whose configurations are known.
const (
	ClaudeDesktop = "claude-desktop"
	ClaudeCode    = "claude-code"
	Cursor        = "cursor"
	VSCode        = "vscode"
	Windsurf      = "windsurf"
	Zed           = "zed"
)

// Names are the names of all clients that are known.
func Names() []string { return []string{ClaudeDesktop, ClaudeCode, Cursor, VSCode, Windsurf, Zed} }

// Place is where a client may keep the configuration of a user.
type Place struct {
	// Client is one of Names, or "" for a file that was named.
	Client string
	Path   string
}

// System is whose configurations are looked for.
type System struct {
	// OS is a value of runtime.GOOS.
	OS string
	// Getenv reads the environment.
	Getenv func(string) string
	// Glob is filepath.Glob; nil finds nothing.
	Glob func(pattern string) ([]string, error)
}

// Places lists where clients keep the configurations of the user, whether or not
// anything stands there. Without a home folder there are none.
func (s *System) Places() []Place {
	home := s.home()
	if home == "" {
		return nil
	}
	settings := s.settings(home)
	var all []Place
	add := func(client string, path ...string) { all = append(all, Place{client, filepath.Join(path...)}) }

	add(ClaudeDesktop, settings, "Claude", "claude_desktop_config.json")
	for _, dir := range s.stores() { // what the Windows Store installs has a folder of its own
		add(ClaudeDesktop, dir, "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	}
	if dir := s.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		add(ClaudeCode, dir, ".claude.json")
	} else {
		add(ClaudeCode, home, ".claude.json")
	}
	add(Cursor, home, ".cursor", "mcp.json")
	for _, edition := range []string{"Code", "Code - Insiders", "VSCodium"} {
		add(VSCode, settings, edition, "User", "mcp.json")
		add(VSCode, settings, edition, "User", "settings.json")
	}
	add(Windsurf, home, ".codeium", "windsurf", "mcp_config.json")
	if s.OS == "darwin" {
		settings = filepath.Join(home, ".config")
	}
	name := "zed"
	if s.OS == "windows" {
		name = "Zed"
	}
	add(Zed, settings, name, "settings.json")
	return all
}

func (s *System) home() string {
	if s.OS == "windows" {
		return s.Getenv("USERPROFILE")
	}
	return s.Getenv("HOME")
}

// settings is where programs of a user keep theirs.
func (s *System) settings(home string) string {
	switch s.OS {
	case "windows":
		if dir := s.Getenv("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(home, "AppData", "Roaming")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	if dir := s.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, ".config")
}

func (s *System) stores() []string {
	local := s.Getenv("LOCALAPPDATA")
	if s.OS != "windows" || local == "" || s.Glob == nil {
		return nil
	}
	dirs, err := s.Glob(filepath.Join(local, "Packages", "Claude_*"))
	if err != nil {
		return nil
	}
	return dirs
}

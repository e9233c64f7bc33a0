package report

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/probes/reason"
)

const (
	sarifSchema     = "https://json.schemastore.org/sarif-2.1.0.json"
	informationURI  = "https://github.com/mcpeval/mcpeval"
	defaultManifest = "mcp-eval.manifest.json"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool              sarifTool         `json:"tool"`
	AutomationDetails sarifID           `json:"automationDetails"`
	Invocations       []sarifInvocation `json:"invocations"`
	ColumnKind        string            `json:"columnKind"`
	Results           []sarifResult     `json:"results"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string     `json:"id"`
	ShortDescription sarifText  `json:"shortDescription"`
	FullDescription  sarifText  `json:"fullDescription"`
	Help             sarifText  `json:"help"`
	Default          sarifLevel `json:"defaultConfiguration"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Descriptor sarifID   `json:"descriptor"`
	Level      string    `json:"level"`
	Message    sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

// SARIF is the document in SARIF 2.1.0: one result a failing case, at its line in
// the manifest, and one a stale known failure. Known failures are suppressed
// results. A run in which cases could not be judged is an invocation that did not
// succeed.
func (d *Document) SARIF(o *Options) ([]byte, error) {
	v, err := d.view(o)
	if err != nil {
		return nil, err
	}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: v.Generator.Name.s, Version: v.Generator.Version.s,
			InformationURI: informationURI, Rules: []sarifRule{},
		}},
		AutomationDetails: sarifID{"mcpeval/" + v.Server.s + "/"},
		Invocations:       []sarifInvocation{v.sarifInvocation()},
		ColumnKind:        "utf16CodeUnits",
		Results:           []sarifResult{},
	}
	for i := range v.Cases {
		c := &v.Cases[i]
		if c.Passed != Fail {
			continue
		}
		what := c.ID.s + " (" + string(c.Probe)
		if c.Tool != (Tool{}) {
			what += ", " + c.Tool.s
		}
		text := what + "): " + meaning(c.Reason) + "."
		if detail := c.detail(); detail != "" {
			text += " Bound: " + detail + "."
		}
		r := v.sarifResult(&run, c.Reason, c.ID, text+" Fix: "+string(c.Hint)+".")
		if v.excused[c.ID] {
			r.Suppressions = []sarifSuppression{{"external", "listed in the known-failures file"}}
		}
		run.Results = append(run.Results, r)
	}
	for _, id := range v.stale {
		text := id.s + ": " + meaning(reason.StaleKnownFailure) + ". Fix: " + reason.Fix(reason.StaleKnownFailure) + "."
		run.Results = append(run.Results, v.sarifResult(&run, reason.StaleKnownFailure, id, text))
	}
	return document.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func (v *view) sarifInvocation() sarifInvocation {
	inv := sarifInvocation{Successful: !faulted(v.Cases)}
	if v.Gate != nil && v.Gate.NotRun > 0 {
		inv.Notifications = []sarifNotification{{
			Descriptor: sarifID{string(reason.ServerNotStarted)}, Level: "error",
			Message: sarifText{meaning(reason.ServerNotStarted) + ". Fix: " + reason.Fix(reason.ServerNotStarted) + "."},
		}}
	}
	return inv
}

// sarifResult makes a result and adds its rule to the run's when it is new.
func (v *view) sarifResult(run *sarifRun, l reason.Label, id CaseID, text string) sarifResult {
	rules := &run.Tool.Driver.Rules
	at := slices.IndexFunc(*rules, func(r sarifRule) bool { return r.ID == string(l) })
	if at < 0 {
		r, _ := reason.Of(l)
		at = len(*rules)
		*rules = append(*rules, sarifRule{
			ID: string(l), ShortDescription: sarifText{r.Meaning + "."}, FullDescription: sarifText{r.Explain},
			Help: sarifText{"Fix: " + r.Fix + "."}, Default: sarifLevel{"error"},
		})
	}
	return sarifResult{
		RuleID: string(l), RuleIndex: at, Level: "error", Message: sarifText{text},
		Locations: []sarifLocation{{sarifPhysical{sarifArtifact{manifestURI(v.Manifest)}, sarifRegion{max(v.Lines[id], 1)}}}},
		// The line moves when the manifest is edited; case and reason stay.
		Fingerprints: map[string]string{"mcpevalCase/v1": SHA256Of([]byte(v.Server.s + "\x00" + id.s + "\x00" + string(l))).s},
	}
}

// manifestURI is the manifest's path as a relative URI reference.
func manifestURI(name string) string {
	if name == "" {
		name = defaultManifest
	}
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':' {
		name = path.Base(name)
	}
	return (&url.URL{Path: name}).EscapedPath()
}

#!/usr/bin/env python3
"""Writes arithmetic.json and scenarios.json: what promotion has to give,
computed here from the definitions and not from the Go code. Where there is
more than one way to compute something, this takes the other one: Wilson's
bound is found by bisection of the test it inverts, medians by sorting.

    python3 make.py && git diff --exit-code .
"""
import hashlib, json, math, random, statistics, struct

Z = 1.959963984540054
HALF_LIFE = 14.0
DEFAULT = 0.16


def wilson(k, n):
    """The smallest p whose two-sided 95% score test does not reject k of n."""
    if k <= 0 or n <= 0:
        return 0.0
    phat = k / n
    lo, hi = 0.0, phat
    for _ in range(200):
        p = (lo + hi) / 2
        if phat - p > Z * math.sqrt(p * (1 - p) / n):
            lo = p
        else:
            hi = p
    return (lo + hi) / 2


def score(failures, calls, age_days, cost, blast):
    return (wilson(failures, calls) * math.exp(-math.log(2) * max(age_days, 0) / HALF_LIFE)
            * math.log(1 + cost, 2) * (1 + math.log(blast, 2)))


PRECEDENCE = [
    ("hung-call", lambda i: i["template"] == "unanswered"),
    ("stdout-noise", lambda i: i["template"] == "stdout-noise"),
    ("unstable-error-code", lambda i: len(i["codes"]) > 1),
    ("false-success", lambda i: "false-success" in i["annotations"]),
    ("blocked-optimal-path", lambda i: "blocked-optimal-path" in i["annotations"]),
    ("recovers-on-retry", lambda i: i["retryable"] is True and i["recovered"]),
    ("retry-did-not-recover", lambda i: i["retryable"] is True),
    ("recurring-error", lambda i: True),
]


def class_of(issue):
    return next(name for name, test in PRECEDENCE if test(issue))


def severity(s, threshold, cls, probed):
    steps = sum(s >= f * threshold for f in (2, 4)) + (cls in ("false-success", "blocked-optimal-path"))
    return ("low", "medium", "high")[min(steps, 2 if probed else 1)]


def arithmetic():
    out = {"wilson": [], "recency": [], "cost": [], "score": [], "class": [], "severity": [], "verdict": [], "threshold": []}
    for k, n in [(0, 0), (0, 5), (1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 6), (4, 12), (5, 40), (2, 60), (10, 10), (1, 1000),
                 (17, 100), (89, 100), (999, 1000), (30_000, 1_000_000), (1_000_000, 1_000_000)]:
        out["wilson"].append({"failures": k, "calls": n, "want": wilson(k, n)})
    for days in [-3, 0, 0.5, 1, 7, 14, 28, 42, 365]:
        out["recency"].append({"age_days": days, "want": 2 ** (-max(days, 0) / HALF_LIFE)})
    for near in [[0], [8], [0, 8], [0, 0, 8], [1, 2, 3, 4], [0, 1], [7, 8, 8], [3] * 5 + [4] * 5, [0] * 3 + [8] * 2, []]:
        hist = [near.count(i) for i in range(9)]
        out["cost"].append({"near": hist, "want": float(statistics.median(1 + n for n in near)) if near else 0.0})
    rows = [(2, 2, 0, 1, 1), (4, 12, 0, 6, 2), (3, 10, 1, 4, 3), (2, 6, 0, 5, 3), (3, 3, 2, 1, 1), (2, 3, 0, 1, 1), (10, 10, 7, 8, 4), (5, 40, 0, 7, 4),
            (2, 60, 0, 6, 3), (3, 12, 28, 4, 2), (1, 3, 14, 2.5, 1), (9, 9, -5, 9, 9), (50, 50, 100, 9, 6)]
    for failures, calls, age, cost, blast in rows:
        s = score(failures, calls, age, cost, blast)
        out["score"].append({"failures": failures, "calls": calls, "age_days": age, "cost": cost, "blast": blast, "want": s})
        for sessions in (1, 2):
            for threshold in (0, 0.05, DEFAULT, 0.51, s):
                want = "one session" if sessions < 2 else "promoted" if s >= threshold else "below threshold"
                if threshold == s:  # computed two ways: not equal to the last bit
                    continue
                out["verdict"].append({"failures": failures, "calls": calls, "age_days": age, "cost": cost, "blast": blast,
                                       "sessions": sessions, "threshold": threshold, "want": want})
    for template in ("00112233445566aa", "", "unanswered", "annotated", "stdout-noise"):
        for codes in ([], ["a"], ["a", "b"]):
            for annotations in ([], ["workaround"], ["false-success"], ["blocked-optimal-path"], ["blocked-optimal-path", "false-success"]):
                for retryable in (True, False, None):
                    for recovered in (False, True):
                        issue = {"template": template, "codes": codes, "annotations": annotations, "retryable": retryable, "recovered": recovered}
                        out["class"].append({**issue, "want": class_of(issue)})
    for factor in (0.5, 1, 1.99, 2, 3.99, 4, 40):
        for template, annotations in (("00112233445566aa", []), ("00112233445566aa", ["false-success"]),
                                      ("00112233445566aa", ["blocked-optimal-path"]), ("unanswered", ["false-success"])):
            for probed in (False, True):
                cls = class_of({"template": template, "codes": [], "annotations": annotations, "retryable": None, "recovered": False})
                out["severity"].append({"score": factor, "threshold": 1, "template": template, "annotations": annotations, "probed": probed,
                                        "want": severity(factor, 1, cls, probed)})
    for flag in (None, 0, 0.5):
        for config in (None, 0, 0.3):
            want = flag if flag is not None else config if config is not None else DEFAULT
            out["threshold"].append({"flag": flag, "config": config, "want": want})
    return out


def finding_id(*parts):
    h = hashlib.sha256()
    for p in parts:
        b = p.encode()
        h.update(struct.pack(">Q", len(b)) + b)
    return "finding-" + h.hexdigest()[:16]


TEMPLATES = ["00112233445566aa", "ffeeddccbbaa9988", ""]


def random_scenario(rng):
    servers, tools, sessions = ["alpha", "alpha", "beta"], ["read", "write"], ["one", "two", "three"]
    captures = []
    for _ in range(rng.randint(2, 6)):
        c = {"session": rng.choice(sessions), "server": rng.choice(servers), "kind": "synthetic" if rng.random() < 0.12 else "real",
             "recorder": "shim-http" if rng.random() < 0.25 else "shim", "start": rng.randint(20, 40) * 86400 + rng.randint(0, 9) * 7, "events": []}
        for _ in range(rng.randint(0, 18)):
            r = rng.random()
            e = {"type": "call", "tool": rng.choice(tools), "method": "tools/call", "origin": "client"}
            if r < 0.45:
                e["outcome"] = "ok"
            elif r < 0.75:
                t = rng.choice(TEMPLATES)
                e.update(outcome="error", template=t, code=rng.choice(["E1"] * 12 + ["E2"]) if rng.random() < 0.8 else "",
                         retryable=True if t == TEMPLATES[0] else False if t == TEMPLATES[1] else rng.choice([True, False, None]))
            elif r < 0.85:
                e["outcome"] = rng.choice(["unanswered", "cancelled", "unknown", "input_required"])
            elif r < 0.92:
                e = {"type": "unparsed", "direction": rng.choice(["inbound", "inbound", "outbound"])}
            elif r < 0.96:
                e.update(outcome="error", template=TEMPLATES[0], code="E1", retryable=None, method="tools/list", tool="")
            else:
                e.update(outcome="error", template=TEMPLATES[0], code="E1", retryable=None, origin="server")
            c["events"].append(e)
        captures.append(c)
    notes = []
    calls = [(i, j) for i, c in enumerate(captures) for j, e in enumerate(c["events"]) if e["type"] == "call"]
    for _ in range(rng.choice([0, 0, 3, 8])):
        if calls:
            i, j = rng.choice(calls)
            notes.append({"capture": i, "event": j, "kind": rng.choice(["false-success", "blocked-optimal-path", "blocked-optimal-path", "workaround"])})
    return {"captures": captures, "annotations": notes, "as_of": rng.choice([40, 41, 45, 60]) * 86400 + 3600,
            "threshold": rng.choice([0, 0.01, 0.05, 0.1, DEFAULT])}


def evaluate(scenario):
    marks, calls, runs, groups = {}, {}, {}, {}
    for n in scenario["annotations"]:
        marks.setdefault((n["capture"], n["event"]), set()).add(n["kind"])

    def group(server, tool, template):
        return groups.setdefault((server, tool, template), {"failures": [], "template": template})

    for i, c in enumerate(scenario["captures"]):
        if c["kind"] != "real":
            continue
        real = [(j, e) for j, e in enumerate(c["events"]) if e["type"] == "call" and e["origin"] == "client" and e["method"] == "tools/call"]
        for at, (j, e) in enumerate(real):
            key = (c["server"], e["tool"])
            calls[key] = calls.get(key, 0) + 1
            noted = marks.get((i, j), set())
            if e["outcome"] == "error":
                template, code = e["template"], e["code"]
            elif e["outcome"] in ("unanswered", "cancelled"):
                template, code = "unanswered", "unanswered"
            elif noted:
                template, code = "annotated", ""
            else:
                continue
            window = [x for _, x in real[max(at - 5, 0):at]] + [x for _, x in real[at + 1:at + 4]]
            group(c["server"], e["tool"], template)["failures"].append({
                "session": c["session"], "ts": c["start"] + j + 2, "near": len(window), "tools": {e["tool"]} | {x["tool"] for x in window},
                "code": code, "retryable": e.get("retryable") if e["outcome"] == "error" else None, "annotations": noted,
                "recovered": any(x["tool"] == e["tool"] and x["outcome"] == "ok" for _, x in real[at + 1:at + 4])})
        if c["recorder"] == "shim":
            runs[c["server"]] = runs.get(c["server"], 0) + 1
            noisy = [j for j, e in enumerate(c["events"]) if e["type"] == "unparsed" and e["direction"] == "inbound"]
            if noisy:
                group(c["server"], "", "stdout-noise")["failures"].append({
                    "session": c["session"], "ts": c["start"] + noisy[0] + 2, "near": 0, "tools": {""}, "code": "", "retryable": None,
                    "annotations": set(), "recovered": False})
    want, summary = [], {"issues": 0, "promoted": 0, "one_session": 0, "below_threshold": 0}
    for (server, tool, template), g in groups.items():
        f = g["failures"]
        total = runs[server] if template == "stdout-noise" else calls[(server, tool)]
        codes = sorted({x["code"] for x in f} - {""})
        flags = {x["retryable"] for x in f}
        issue = {"template": template, "codes": codes, "annotations": set().union(*(x["annotations"] for x in f)),
                 "retryable": flags.pop() if len(flags) == 1 else None, "recovered": any(x["recovered"] for x in f)}
        cost, blast = float(statistics.median(1 + x["near"] for x in f)), len(set().union(*(x["tools"] for x in f)))
        last = max(x["ts"] for x in f)
        s = score(len(f), total, (scenario["as_of"] - last) / 86400, cost, blast)
        sessions = len({x["session"] for x in f})
        verdict = "one_session" if sessions < 2 else "promoted" if s >= scenario["threshold"] else "below_threshold"
        summary["issues"] += 1
        summary[verdict] += 1
        if verdict != "promoted":
            continue
        cls = class_of(issue)
        most = max((sum(x["code"] == c for x in f) for c in codes), default=0)
        want.append({"id": finding_id(server, tool, template), "server": server, "tool": tool, "class": cls, "template_id": template,
                     "severity": severity(s, scenario["threshold"], cls, False), "score": s, "failures": len(f), "calls": total,
                     "sessions": sessions, "codes": codes, "code": next((c for c in codes if sum(x["code"] == c for x in f) == most), ""),
                     "retryable": issue["retryable"], "cost": cost, "blast": blast, "first_seen": min(x["ts"] for x in f), "last_seen": last})
    order = {"high": 0, "medium": 1, "low": 2}
    want.sort(key=lambda w: (order[w["severity"]], -w["score"], w["id"]))
    return {**scenario, "summary": summary, "want": want}


def main():
    rng = random.Random(20261130)
    scenarios = [evaluate(random_scenario(rng)) for _ in range(40)]
    with open("arithmetic.json", "w") as f:
        json.dump(arithmetic(), f, indent=None, separators=(",", ":"))
        f.write("\n")
    with open("scenarios.json", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(s, separators=(",", ":")) for s in scenarios) + "\n]\n")


main()

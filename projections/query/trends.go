package query

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Trends gives the last runs of each server, oldest first, servers by name; an
// empty server gives all of them, last 0 every run.
func Trends(conn *sqlite.Conn, server string, last int) ([]Trend, error) {
	trends := []Trend{}
	before := map[string]int64{} // hundredths by standard, of the server at hand
	err := sqlitex.Execute(conn, `SELECT server, ts, standard, total, protocol, catalog, context, reliability, error_honesty, coverage
		FROM readiness WHERE ?1 = '' OR server = ?1 ORDER BY server, ts, event_id`,
		&sqlitex.ExecOptions{Args: []any{server}, ResultFunc: func(s *sqlite.Stmt) error {
			if name := s.ColumnText(0); len(trends) == 0 || trends[len(trends)-1].Server != name {
				trends = append(trends, Trend{Server: name, Runs: []TrendPoint{}})
				clear(before)
			}
			p := TrendPoint{
				TS: s.ColumnText(1), Standard: s.ColumnText(2), Total: points(s, 3), Protocol: points(s, 4), Catalog: points(s, 5),
				Context: points(s, 6), Reliability: points(s, 7), ErrorHonesty: points(s, 8), Coverage: points(s, 9),
			}
			if p.Total != nil {
				total := s.ColumnInt64(3)
				if was, ok := before[p.Standard]; ok {
					delta := float64(total-was) / 100
					p.Delta = &delta
				}
				before[p.Standard] = total
			}
			t := &trends[len(trends)-1]
			t.Runs = append(t.Runs, p)
			return nil
		}})
	if err != nil {
		return nil, err
	}
	for i := range trends {
		if runs := trends[i].Runs; last > 0 && len(runs) > last {
			trends[i].Runs = runs[len(runs)-last:]
		}
	}
	return trends, nil
}

// points are a score's points, nil when it was not measured.
func points(s *sqlite.Stmt, i int) *float64 {
	if s.ColumnIsNull(i) {
		return nil
	}
	v := float64(s.ColumnInt64(i)) / 100
	return &v
}

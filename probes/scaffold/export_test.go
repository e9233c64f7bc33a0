package scaffold

// LatencyBudget is latencyBudget, for its table.
var LatencyBudget = latencyBudget

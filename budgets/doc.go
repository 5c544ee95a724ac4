// Package budgets judges a run: it reads budget expressions, computes the
// metrics they name from traces alone, and says of each budget whether it
// passed, failed, or could not be measured, and why.
//
// Read budget.go first: the grammar of an expression. metric.go and its
// neighbours kinds.go and requests.go hold every metric with its formula in
// words. judge.go turns a metric and a limit into a verdict; path.go finds which
// stage owned an interaction, lever.go what would have to change. Analyse in
// analysis.go puts them together. The report package prints the result.
//
// Everything here is a pure function of its arguments.
package budgets

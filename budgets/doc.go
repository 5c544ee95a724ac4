// Package budgets judges a run: it reads budget expressions, computes the
// metrics they name from traces alone, and says of each budget whether it
// passed, failed, or could not be measured, and why.
//
// Read budget.go first: the grammar of an expression. metric.go and its
// neighbours voice.go, kinds.go, requests.go, connection.go and served.go hold every metric with
// its formula in words. compare.go puts a run beside the same one on another target;
// package versus says whether one run is better than another. judge.go turns a metric and a limit into a verdict; path.go finds which
// stage owned an interaction, lever.go what would have to change. exchange.go has what voice turns tell beside their metrics, change.go and curve.go
// what further runs tell of other settings, and replay.go runs one interaction again. Analyse in
// analysis.go puts them together. The report package prints the result.
//
// Everything here is a pure function of its arguments.
package budgets

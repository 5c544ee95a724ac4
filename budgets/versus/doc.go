// Package versus says of two runs of one experiment whether the second is better or
// worse than the first, for every metric and every stage, and never from two numbers
// alone: from the interval of their difference.
//
// Read run.go first: what is kept of a run. check.go says which runs can be compared,
// condition.go what else may differ between them, compare.go makes rows of their metrics,
// pair.go finds the same interactions in both, resample.go draws runs again, word.go
// says what an interval means, and slow.go when it means nothing. baseline.go writes and
// reads the file of a run, and under.go holds one against other budgets than it was kept with.
//
// # Method
//
// Percentiles (p50, p90, p95, p99, nearest rank as everywhere) are compared by the
// percentile bootstrap: both runs are drawn again, and the middle 95 % of the differences
// is the interval. Runs of one scenario and one seed are paired: in every resample the
// same interactions are drawn of both, for each fell due at the same instant in both and
// asked for as much, and what they have in common cancels out. Other runs are drawn
// independently of each other. Bias-corrected and accelerated
// intervals (BCa) would need an acceleration from the jackknife, which fails for what is
// not smooth, as no quantile is: for the median it is not even consistent (source:
// www.master-statistics.com/bootstrap/jackknife-method, read 2026-11-29). How often the
// intervals hold the truth is measured by the package's test of coverage.
//
// Interactions are drawn in whole sessions where there are twenty sessions or more with
// several interactions; else in blocks of neighbours in time, whose length follows from how
// far neighbours resemble each other (a queue remembers), and is one where they do not.
//
// An interval of a percentile is refused where the sample is so small that the true
// percentile may well lie beyond its ends, whatever the distribution (quantile.IntervalNeeds).
//
// A first output that may be several tokens makes a pace look faster than the model's. Where
// the values with all that it may be would have another word, the row has none.
//
// Shares are compared by Newcombe's interval of two Wilson intervals, each for as many
// independent members as the members are worth when they are drawn so (quantile.Plan.Independent);
// those of pairs allow for how far the two shares went together when they were drawn again.
//
// The mean of a count (requests a key) and the effective speed of a model that completes code (a
// ratio of sums over its answers, package quality) have the interval of the bootstrap as
// percentiles do, from ten values in each run on. A sample drawn again from answers none of which
// is broken knows nothing of broken ones: there the interval reaches to the speed at the end of
// Wilson's interval of their share.
//
// # Many comparisons
//
// Of a hundred rows of equal runs five would differ "significantly". Rows are therefore
// in three families: those that decide (the metric that interactions land with, what
// the scenario has budgets for, goodput, and what ended ok), those of requests, those of
// stages. Within a family of m rows each has the confidence 1 - 0.05/m (Bonferroni). Only
// the first family decides; the others explain.
//
// # Baseline, version 1
//
// JSON Lines in UTF-8. Unknown fields are errors. The first line:
//
//	halfsecond_baseline version of the format, 1; the first field of the file
//	scenario, scenario_hash, kind, target, seed, version  as in a trace file
//	model, protocol     of an endpoint; omitted when empty
//	n, n_asked          interactions in the run, and asked for
//	unfinished          why the run did not finish; omitted when it did
//	unfit               why it cannot be judged; omitted when it can
//	unsteady            why its figures are not those of a steady state; omitted when they are, or when nobody looked
//	limit               what an interaction has to keep to count for goodput; omitted for none
//	outcomes, request_outcomes  counts by outcome
//	sessions            whose each interaction is, in the order in which they were due
//	indexes             which interaction of its session each is; omitted by earlier programs, whose baselines cannot be paired
//	dues_ns             when each key of ghost text fell due; omitted for other kinds, and by earlier programs
//	conditions          list of name, value: how it was asked beside the scenario, such as on which connections;
//	                    omitted by earlier programs, and then not compared
//	series              how many lines follow
//	speed               of a model whose answers were checked: answers, repair_ns (what a broken one costs), and
//	                    tokens_per_second and effective_tokens_per_second, each the value and the ends of its 95 % interval
//
// Each of the others is a series, the exact samples of a metric, which is what the bootstrap
// draws from; a sketch would not do, for it forgets which interaction a value is of:
//
//	name, formula       of the metric
//	unit                "ns", "share", "count", or "answers" of an effective speed
//	role                "judged", "request" or "stage"
//	more_is_better      omitted when false
//	median_only         it rests on components of which only a median is published; omitted when false
//	values              of each interaction: null for none, a whole number, or a list of several; of answers a list of five
//	                    numbers each: ns, tokens (-1 where nobody counted them), characters, those of them that were
//	                    useful, and the syntax (0 untold, 1 parses, 2 breaks)
//	repair_ns           of an effective speed, what a broken answer costs; omitted for others, and for 0
//	slow                the same, where each may be that of a slower model than it is taken for; omitted where none may,
//	                    and by earlier programs
//	quick               the same, as far as it is that of a slower model for certain; omitted likewise
package versus

// Package price says what tokens cost: sums of money that are exact, the price of a
// model, and what was used of it.
//
// Read dollars.go for the money, price.go for prices and tally.go for what is counted.
package price

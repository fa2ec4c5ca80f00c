//# updateTogether
func example(savings: CurrentValue<Int>, account: CurrentValue<Int>, amount: Int) {
/*block*/
}

"""What a graph is about, without running it: inputs and outputs, ops, costs, differences, how a checkpoint fits."""

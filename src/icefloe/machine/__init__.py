"""What the machine offers to kernels: its cores and its matrix product."""

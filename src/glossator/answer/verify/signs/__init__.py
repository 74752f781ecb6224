"""What is compared one by one, because likeness does not see it: numbers, names, direction, order, reach."""

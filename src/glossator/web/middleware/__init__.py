"""What every request passes: limits on its body, origins, records of it in logs, metrics and traces."""

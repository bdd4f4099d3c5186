"""A Laya checkpoint of a few hundred kilobytes with random weights, for the real package. Needs torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_LEN = 1024
CONFIG = {
    "encoder": "tiny",
    "head_layers": 1,
    "act_costs": {"wait": 1.0},
    "max_len": MAX_LEN,
    "head_max_len": 192,
    "temperature": [1.0, 1.0, 1.0],
    "temperature_by_options": {},
    "amp_dtype": "fp16",
}


def make_checkpoint(folder: Path, *, scale: float = 3.0) -> Path:
    """Write the files of a checkpoint into the folder. The answers mean nothing and are always the same.

    A token is a byte, so the tokenizer is the costliest there can be. `scale` stretches the last layer's
    weights: answers lie apart instead of all at one half.
    """
    import torch
    from laya.common import build_model
    from safetensors.torch import save_file

    _write_encoder(folder / "encoder")
    _write_tokenizer(folder / "tokenizer")
    torch.manual_seed(5)
    model = build_model(CONFIG, encoder_dir=str(folder / "encoder"), pretrained=False)
    with torch.no_grad():
        model.scorer[-1].weight.mul_(scale * 20)
    save_file(
        {name: value.contiguous() for name, value in model.state_dict().items()}, folder / "model.safetensors"
    )
    (folder / "rl_agent_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return folder


def _write_encoder(folder: Path) -> None:
    from transformers import ModernBertConfig

    ModernBertConfig(
        vocab_size=len(SPECIAL) + 256,
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=MAX_LEN,
        pad_token_id=0,
        cls_token_id=2,
        bos_token_id=2,
        sep_token_id=3,
        eos_token_id=3,
    ).save_pretrained(folder)


def _write_tokenizer(folder: Path) -> None:
    """As published checkpoints have it: a class that older libraries do not know, which Laya rewrites."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate((*SPECIAL, *alphabet))}
    tokenizer: Any = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=MAX_LEN, **dict(zip(names, SPECIAL, strict=True))
    )
    fast.save_pretrained(folder)

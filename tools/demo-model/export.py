#!/usr/bin/env python3
"""Exports a checkpoint: a GGUF (experts MXFP4, other matrices Q8_0) and a Hugging Face folder (bfloat16).

  python3 tools/demo-model/export.py --checkpoint checkpoint.pt --tokenizer tokenizer.json --gguf demo.gguf --hf folder
"""

import argparse
import json
import struct
import sys
from pathlib import Path
from typing import Any, Mapping

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gguf_writer as gguf  # noqa: E402
from gguf_writer import Value  # noqa: E402
from tokenizer import CHAT_TEMPLATE, END_OF_TEXT_ID, IM_END, IM_END_ID, SPECIAL  # noqa: E402

NAME = "Hotset demo"
DESCRIPTION = "A small demo model made for the Hotset page; bring your own for real work."
LARGEST_FILE = 30_000_000
State = Mapping[str, np.ndarray]


def vocabulary(tokenizer_json: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Tokens in the order of their ids, and merges as 'left right'."""
    ids = dict(tokenizer_json["model"]["vocab"])
    ids.update({token["content"]: token["id"] for token in tokenizer_json["added_tokens"]})
    tokens = [token for token, _ in sorted(ids.items(), key=lambda entry: entry[1])]
    if sorted(ids.values()) != list(range(len(tokens))):
        raise ValueError("the tokenizer's ids have gaps")
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer_json["model"]["merges"]]
    return tokens, merges


def gguf_metadata(c: Mapping[str, Any], tokenizer_json: Mapping[str, Any]) -> dict[str, Value]:
    tokens, merges = vocabulary(tokenizer_json)
    if len(tokens) != c["vocab"]:
        raise ValueError(f"{len(tokens)} tokens for {c['vocab']} rows of the embedding")

    def u32(value: int) -> Value:
        return Value("u32", value)

    general = {
        "architecture": Value("string", "qwen3moe"), "type": Value("string", "model"), "name": Value("string", NAME),
        "description": Value("string", DESCRIPTION), "license": Value("string", "apache-2.0"),
        "languages": Value("[string]", ["en"]), "quantization_version": u32(2), "file_type": u32(38),
    }
    model = {
        "block_count": u32(c["layers"]), "context_length": u32(c["context"]), "embedding_length": u32(c["hidden"]),
        "feed_forward_length": u32(c["expert_ff"]), "attention.head_count": u32(c["heads"]),
        "attention.head_count_kv": u32(c["kv_heads"]), "rope.freq_base": Value("f32", c["rope_theta"]),
        "attention.layer_norm_rms_epsilon": Value("f32", c["eps"]), "expert_used_count": u32(c["experts_used"]),
        "attention.key_length": u32(c["head_dim"]), "attention.value_length": u32(c["head_dim"]),
        "expert_count": u32(c["experts"]), "expert_feed_forward_length": u32(c["expert_ff"]),
        "vocab_size": u32(c["vocab"]),
    }
    words = {
        "model": Value("string", "gpt2"), "pre": Value("string", "qwen2"), "tokens": Value("[string]", tokens),
        "token_type": Value("[i32]", [3 if token in SPECIAL else 1 for token in tokens]),
        "merges": Value("[string]", merges), "bos_token_id": u32(END_OF_TEXT_ID), "eos_token_id": u32(IM_END_ID),
        "padding_token_id": u32(END_OF_TEXT_ID), "add_bos_token": Value("bool", False),
    }
    return {
        **{f"general.{key}": value for key, value in general.items()},
        **{f"qwen3moe.{key}": value for key, value in model.items()},
        **{f"tokenizer.ggml.{key}": value for key, value in words.items()},
        "tokenizer.chat_template": Value("string", CHAT_TEMPLATE),
    }


_LAYER_NAMES = {
    "attn_norm.weight": "input_layernorm.weight", "attn_q.weight": "self_attn.q_proj.weight",
    "attn_k.weight": "self_attn.k_proj.weight", "attn_v.weight": "self_attn.v_proj.weight",
    "attn_output.weight": "self_attn.o_proj.weight", "attn_q_norm.weight": "self_attn.q_norm.weight",
    "attn_k_norm.weight": "self_attn.k_norm.weight", "ffn_norm.weight": "post_attention_layernorm.weight",
    "ffn_gate_inp.weight": "mlp.gate.weight",
}


def gguf_tensors(c: Mapping[str, Any], state: State) -> list[gguf.Tensor]:
    """Vectors and routers in F32, experts in MXFP4, other matrices in Q8_0. The head is the embedding."""
    def kind(values: np.ndarray, name: str) -> int:
        return gguf.F32 if values.ndim == 1 or name.startswith("ffn_gate_inp") else gguf.Q8_0

    tensors = [
        gguf.tensor("token_embd.weight", state["model.embed_tokens.weight"], gguf.Q8_0),
        gguf.tensor("output_norm.weight", state["model.norm.weight"], gguf.F32),
    ]
    for layer in range(c["layers"]):
        prefix = f"model.layers.{layer}."
        for name, source in _LAYER_NAMES.items():
            values = state[prefix + source]
            tensors.append(gguf.tensor(f"blk.{layer}.{name}", values, kind(values, name)))
        gate_up = state[prefix + "mlp.experts.gate_up_proj"]
        stacks = {"gate": gate_up[:, :c["expert_ff"]], "up": gate_up[:, c["expert_ff"]:],
                  "down": state[prefix + "mlp.experts.down_proj"]}
        for name, values in stacks.items():
            tensors.append(gguf.tensor(f"blk.{layer}.ffn_{name}_exps.weight", values, gguf.MXFP4))
    return tensors


def write_gguf(path: Path, c: Mapping[str, Any], state: State, tokenizer_json: Mapping[str, Any]) -> int:
    length = gguf.write(path, gguf_metadata(c, tokenizer_json), gguf_tensors(c, state))
    if length > LARGEST_FILE:
        raise SystemExit(f"{path.name} has {length} bytes, more than {LARGEST_FILE}")
    return length


# Hugging Face ------------------------------------------------------------------------------------------------------

def hf_config(c: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "attention_bias": False,
        "attention_dropout": 0.0, "bos_token_id": END_OF_TEXT_ID, "eos_token_id": IM_END_ID, "pad_token_id": END_OF_TEXT_ID,
        "decoder_sparse_step": 1, "mlp_only_layers": [], "head_dim": c["head_dim"], "hidden_act": "silu",
        "hidden_size": c["hidden"], "initializer_range": 0.02, "intermediate_size": c["expert_ff"],
        "max_position_embeddings": c["context"], "moe_intermediate_size": c["expert_ff"], "norm_topk_prob": True,
        "num_attention_heads": c["heads"], "num_key_value_heads": c["kv_heads"], "num_hidden_layers": c["layers"],
        "num_experts": c["experts"], "num_local_experts": c["experts"], "num_experts_per_tok": c["experts_used"],
        "output_router_logits": False, "rms_norm_eps": c["eps"], "rope_theta": c["rope_theta"],
        "rope_parameters": {"rope_theta": c["rope_theta"], "rope_type": "default"}, "router_aux_loss_coef": 0.01,
        "sliding_window": None, "use_sliding_window": False, "tie_word_embeddings": True, "use_cache": True,
        "vocab_size": c["vocab"], "torch_dtype": "bfloat16",
    }


def bfloat16_bits(values: np.ndarray) -> np.ndarray:
    """Nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def hf_tensors(c: Mapping[str, Any], state: State) -> dict[str, np.ndarray]:
    """One tensor a matrix of each expert, as released checkpoints have them."""
    tensors: dict[str, np.ndarray] = {}
    for name, values in state.items():
        if name.endswith("experts.gate_up_proj"):
            for expert, both in enumerate(values):
                base = name.replace("gate_up_proj", f"{expert}.")
                tensors[base + "gate_proj.weight"] = both[:c["expert_ff"]]
                tensors[base + "up_proj.weight"] = both[c["expert_ff"]:]
        elif name.endswith("experts.down_proj"):
            for expert, down in enumerate(values):
                tensors[name.replace("down_proj", f"{expert}.down_proj.weight")] = down
        else:
            tensors[name] = values
    return tensors


def write_hf(folder: Path, c: Mapping[str, Any], state: State, tokenizer_json: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(hf_config(c), indent=2) + "\n")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json, ensure_ascii=False))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": None, "eos_token": IM_END, "pad_token": SPECIAL[0],
        "add_bos_token": False, "clean_up_tokenization_spaces": False, "model_max_length": c["context"],
        "chat_template": CHAT_TEMPLATE,
    }, indent=2) + "\n")
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    tensors = hf_tensors(c, state)
    for name, values in tensors.items():
        header[name] = {"dtype": "BF16", "shape": list(values.shape), "data_offsets": [offset, offset + 2 * values.size]}
        offset += 2 * values.size
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for values in tensors.values():
            file.write(bfloat16_bits(values).tobytes())


def load_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Sizes and float32 weights of a checkpoint of train.py."""
    import torch
    checkpoint = torch.load(path, map_location="cpu")
    return checkpoint["config"], {name: t.float().numpy() for name, t in checkpoint["model"].items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--gguf", type=Path)
    parser.add_argument("--hf", type=Path)
    args = parser.parse_args()
    config, state = load_checkpoint(args.checkpoint)
    tokenizer_json = json.loads(args.tokenizer.read_text(encoding="utf-8"))
    if args.gguf:
        print(f"{args.gguf.name}: {write_gguf(args.gguf, config, state, tokenizer_json):,} bytes")
    if args.hf:
        write_hf(args.hf, config, state, tokenizer_json)
        print(f"{args.hf}: {(args.hf / 'model.safetensors').stat().st_size:,} bytes of weights")


if __name__ == "__main__":
    main()

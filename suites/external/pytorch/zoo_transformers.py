"""Architectures of transformers, each with two small layers and random weights.

A name is that of a configuration there. What the configuration has of `SMALL` is made small; the
rest is its own. Nothing is downloaded.
"""

import torch
from torch import nn

TEXT = """
    albert bart bert big_bird blenderbot bloom camembert canine codegen convbert data2vec-text
    deberta deberta-v2 distilbert electra ernie falcon fnet gemma gemma2 glm gpt2 gpt_bigcode
    gpt_neox gptj granite granitemoe ibert imagegpt layoutlm llama m2m_100 mamba marian mbart
    megatron-bert mistral mixtral mobilebert modernbert mpnet mpt mt5 mvp nystromformer olmo olmo2
    openai-gpt opt pegasus persimmon phi phi3 plbart qwen2 qwen2_moe qwen3 rembert roberta
    roberta-prelayernorm roc_bert roformer rwkv smollm3 squeezebert stablelm starcoder2 t5 umt5 xglm
    xlm xlm-roberta yoso
""".split()
IMAGES = """
    beit cvt data2vec-vision deit dinov2 glpn mobilenet_v1 mobilenet_v2 mobilevit poolformer pvt
    pvt_v2 regnet resnet segformer swiftformer vit vit_msn
""".split()
# Whose sizes depend on each other: as they are.
WHOLE = "convnext convnextv2 mobilevitv2 swin swinv2".split()
BY_SIZE = {
    0: "pad_token_id",
    1: "bos_token_id num_groups",
    2: """num_hidden_layers n_layer encoder_layers decoder_layers num_layers num_decoder_layers
        num_encoder_layers n_layers num_key_value_heads num_experts_per_tok type_vocab_size
        eos_token_id""",
    4: """num_attention_heads n_head num_heads n_heads encoder_attention_heads
        decoder_attention_heads num_experts num_local_experts rotary_dim""",
    8: "d_kv d_head head_dim patch_size state_size kv_channels",
    32: """hidden_size n_embd d_model dim embedding_size emb_dim d_embed word_embed_proj_dim
        moe_intermediate_size image_size""",
    64: """intermediate_size d_ff ffn_dim hidden_dim d_inner ffn_hidden_size encoder_ffn_dim
        decoder_ffn_dim max_position_embeddings n_positions n_ctx max_source_positions
        max_target_positions""",
    99: "vocab_size",
}
# With weights as it draws them, all that it gives is below the least normal number.
OWN = {"mobilevit": {"initializer_range": 0.2}}
SMALL = {word: size for size, words in BY_SIZE.items() for word in words.split()}


class Tensors(nn.Module):
    """By place, and the tensors among what a model of transformers gives."""

    def __init__(self, net, names):
        super().__init__()
        self.net, self.names = net, names

    def forward(self, *given):
        out = self.net(**dict(zip(self.names, given)))
        return tuple(value for value in out.values() if isinstance(value, torch.Tensor))


def is_number(config, name):
    of_class = getattr(type(config), name, None)
    return type(getattr(config, name, None)) is int and not isinstance(of_class, property)


def configuration(name):
    from transformers import CONFIG_MAPPING

    make = CONFIG_MAPPING[name]
    usual, small = make(), {"image_size": 224} if name in WHOLE else SMALL
    known = {word: value for word, value in small.items() if is_number(usual, word)}
    config = make(**known, **OWN.get(name, {}))
    config.use_cache = False
    return config


def model_of(config, names):
    from transformers import AutoModel

    return Tensors(AutoModel.from_config(config), names)


def words(config):
    first = torch.randint(3, 99, (1, 8))
    return (first, torch.randint(3, 99, (1, 6))) if config.is_encoder_decoder else (first,)


def pixels(config):
    size = getattr(config, "image_size", None) or 64
    size = size if isinstance(size, int) else size[0]
    return (torch.randn(1, getattr(config, "num_channels", 3), size, size),)


def fill(models):
    """Adds those that this release of transformers has."""
    from transformers import CONFIG_MAPPING

    for name in (*TEXT, *IMAGES, *WHOLE):
        if name not in CONFIG_MAPPING:
            continue
        inputs = words if name in TEXT else pixels
        named = ("input_ids", "decoder_input_ids") if name in TEXT else ("pixel_values",)
        models["transformers " + name] = (
            lambda name=name, named=named: model_of(configuration(name), named),
            lambda name=name, inputs=inputs: inputs(configuration(name)),
        )

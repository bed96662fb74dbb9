"""Networks of diffusers and segmentation_models_pytorch, small and with random weights."""

import torch

SEGMENTATION = "Unet UnetPlusPlus MAnet Linknet FPN PSPNet DeepLabV3 DeepLabV3Plus PAN UPerNet"
SMALL = {"block_out_channels": (8, 16), "norm_num_groups": 4, "sample_size": 16}
BLOCKS = {
    "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
    "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
}
CODED = {
    "down_block_types": ("DownEncoderBlock2D",) * 2,
    "up_block_types": ("UpDecoderBlock2D",) * 2,
}


class First(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, *given):
        return self.net(*given, return_dict=False)[0]


def noise():
    return torch.randn(1, 3, 16, 16)


def latent():
    return torch.randn(1, 4, 16, 16)


def of_diffusers(models):
    import diffusers

    models["diffusers UNet2DModel"] = (
        lambda: First(diffusers.UNet2DModel(attention_head_dim=4, **SMALL, **BLOCKS)),
        lambda: (noise(), torch.tensor(3)),
    )
    models["diffusers UNet2DConditionModel"] = (
        lambda: First(
            diffusers.UNet2DConditionModel(
                down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
                cross_attention_dim=16,
                attention_head_dim=4,
                **SMALL,
            )
        ),
        lambda: (latent(), torch.tensor(3), torch.randn(1, 5, 16)),
    )
    models["diffusers AutoencoderKL"] = (
        lambda: First(diffusers.AutoencoderKL(**SMALL, **CODED)),
        lambda: (noise(),),
    )
    models["diffusers VQModel"] = (
        lambda: First(diffusers.VQModel(**SMALL, **CODED)),
        lambda: (noise(),),
    )
    models["diffusers AutoencoderTiny"] = (
        lambda: First(
            diffusers.AutoencoderTiny(
                encoder_block_out_channels=(8, 8),
                decoder_block_out_channels=(8, 8),
                num_encoder_blocks=(1, 1),
                num_decoder_blocks=(1, 1),
            )
        ),
        lambda: (noise(),),
    )
    models["diffusers DiTTransformer2DModel"] = (
        lambda: First(
            diffusers.DiTTransformer2DModel(
                num_attention_heads=2, attention_head_dim=8, num_layers=2, sample_size=16
            )
        ),
        lambda: (latent(), torch.tensor([3]), torch.tensor([1])),
    )
    models["diffusers PriorTransformer"] = (
        lambda: First(
            diffusers.PriorTransformer(
                num_attention_heads=2,
                attention_head_dim=8,
                num_layers=2,
                embedding_dim=16,
                num_embeddings=5,
            )
        ),
        lambda: (torch.randn(1, 16), torch.tensor(3), torch.randn(1, 16), torch.randn(1, 5, 16)),
    )


def of_segmentation(models):
    import segmentation_models_pytorch as smp

    for name in SEGMENTATION.split():
        if hasattr(smp, name):
            models["segmentation " + name] = (
                lambda name=name: getattr(smp, name)("resnet18", encoder_weights=None, classes=3),
                lambda: (torch.randn(1, 3, 128, 128),),
            )

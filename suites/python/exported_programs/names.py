"""The programs of export.py; in CORE_REFUSED those that are refused after run_decompositions, which
takes apart what Fusillade has whole: transforms to complex numbers, determinants.
"""

NAMES = (
    "conv_net batch_norm_train residual encoder_layer decoder_layer attention lstm gru "
    "attention_function embedding embedding_bag dynamic dynamic_mask branch loop mutation "
    "mutated_input no_grad autocast_off constants keywords dtypes lists indexing images norms "
    "rms_norm conv_transpose conv_1d_3d item int_input fourier rotary tied_weights losses "
    "linear_algebra scan scan_of_dict map map_of_pairs"
).split()
CORE_REFUSED = ("fourier",)

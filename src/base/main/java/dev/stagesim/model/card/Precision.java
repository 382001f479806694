package dev.stagesim.model.card;

/** Storage format of weights or cached values, and the matrix rate that it can use. */
public enum Precision {
    BF16(2, Rate.BITS16),
    FP8(1, Rate.BITS8),
    /** FP8 with a scale for every block of 128 by 128 weights. */
    FP8_BLOCK(1, Rate.BITS8),
    INT8(1, Rate.BITS8),
    /** MX blocks of 32 FP8 values with an 8-bit scale. */
    MXFP8(1.03125, Rate.BITS8),
    /** FP8 weights; products run at 16 bits. */
    W8A16_FP8(1, Rate.BITS16),
    /** INT8 weights; products run at 16 bits. */
    W8A16_INT8(1.015625, Rate.BITS16),
    /** MX blocks of 32 FP6 values with an 8-bit scale; products run at 8 bits. */
    MXFP6(0.78125, Rate.BITS8),
    /** Groups of 128 weights with a 16-bit scale; products run at 16 bits. */
    INT4(0.53, Rate.BITS16),
    /** Groups of 128 4-bit weights; products run at 8 bits. */
    W4A8(0.53, Rate.BITS8),
    /** Groups of 64 weights with a quantised scale, as bitsandbytes stores them; products run at 16 bits. */
    NF4(0.516, Rate.BITS16),
    /** Groups of 32 weights with an 8-bit scale. */
    MXFP4(0.53, Rate.BITS4),
    /** Groups of 16 weights with an 8-bit scale. */
    NVFP4(0.5625, Rate.BITS4),
    /** NVFP4 weights; products run at 16 bits. */
    W4A16_NVFP4(0.5625, Rate.BITS16),
    /** The mixed 4 and 6-bit format of llama.cpp; products run at 16 bits. */
    Q4_K_M(0.62, Rate.BITS16);

    /** Width of the operands that a matrix unit multiplies. */
    public enum Rate {
        BITS16,
        BITS8,
        BITS4
    }

    private final double bytes;
    private final Rate rate;

    Precision(double bytes, Rate rate) {
        this.bytes = bytes;
        this.rate = rate;
    }

    /** Returns the bytes per weight, including scales. */
    public double bytes() {
        return bytes;
    }

    /** Bytes of the scales of a token and head in integer caches: 32 bits, or 16 bits and a zero point. */
    private static final double HEAD_SCALE_BYTES = 4;

    /** Returns the bytes per cached value of heads with {@code width} values, including scales. */
    public double cachedBytes(int width) {
        return switch (this) {
            case INT8 -> bytes + HEAD_SCALE_BYTES / width;
            case INT4 -> 0.5 + HEAD_SCALE_BYTES / width;
            default -> bytes;
        };
    }

    /** Returns the rate of products on devices that support it. */
    public Rate rate() {
        return rate;
    }
}

package dev.stagesim.sim.workload;

/** Limits prompt plus output tokens of another source. */
public final class TokenCap implements LengthSource {
    private final LengthSource source;
    private final int max;
    private final Overlong policy;
    private int prefill;
    private int decode;
    private Truncation truncation = Truncation.NONE;

    /**
     * Wraps a source.
     *
     * @throws IllegalArgumentException if {@code max} is less than 2: a prompt and an output token
     */
    public TokenCap(LengthSource source, int max, Overlong policy) {
        if (max < 2) {
            throw new IllegalArgumentException("a cap of " + max + " leaves no room for prompt and output");
        }
        if (policy == Overlong.ERROR) {
            throw new IllegalArgumentException("a cap that refuses cuts nothing");
        }
        this.source = source;
        this.max = max;
        this.policy = policy;
    }

    @Override
    public boolean next() {
        while (source.next()) {
            prefill = source.prefill();
            decode = source.decode();
            if ((long) prefill + decode <= max) {
                return true;
            }
            if (policy != Overlong.DROP) {
                cut();
                truncation = truncation.with(source.prefill() - prefill, source.decode() - decode);
                return true;
            }
            truncation = truncation.dropping(1);
        }
        return false;
    }

    private void cut() {
        if (policy == Overlong.TRIM_PROMPT) {
            decode = Math.min(decode, max - 1);
        } else {
            long total = (long) prefill + decode;
            long share = (2L * decode * max + total) / (2 * total);
            decode = (int) Math.max(1, Math.min(max - 1, share));
        }
        prefill = max - decode;
    }

    /** Returns the tokens and requests removed so far. */
    public Truncation truncation() {
        return truncation;
    }

    @Override
    public int prefill() {
        return prefill;
    }

    @Override
    public int decode() {
        return decode;
    }

    @Override
    public int row() {
        return source.row();
    }
}

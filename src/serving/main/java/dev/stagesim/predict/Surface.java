package dev.stagesim.predict;

/**
 * Measured times of an attention operator by KV length and a second key, in the order of measurement.
 *
 * <p>The second key is the chunk for prefill and the batch size for decode.
 */
public final class Surface {
    private final int[] kvTokens;
    private final int[] counts;
    private final double[] milliseconds;

    /** Copies the arrays, which must have equal lengths and not be empty. */
    public Surface(int[] kvTokens, int[] counts, double[] milliseconds) {
        if (kvTokens.length != counts.length || counts.length != milliseconds.length || counts.length == 0) {
            throw new IllegalArgumentException(
                    kvTokens.length + " lengths, " + counts.length + " counts, " + milliseconds.length + " times");
        }
        this.kvTokens = kvTokens.clone();
        this.counts = counts.clone();
        this.milliseconds = milliseconds.clone();
    }

    public int rows() {
        return counts.length;
    }

    public int kvTokens(int row) {
        return kvTokens[row];
    }

    /** Chunk tokens of a prefill row, requests of a decode row. */
    public int count(int row) {
        return counts[row];
    }

    public double milliseconds(int row) {
        return milliseconds[row];
    }
}

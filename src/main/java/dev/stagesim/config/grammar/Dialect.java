package dev.stagesim.config.grammar;

/** Whose rules of writing apply: each method is one thing in which ours and Hydra's differ; see specs/overrides.md. */
public enum Dialect {
    HYDRA(false), // Hydra 1.3.5, its restrictions included.
    STAGE(true); // Ours: everything Hydra accepts means the same, and more is accepted.

    private static final String MORE_PUNCTUATION = "#!;&<>^~";

    private final boolean own;

    Dialect(boolean own) {
        this.own = own;
    }

    /** True where {@code +=}, {@code :=} and {@code l[0]} are keys, {@code =} is a character and blanks may end a list. */
    boolean hasMoreSyntax() {
        return own;
    }

    /** True when a character outside quotes stands for itself, besides those that always do. */
    boolean isPlain(int codePoint, boolean isExpression) {
        return own
                && (MORE_PUNCTUATION.indexOf(codePoint) >= 0
                        || (isExpression && codePoint == '=')
                        || (codePoint >= 0x80 && (isExpression || !Character.isISOControl(codePoint))));
    }

    /** End of the interpolation at {@code from}, or -1: braces balance, or it ends at the first one that closes. */
    int interpolation(String text, int from) {
        return own ? Scan.balancedInterpolation(text, from) : Scan.shortInterpolation(text, from);
    }

    /** True when the keys of maps are text whatever they look like. */
    public boolean hasTextKeys() {
        return own;
    }

    /** True where truth values count as numbers, as in Python. */
    boolean isNumber(Value value) {
        return Types.isNumber(value) && !(own && value instanceof Value.Bool);
    }

    /** The value that stands for a text. */
    Value.Scalar string(String text) {
        return own ? Serializer.asString(text) : new Value.Text(text);
    }

    /** A function's argument as the function sees it: Hydra's see quoted text without its quotes. */
    Value argument(Value value) {
        return !own && value instanceof Value.Quoted quoted ? new Value.Text(quoted.text()) : value;
    }

    /** True when sweeps side by side become one, and those that cannot are errors; Hydra fails later without a place. */
    boolean joinsSweeps() {
        return own;
    }

    /** True when conditions with commas between, as in {@code slo=a<1,b<2}, are one text and no sweep. */
    boolean joinsConditions() {
        return own;
    }

    /** True when a sweep without values, or without an end, is an error. */
    public boolean refusesEmptySweeps() {
        return own;
    }

    /** True when casts keep the tags and the order of a sweep, and every sweep may have tags. */
    boolean keepsTags() {
        return own;
    }

    /** True when the points of a range are multiples of its step, not sums of it. */
    boolean hasExactRanges() {
        return own;
    }

    /** A range in order; Hydra's ends change places one step off, so that other points may be hit. */
    Sweep.Range sorted(Sweep.Range range, boolean reverse) {
        return own ? OrderFunctions.turn(range, reverse) : OrderFunctions.swapEnds(range, reverse);
    }

    /** The form of a value that is read back as the same. */
    String writes(Value value) {
        return own ? Serializer.ours(value) : Serializer.hydra(value);
    }

    /** What follows the key where nothing is set. */
    String noValue() {
        return own ? "" : "=null";
    }

    /** True for text that has a place among other text; Hydra finds none for quoted text. */
    boolean hasOrder(Value value) {
        return value instanceof Value.Text || (own && value instanceof Value.Quoted);
    }

    /** True when a glob among listed values is one of them, written as the map of its fields. */
    public boolean listsGlobs() {
        return !own;
    }

    /** True when wildcards of globs match slashes. */
    public boolean globsMatchSlashes() {
        return !own;
    }
}

package dev.stagesim.config.grammar;

/**
 * The grammar of overrides. Each method is one difference between the stage dialect and Hydra's; see
 * specs/overrides.md.
 */
public enum Dialect {
    HYDRA(false), // Hydra 1.3.5 with its restrictions.
    STAGE(true); // Accepts everything that Hydra accepts, with the same meaning, and more.

    private static final String MORE_PUNCTUATION = "#!;&<>^~";

    private final boolean stageDialect;

    Dialect(boolean stageDialect) {
        this.stageDialect = stageDialect;
    }

    /**
     * True if {@code +=}, {@code :=} and {@code l[0]} are allowed in keys, {@code =} in values, and blanks at the end
     * of a list.
     */
    boolean hasMoreSyntax() {
        return stageDialect;
    }

    /** True if an unquoted character is literal only in this dialect. */
    boolean isPlain(int codePoint, boolean isExpression) {
        return stageDialect
                && (MORE_PUNCTUATION.indexOf(codePoint) >= 0
                        || (isExpression && codePoint == '=')
                        || (codePoint >= 0x80 && (isExpression || !Character.isISOControl(codePoint))));
    }

    /**
     * Returns the end of the interpolation at {@code from}, or -1. Braces must balance; in Hydra the first closing
     * brace is the end.
     */
    int interpolation(String text, int from) {
        return stageDialect ? Scan.balancedInterpolation(text, from) : Scan.shortInterpolation(text, from);
    }

    /** True if all map keys are text, regardless of their form. */
    public boolean hasTextKeys() {
        return stageDialect;
    }

    /** True if the value is a number. In Hydra booleans count as numbers, as in Python. */
    boolean isNumber(Value value) {
        return Types.isNumber(value) && !(stageDialect && value instanceof Value.Bool);
    }

    /** Returns the value that represents a text. */
    Value.Scalar string(String text) {
        return stageDialect ? Serializer.asString(text) : new Value.Text(text);
    }

    /** Returns an argument as functions receive it. Hydra passes quoted text without its quotes. */
    Value argument(Value value) {
        return !stageDialect && value instanceof Value.Quoted quoted ? new Value.Text(quoted.text()) : value;
    }

    /**
     * True if adjacent sweeps are joined into one, and sweeps that cannot be joined are errors. Hydra fails later,
     * without a position.
     */
    boolean joinsSweeps() {
        return stageDialect;
    }

    /** True if comma-separated conditions such as {@code slo=a<1,b<2} form one text instead of a sweep. */
    boolean joinsConditions() {
        return stageDialect;
    }

    /** True if a sweep without values, or without an end, is an error. */
    public boolean rejectsEmptySweeps() {
        return stageDialect;
    }

    /** True if casts keep the tags and the order of a sweep, and all sweeps may have tags. */
    boolean keepsTags() {
        return stageDialect;
    }

    /** True if the points of a range are multiples of its step. In Hydra they are cumulative sums. */
    boolean hasExactRanges() {
        return stageDialect;
    }

    /** Returns a range in order. Hydra swaps the ends with an offset of one step, which can change the points. */
    SweepValue.Range sorted(SweepValue.Range range, boolean reverse) {
        return stageDialect ? OrderFunctions.reordered(range, reverse) : OrderFunctions.swapEnds(range, reverse);
    }

    /** Returns a text that parses back to the same value. */
    String format(Value value) {
        return stageDialect ? Serializer.stage(value) : Serializer.hydra(value);
    }

    /** Returns the text after the key of an override without a value. */
    String noValue() {
        return stageDialect ? "" : "=null";
    }

    /** True for text that can be compared with other text. Hydra cannot compare quoted text. */
    boolean hasOrder(Value value) {
        return value instanceof Value.Text || (stageDialect && value instanceof Value.Quoted);
    }

    /** True if a glob in a list of values is one of the values, written as the map of its fields. */
    public boolean listsGlobs() {
        return !stageDialect;
    }

    /** True if the wildcards of globs match slashes. */
    public boolean globsMatchSlashes() {
        return !stageDialect;
    }
}

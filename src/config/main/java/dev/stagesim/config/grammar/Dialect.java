package dev.stagesim.config.grammar;

/**
 * The grammar of overrides. Each method is one difference between the stage dialect and Hydra's, or between Hydra 1.3
 * and 1.4; see specs/overrides.md.
 */
public enum Dialect {
    HYDRA(false, false), // Hydra 1.3.5 with its restrictions.
    HYDRA_1_4(false, true), // Hydra 1.4.0rc3 with its restrictions.
    STAGE(true, true); // Accepts everything that Hydra accepts, with the same meaning, and more.

    private static final String MORE_PUNCTUATION = "#!;&<>^~";

    private final boolean stageDialect;
    private final boolean sinceHydra14;

    Dialect(boolean stageDialect, boolean sinceHydra14) {
        this.stageDialect = stageDialect;
        this.sinceHydra14 = sinceHydra14;
    }

    /** True if the dialect has the extensions of the product. */
    public boolean isStage() {
        return stageDialect;
    }

    /** True if the dialect has the rules that Hydra 1.4 and OmegaConf 2.4 introduced. */
    public boolean isSinceHydra14() {
        return sinceHydra14;
    }

    /** True if {@code +=} and {@code :=} are allowed in keys, {@code =} in values, and blanks at the end of a list. */
    boolean hasMoreSyntax() {
        return stageDialect;
    }

    /** True if the value {@code extend_list(a,b)} appends to a list. */
    boolean hasListExtension() {
        return sinceHydra14 && !stageDialect;
    }

    /** True if a backslash before a dot, a bracket or {@code =} makes it part of a key. */
    boolean hasEscapedKeys() {
        return sinceHydra14 && !stageDialect;
    }

    /** True if {@code l[0]} is allowed in keys. */
    boolean hasIndexedKeys() {
        return sinceHydra14;
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

    /** True if all sweeps may have tags. */
    boolean tagsAllSweeps() {
        return stageDialect;
    }

    /** True if casts keep the tags and the order of a sweep. */
    boolean keepsTags() {
        return sinceHydra14;
    }

    /** True if {@code sort} of a shuffled choice gives a sorted choice. In Hydra 1.3 it stays shuffled. */
    boolean sortEndsShuffle() {
        return sinceHydra14;
    }

    /** True if casts of a range apply to its points. In Hydra 1.3 they apply to its ends and its step. */
    boolean castsPoints() {
        return sinceHydra14;
    }

    /** True if {@code json_str} is a function. */
    boolean hasJsonText() {
        return sinceHydra14;
    }

    /** True if the points of a range are multiples of its step. In Hydra 1.3 they are cumulative sums. */
    boolean hasExactRanges() {
        return sinceHydra14;
    }

    /** Returns a range in order. Hydra 1.3 swaps the ends with an offset of one step, which can change the points. */
    SweepValue.Range sorted(SweepValue.Range range, boolean reverse) {
        return sinceHydra14 ? OrderFunctions.reordered(range, reverse) : OrderFunctions.swapEnds(range, reverse);
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

package dev.stagesim.predict;

/** Operator times straight from the roofline, without a table between: for models that are evaluated many times. */
public final class RooflineTimes implements OperatorTimes {
    private final Roofline roofline;
    private final Coverage coverage;

    public RooflineTimes(Roofline roofline, Coverage coverage) {
        this.roofline = roofline;
        this.coverage = coverage;
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        return roofline.milliseconds(operator, count);
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        return roofline.decodeMilliseconds(batch, kvTokens);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return roofline.prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}

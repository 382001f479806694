package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.IntValue;
import dev.stagesim.config.grammar.IntervalSweep;
import dev.stagesim.config.grammar.Scalar;
import dev.stagesim.config.grammar.Serializer;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;

/**
 * A continuous range, from which sampling sweepers draw: uniform, or uniform in its logarithm where it is tagged {@code
 * log}. Values have six significant digits; {@code int(interval(a,b))} draws whole numbers, both ends included.
 */
final class IntervalDimension implements Dimension {
    private static final String LOG = "log";
    private static final MathContext DIGITS = new MathContext(6);

    private final String left;
    private final double low;
    private final double high;
    private final boolean whole;
    private final boolean log;

    IntervalDimension(ConfigOverride override, IntervalSweep interval) {
        this.left = override.keyElement() + override.type().operator();
        this.low = number(override, interval.start());
        this.high = number(override, interval.end());
        this.whole = interval.start() instanceof IntValue;
        this.log = interval.tags().contains(LOG);
        if (!(low < high) || (log && low <= 0)) {
            throw StageException.input(Problem.of(
                    "override error",
                    override.origin().describe(),
                    log && low <= 0 ? "a logarithmic interval must be above 0" : "the interval is empty"));
        }
    }

    private static double number(ConfigOverride override, Scalar end) {
        String text = Serializer.serialise(end, Dialect.STAGE);
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw StageException.input(
                Problem.of("override error", override.origin().describe(), "'" + text + "' is no end of an interval"));
    }

    @Override
    public int size() {
        return 0;
    }

    @Override
    public List<String> at(int index) {
        throw new IllegalStateException("an interval has no list of values");
    }

    @Override
    public List<String> at(double share) {
        return List.of(left + value(share));
    }

    private String value(double share) {
        double end = whole ? high + 1 : high;
        double value = log ? low * Math.pow(end / low, share) : low + (end - low) * share;
        if (whole) {
            return Long.toString((long) Math.min(high, Math.floor(value)));
        }
        BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0).toPlainString() : rounded.toPlainString();
    }
}

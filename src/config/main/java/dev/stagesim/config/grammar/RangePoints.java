package dev.stagesim.config.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The numbers of a range, in order.
 *
 * <p>Integer ranges, and all ranges of the stage dialect, compute an element when it is requested. Hydra's float ranges
 * accumulate with 28 decimal digits, from the binary value of each literal.
 */
public final class RangePoints {
    /** Maximum number of points of a range. */
    static final int MAX_POINTS = 1_000_000;

    private static final MathContext DECIMAL_28 = new MathContext(28, RoundingMode.HALF_EVEN);

    private final SweepValue.Range range;
    private final boolean integers;
    private final boolean spaced;

    private RangePoints(SweepValue.Range range, Dialect dialect) {
        this.range = range;
        this.integers = isInteger(range);
        boolean isFinite =
                Types.isFinite(range.start()) && Types.isFinite(range.stop()) && Types.isFinite(range.step());
        this.spaced = integers || (isFinite && dialect.hasExactRanges());
    }

    /** True if all points of {@code range} are integers because its ends and its step are. */
    static boolean isInteger(SweepValue.Range range) {
        return Types.isInteger(range.start()) && Types.isInteger(range.stop()) && Types.isInteger(range.step());
    }

    /**
     * Returns the points of {@code range}.
     *
     * @throws dev.stagesim.model.StageException if it cannot be enumerated, because the step is 0 or an end is NaN
     */
    public static RangePoints of(SweepValue.Range range, Dialect dialect) {
        RangePoints points = new RangePoints(range, dialect);
        if (points.isNan(range.start()) || points.isNan(range.stop()) || points.isNan(range.step())) {
            throw points.fault("a range with nan has no order");
        }
        if (Types.real(range.step()) == 0) {
            throw points.fault("the step of a range must not be 0");
        }
        return points;
    }

    /**
     * Returns all points, unmodifiable.
     *
     * @throws dev.stagesim.model.StageException if there are more than {@link #MAX_POINTS}
     */
    public List<Value.Scalar> all() {
        List<Value.Scalar> points = first(MAX_POINTS + 1);
        if (points.size() > MAX_POINTS) {
            throw fault("the range is too long; at most " + MAX_POINTS + " numbers");
        }
        return points;
    }

    /** Returns the first points, at most {@code limit}, unmodifiable. */
    List<Value.Scalar> first(int limit) {
        return spaced ? spaced(limit) : accumulated(limit);
    }

    /** Returns a range over the same points in reverse order. */
    SweepValue.Range reversed() {
        Value.Scalar step = Types.negate(range.step());
        List<Value.Scalar> points = all();
        if (points.isEmpty()) {
            return new SweepValue.Range(range.stop(), range.stop(), step, range.tags(), range.shuffle());
        }
        Value.Scalar last = points.get(points.size() - 1);
        BigDecimal beyond = Types.decimal(range.start()).subtract(Types.decimal(range.step()));
        Value.Scalar stop =
                Types.isInteger(last) ? Value.Int.of(beyond.toBigInteger()) : Value.Real.of(beyond.doubleValue());
        return new SweepValue.Range(last, stop, step, range.tags(), range.shuffle());
    }

    private List<Value.Scalar> spaced(int limit) {
        BigDecimal start = Types.decimal(range.start());
        BigDecimal step = Types.decimal(range.step());
        BigDecimal length = Types.decimal(range.stop()).subtract(start);
        if (length.signum() * step.signum() <= 0) {
            return List.of();
        }
        BigDecimal[] whole = length.divideAndRemainder(step);
        BigInteger count = whole[0].toBigInteger().add(whole[1].signum() == 0 ? BigInteger.ZERO : BigInteger.ONE);
        int size = count.min(BigInteger.valueOf(limit)).intValue();
        return new AbstractList<>() {
            @Override
            public Value.Scalar get(int index) {
                Objects.checkIndex(index, size);
                BigDecimal value = start.add(step.multiply(BigDecimal.valueOf(index)));
                return integers ? Value.Int.of(value.toBigInteger()) : Value.Real.of(value.doubleValue());
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    private List<Value.Scalar> accumulated(int limit) {
        double stop = Types.real(range.stop());
        double step = Types.real(range.step());
        double start = Types.real(range.start());
        List<Value.Scalar> points = new ArrayList<>();
        if (!Double.isFinite(start) || !Double.isFinite(step)) {
            for (double at = start; (step > 0 ? at < stop : at > stop) && points.size() < limit; at += step) {
                points.add(Value.Real.of(at));
            }
            return List.copyOf(points);
        }
        BigDecimal at = Types.exact(range.start());
        BigDecimal by = Types.exact(range.step());
        while (points.size() < limit && within(at, step > 0)) {
            points.add(Value.Real.of(at.doubleValue()));
            at = at.add(by, DECIMAL_28);
        }
        return List.copyOf(points);
    }

    private boolean within(BigDecimal at, boolean ascending) {
        if (!Types.isFinite(range.stop())) {
            return Types.real(range.stop()) > 0 == ascending;
        }
        int order = at.compareTo(Types.exact(range.stop()));
        return ascending ? order < 0 : order > 0;
    }

    private boolean isNan(Value.Scalar value) {
        return value instanceof Value.Real real && Double.isNaN(real.value());
    }

    private RuntimeException fault(String message) {
        return Faults.ofText(Serializer.serialise(range, Dialect.STAGE)).meaning(0, message, "");
    }
}

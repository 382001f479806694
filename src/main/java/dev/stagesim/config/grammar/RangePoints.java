package dev.stagesim.config.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of a range, in order.
 *
 * <p>Ranges of integers, and in our dialect all ranges, cost nothing until an element is asked for; Hydra's float
 * ranges accumulate with 28 decimal digits from the binary value of each literal and are listed at once.
 */
public final class RangePoints {
    /** Most numbers that a range may have. */
    public static final int MOST = 1_000_000;

    private static final MathContext DECIMAL_28 = new MathContext(28, RoundingMode.HALF_EVEN);

    private final RangeSweep range;
    private final List<Scalar> points;

    private RangePoints(RangeSweep range, List<Scalar> points) {
        this.range = range;
        this.points = points;
    }

    /**
     * The points of {@code range}.
     *
     * @throws dev.stagesim.model.StageException when it cannot be enumerated: step 0, or too many points
     */
    public static RangePoints of(RangeSweep range, Dialect dialect) {
        boolean integers =
                Types.isInteger(range.start()) && Types.isInteger(range.stop()) && Types.isInteger(range.step());
        if (integers || dialect == Dialect.STAGE) {
            return new RangePoints(range, spaced(range, integers));
        }
        return new RangePoints(range, accumulated(range));
    }

    /** The points; unmodifiable. */
    public List<Scalar> all() {
        return points;
    }

    /** A range over the same points in the opposite order. */
    RangeSweep reversed() {
        Scalar step = Arithmetic.negate(range.step());
        if (points.isEmpty()) {
            return new RangeSweep(range.stop(), range.stop(), step, range.tags(), range.shuffle());
        }
        Scalar last = points.get(points.size() - 1);
        BigDecimal beyond = Types.decimal(range.start()).subtract(Types.decimal(range.step()));
        Scalar stop = Types.isInteger(last)
                ? IntValue.of(beyond.toBigInteger())
                : FloatValue.of(beyond.doubleValue());
        return new RangeSweep(last, stop, step, range.tags(), range.shuffle());
    }

    private static List<Scalar> spaced(RangeSweep range, boolean integers) {
        BigDecimal start = Types.decimal(range.start());
        BigDecimal step = Types.decimal(range.step());
        BigDecimal length = Types.decimal(range.stop()).subtract(start);
        if (step.signum() == 0) {
            throw fault(range, "the step of a range must not be 0");
        }
        if (length.signum() * step.signum() <= 0) {
            return List.of();
        }
        BigInteger count = length.divide(step, 0, RoundingMode.CEILING).toBigInteger();
        if (count.compareTo(BigInteger.valueOf(MOST)) > 0) {
            throw fault(range, "a range of " + count + " numbers is too long; at most " + MOST);
        }
        int size = count.intValue();
        return new AbstractList<>() {
            @Override
            public Scalar get(int index) {
                java.util.Objects.checkIndex(index, size);
                BigDecimal value = start.add(step.multiply(BigDecimal.valueOf(index)));
                return integers ? IntValue.of(value.toBigInteger()) : FloatValue.of(value.doubleValue());
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    private static List<Scalar> accumulated(RangeSweep range) {
        if (isNan(range.start()) || isNan(range.stop()) || isNan(range.step())) {
            throw fault(range, "a range with nan has no order");
        }
        double step = Types.real(range.step());
        if (step == 0) {
            throw fault(range, "the step of a range must not be 0");
        }
        List<Scalar> points = new ArrayList<>();
        if (!Types.isFinite(range.start()) || !Types.isFinite(range.step())) {
            boolean forward = Types.real(range.start()) < Types.real(range.stop());
            boolean any = step > 0 ? forward : Types.real(range.start()) > Types.real(range.stop());
            if (any && !Types.isFinite(range.start())) {
                throw fault(range, "the range never ends");
            }
            return any ? List.of(FloatValue.of(Types.real(range.start()))) : points;
        }
        BigDecimal at = Types.exact(range.start());
        BigDecimal by = Types.exact(range.step());
        while (within(at, range.stop(), step)) {
            if (points.size() == MOST) {
                throw fault(range, "the range is too long; at most " + MOST + " numbers");
            }
            points.add(FloatValue.of(at.doubleValue()));
            at = at.add(by, DECIMAL_28);
        }
        return List.copyOf(points);
    }

    private static boolean within(BigDecimal at, Scalar stop, double step) {
        if (!Types.isFinite(stop)) {
            return Types.real(stop) > 0 == step > 0;
        }
        int order = at.compareTo(Types.exact(stop));
        return step > 0 ? order < 0 : order > 0;
    }

    private static boolean isNan(Scalar value) {
        return value instanceof FloatValue real && Double.isNaN(real.value());
    }

    private static RuntimeException fault(RangeSweep range, String message) {
        return Faults.ofText(Serializer.serialise(range, Dialect.STAGE)).meaning(0, message, "");
    }
}

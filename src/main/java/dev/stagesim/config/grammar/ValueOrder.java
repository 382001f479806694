package dev.stagesim.config.grammar;

import java.util.List;

/** Compares values as Python does: numbers with numbers, strings with strings, lists item by item. */
final class ValueOrder {
    private final Dialect dialect;

    ValueOrder(Dialect dialect) {
        this.dialect = dialect;
    }

    /**
     * True when {@code a} comes before {@code b}; NaN comes before nothing.
     *
     * @throws CallFault when they cannot be compared
     */
    boolean less(Value a, Value b) {
        if (isNumber(a) && isNumber(b)) {
            return lessNumber(a, b);
        }
        boolean quoted = a instanceof QuotedValue || b instanceof QuotedValue;
        if (Types.isText(a) && Types.isText(b) && !(quoted && dialect == Dialect.HYDRA)) {
            return comparePoints(((Scalar) a).text(), ((Scalar) b).text()) < 0;
        }
        if (a instanceof ListValue first && b instanceof ListValue second) {
            return lessList(first.items(), second.items());
        }
        throw new CallFault(
                Types.name(a) + " and " + Types.name(b) + " have no order",
                "sort numbers with numbers, text with text");
    }

    private static boolean isNumber(Value value) {
        return Types.isNumber(value, Dialect.HYDRA);
    }

    private static boolean lessNumber(Value a, Value b) {
        if (Types.isFinite(a) && Types.isFinite(b)) {
            return Types.exact(a).compareTo(Types.exact(b)) < 0;
        }
        double x = Types.isFinite(a) ? 0 : Types.real(a);
        double y = Types.isFinite(b) ? 0 : Types.real(b);
        return x < y;
    }

    private boolean lessList(List<Value> a, List<Value> b) {
        int common = Math.min(a.size(), b.size());
        for (int i = 0; i < common; i++) {
            if (!same(a.get(i), b.get(i))) {
                return less(a.get(i), b.get(i));
            }
        }
        return a.size() < b.size();
    }

    private static boolean same(Value a, Value b) {
        if (isNumber(a) && isNumber(b)) {
            return !lessNumber(a, b) && !lessNumber(b, a);
        }
        return a.equals(b);
    }

    /** Order by code points, which UTF-16 order is not. */
    private static int comparePoints(String a, String b) {
        int[] x = a.codePoints().toArray();
        int[] y = b.codePoints().toArray();
        return java.util.Arrays.compare(x, y);
    }
}

package dev.stagesim.sim.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

/** Joins an arrival process and a source of lengths to a table of requests. */
public final class RequestGenerator {
    /** Above this, times in nanoseconds no longer fit 63 bits. */
    private static final double LAST_SECOND = 9.2e9;

    private RequestGenerator() {}

    /** Why generation ended. */
    public enum End {
        /** The stop rule. */
        RULE,
        /** No more arrival times. */
        GAPS,
        /** No more lengths. */
        LENGTHS,
        /** Times no longer fit 64 bits of nanoseconds: the rate is far too low. */
        CLOCK
    }

    /** The requests, and why there are no more. */
    public record Generated(RequestTable requests, End end) {}

    /**
     * Generates requests until the stop rule or a source ends it.
     *
     * <p>What rounding to whole nanoseconds takes from one gap is given to the next, so every arrival is within a
     * nanosecond of the sum of the gaps so far, however many there are.
     *
     * @throws IllegalArgumentException if neither rule nor sources can end the generation
     */
    public static Generated generate(GapSource gaps, LengthSource lengths, StopRule rule) {
        requireEnd(gaps, rule);
        RequestTable table = new RequestTable(expected(rule));
        double limitNs = rule.seconds() * NS_PER_S;
        long arrival = 0;
        double carry = 0;
        while (table.size() < rule.requests()) {
            if (!gaps.hasNext()) {
                return new Generated(table, End.GAPS);
            }
            double exact = gaps.next() * NS_PER_S + carry;
            if (exact + arrival > LAST_SECOND * NS_PER_S) {
                return new Generated(table, End.CLOCK);
            }
            long step = (long) Math.rint(exact);
            carry = exact - step;
            arrival += step;
            if (arrival >= limitNs) {
                return new Generated(table, End.RULE);
            }
            if (!lengths.next()) {
                return new Generated(table, End.LENGTHS);
            }
            table.add(arrival, arrival / NS_PER_S, lengths);
        }
        return new Generated(table, End.RULE);
    }

    /**
     * Generates requests as Vidur does: times are plain sums of doubles; a time limit makes the number of requests moot,
     * and the request that crosses it is drawn, then dropped.
     */
    public static Generated generateVidur(GapSource gaps, LengthSource lengths, StopRule rule) {
        requireEnd(gaps, rule);
        RequestTable table = new RequestTable(expected(rule));
        double time = 0;
        while (rule.isTimed() ? time < rule.seconds() : table.size() < rule.requests()) {
            if (!gaps.hasNext()) {
                return new Generated(table, End.GAPS);
            }
            time += gaps.next();
            if (!lengths.next()) {
                return new Generated(table, End.LENGTHS);
            }
            if (time > LAST_SECOND) {
                return new Generated(table, End.CLOCK);
            }
            table.add((long) Math.rint(time * NS_PER_S), time, lengths);
        }
        if (rule.isTimed() && time >= rule.seconds()) {
            table.truncate(table.size() - 1);
        }
        return new Generated(table, End.RULE);
    }

    private static void requireEnd(GapSource gaps, StopRule rule) {
        boolean limited = rule.requests() < Integer.MAX_VALUE;
        if (gaps.standsStill() && rule.isTimed() && !limited) {
            throw new IllegalArgumentException("arrivals with no gaps never reach a time limit");
        }
    }

    private static int expected(StopRule rule) {
        return rule.requests() == Integer.MAX_VALUE ? 1024 : rule.requests();
    }
}

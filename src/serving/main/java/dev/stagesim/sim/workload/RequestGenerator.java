package dev.stagesim.sim.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

/** Combines an arrival process and a source of lengths into a table of requests. */
public final class RequestGenerator {
    /** Times above this exceed 63 bits of nanoseconds. */
    private static final double LAST_SECOND = 9.2e9;

    private RequestGenerator() {}

    /** Reasons for the end of generation. */
    public enum End {
        /** The stop rule. */
        RULE,
        /** The arrival times are exhausted. */
        GAPS,
        /** The lengths are exhausted. */
        LENGTHS,
        /** A time exceeds 64 bits of nanoseconds: the rate is far too low. */
        CLOCK
    }

    /** The requests, and the reason for the end. */
    public record Generated(RequestTable requests, End end) {}

    /**
     * Generates requests until the stop rule applies or a source is exhausted.
     *
     * <p>The rounding error of a gap to whole nanoseconds is carried to the next gap, so every arrival is within a
     * nanosecond of the sum of the gaps.
     *
     * @throws IllegalArgumentException if neither the rule nor the sources end the generation
     */
    public static Generated generate(InterArrivalSource gaps, LengthSource lengths, StopRule rule) {
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
     * Generates requests like Vidur: times are plain sums of doubles. With a time limit the number of requests is
     * ignored, and the request that crosses the limit is drawn and then dropped.
     */
    public static Generated generateVidur(InterArrivalSource gaps, LengthSource lengths, StopRule rule) {
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

    private static void requireEnd(InterArrivalSource gaps, StopRule rule) {
        boolean limited = rule.requests() < Integer.MAX_VALUE;
        if (gaps.standsStill() && rule.isTimed() && !limited) {
            throw new IllegalArgumentException("arrivals with no gaps never reach a time limit");
        }
    }

    private static int expected(StopRule rule) {
        return rule.requests() == Integer.MAX_VALUE ? 1024 : rule.requests();
    }
}

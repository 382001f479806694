package dev.stagesim.sim.serving.cluster;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Sessions in closed loop: a round is sent when the one before has ended and the user has thought.
 *
 * <p>As in BLIS a session takes over one output token less than was generated: the last one is never computed on.
 */
public final class BlisSessions {
    private static final long FOLLOW_UP_TIMEOUT = 300_000_000;
    /** Tokens from here on belong to one text only. */
    private static final long OWN_TOKENS = 1L << 40;

    /**
     * A round.
     *
     * @param thinking time from the end of the round before
     */
    public record Round(int input, int output, long thinking) {}

    /**
     * A session.
     *
     * @param request id of its first request
     * @param prefix tokens that every prompt starts with
     * @param deadline absolute deadline of the first request; 0 for none
     */
    public record Plan(
            String session,
            String request,
            long arrival,
            List<Round> rounds,
            long[] prefix,
            String serviceClass,
            String tenant,
            String adapter,
            long deadline) {}

    private static final class Session {
        private final Plan plan;
        private int round;
        private boolean isOver;

        Session(Plan plan) {
            this.plan = plan;
        }
    }

    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private final boolean accumulates;
    private final long horizon;
    private long nextToken = OWN_TOKENS;
    private long followUps;

    /**
     * Sessions without rounds yet.
     *
     * @param accumulates whether a prompt holds all prompts and outputs before it
     * @param horizon no round begins after it
     */
    public BlisSessions(boolean accumulates, long horizon) {
        this.accumulates = accumulates;
        this.horizon = horizon;
    }

    /** Makes a session known; gives its first request. */
    public BlisRequest.Spec first(Plan plan) {
        sessions.put(plan.session(), new Session(plan));
        Round round = plan.rounds().get(0);
        return spec(plan, plan.request(), plan.arrival(), 0, own(plan.prefix(), round.input()), plan.deadline());
    }

    /** The request that follows one that ended at {@code end}. */
    Optional<BlisRequest.Spec> next(BlisRequest ended, BlisRequest.State state, int progress, long end) {
        Session session = sessions.get(ended.spec().session());
        if (session == null || session.isOver) {
            return Optional.empty();
        }
        Plan plan = session.plan;
        int number = session.round + 1;
        session.isOver = state == BlisRequest.State.TIMED_OUT
                || state == BlisRequest.State.QUEUED
                || number >= plan.rounds().size();
        if (session.isOver) {
            return Optional.empty();
        }
        Round round = plan.rounds().get(number);
        long arrival = end + round.thinking();
        if (arrival > horizon) {
            session.isOver = true;
            return Optional.empty();
        }
        session.round = number;
        long[] before = accumulates ? conversation(ended.spec(), progress) : plan.prefix();
        String id = "session_" + plan.session() + "_round_" + number + "_" + ++followUps;
        return Optional.of(spec(plan, id, arrival, number, own(before, round.input()), arrival + FOLLOW_UP_TIMEOUT));
    }

    private static long[] conversation(BlisRequest.Spec spec, int progress) {
        int generated = Math.max(0, progress - spec.promptLength());
        return LongStream.concat(
                        Arrays.stream(spec.prompt()),
                        Arrays.stream(spec.output()).limit(generated))
                .toArray();
    }

    private BlisRequest.Spec spec(Plan plan, String id, long arrival, int round, long[] prompt, long deadline) {
        int output = plan.rounds().get(round).output();
        return new BlisRequest.Spec(
                id,
                arrival,
                prompt,
                own(new long[0], output),
                output,
                plan.serviceClass(),
                plan.tenant(),
                plan.adapter(),
                plan.session(),
                round,
                deadline,
                0,
                false);
    }

    private long[] own(long[] before, int count) {
        long[] text = Arrays.copyOf(before, before.length + count);
        for (int i = before.length; i < text.length; i++) {
            text[i] = nextToken++;
        }
        return text;
    }
}

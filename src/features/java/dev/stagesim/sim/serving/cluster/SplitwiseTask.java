package dev.stagesim.sim.serving.cluster;

import org.jspecify.annotations.Nullable;

/** The prompt or the later tokens of a request, as Splitwise runs them on an instance. */
public final class SplitwiseTask {
    enum State {
        QUEUED,
        RUNNING,
        BLOCKED
    }

    /** A request: its two tasks and the transfer between them, times in seconds. */
    public static final class Request {
        final int id;
        final double arrival;
        final SplitwiseTask prompt;
        final SplitwiseTask tokens;
        long memory;
        double transferArrival = Double.NaN;
        double transferStart = Double.NaN;
        double transferEnd = Double.NaN;
        double end = Double.NaN;

        private final long tokenBytes;

        Request(int id, double arrival, int prompt, int output, long tokenBytes) {
            this.tokenBytes = tokenBytes;
            this.id = id;
            this.arrival = arrival;
            this.prompt = new SplitwiseTask(this, true, prompt);
            this.tokens = new SplitwiseTask(this, false, output - 1);
        }

        public int id() {
            return id;
        }

        public double arrival() {
            return arrival;
        }

        public SplitwiseTask prompt() {
            return prompt;
        }

        public SplitwiseTask tokens() {
            return tokens;
        }

        /** When the request was done; not a number before. */
        public double end() {
            return end;
        }

        /** Arrival, start and end of the transfer; not numbers when there was none. */
        public double[] transfer() {
            return new double[] {transferArrival, transferStart, transferEnd};
        }

        /** Bytes of the prompt's keys and values. */
        public long transferBytes() {
            return prompt.length * tokenBytes;
        }
    }

    final Request request;
    final boolean isPrompt;
    final int length;
    State state = State.QUEUED;
    int generated;
    int generating;
    int preemptions;

    @Nullable
    SplitwiseInstance instance;

    double arrived = Double.NaN;
    double started = Double.NaN;
    double ended = Double.NaN;

    SplitwiseTask(Request request, boolean isPrompt, int length) {
        this.request = request;
        this.isPrompt = isPrompt;
        this.length = length;
    }

    /** Bytes of its keys and values. */
    long memory() {
        return (isPrompt ? length + 1 : length) * request.tokenBytes;
    }

    int tokensOfStep() {
        return isPrompt ? length : 1;
    }

    int left() {
        return (isPrompt ? 1 : length) - generated;
    }

    /** Times at which it stood in line before others that went. */
    public int preemptions() {
        return preemptions;
    }

    /** Number of the instance it ran on. */
    public int instance() {
        return instance == null ? -1 : instance.number();
    }

    /** Arrival, start and end. */
    public double[] times() {
        return new double[] {arrived, started, ended};
    }
}

package dev.stagesim.sim.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.sim.core.Variates;
import java.util.Arrays;

/** Assigns shared tokens to generated requests. */
public final class Sharing {
    /** Arrival of a turn beyond 64 bits of nanoseconds. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Bits of the length of a group's prefix. */
    private static final int PREFIX_BITS = 20;

    /**
     * Requests with their shared tokens.
     *
     * @param truncation tokens that the length limit removed from first turns
     * @param cutSessions sessions that the length limit ended before their last turn
     */
    public record Shared(RequestTable requests, SharedTokens tokens, Truncation truncation, int cutSessions) {
        /** Requests that were not truncated. */
        public Shared(RequestTable requests, SharedTokens tokens) {
            this(requests, tokens, Truncation.NONE, 0);
        }
    }

    private Sharing() {}

    /** Log-normal prefix lengths with this mean, at least 1. Without a spread, all are equal and nothing is drawn. */
    public static int[] prefixLengths(int groups, int mean, double spread, RandomStream random) {
        int[] lengths = new int[groups];
        Arrays.fill(lengths, mean);
        Variates variates = new Variates(random);
        for (int i = 0; spread > 0 && i < groups; i++) {
            double drawn = mean * Math.exp(spread * variates.normal() - spread * spread / 2);
            lengths[i] = (int) Math.max(1, Math.min(1 << PREFIX_BITS, Math.round(drawn)));
        }
        return lengths;
    }

    /**
     * Prompts that begin with the prefix of a Zipf-distributed group.
     *
     * @param lengths tokens of each group's prefix
     */
    public static Shared prefixes(RequestTable requests, int[] lengths, double theta, RandomStream random) {
        double[] sums = ZipfTable.sums(lengths.length, theta);
        SharedTokens shared = new SharedTokens();
        for (int i = 0; i < requests.size(); i++) {
            int group = ZipfTable.find(sums, random.nextDouble());
            shared.run((long) group << PREFIX_BITS, Math.min(lengths[group], requests.prefill(i)));
            shared.next();
        }
        return new Shared(requests, shared);
    }

    /**
     * Parameters of sessions or agent tasks after their first request.
     *
     * @param turns maximum requests of a session
     * @param isDrawn whether {@code turns} is instead the mean of a geometric distribution
     * @param gapSeconds mean of the exponential time between two turns
     * @param tokenSeconds additional time per output token before the next turn
     * @param newTokens mean of the exponential number of tokens that a turn adds; 0 uses the generated prompt
     * @param forgotten leading share of an output that later prompts omit
     * @param common tokens at the start of all prompts
     */
    public record Style(
            double turns,
            boolean isDrawn,
            double gapSeconds,
            double tokenSeconds,
            double newTokens,
            double forgotten,
            int common) {
        /** A chat session with a mean think time and common tokens at the start of all prompts. */
        public static Style conversation(int turns, double thinkSeconds, int common) {
            return new Style(turns, false, thinkSeconds, 0, 0, 0, common);
        }

        private int turns(Variates random) {
            return isDrawn && turns > 1
                    ? (int) Math.min(1 << 20, 1 + Math.floor(random.exponential() / -Math.log(1 - 1 / turns)))
                    : (int) turns;
        }

        private int added(int drawn, Variates random) {
            return newTokens == 0
                    ? drawn
                    : (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.round(random.exponential() * newTokens)));
        }

        private int left(int output) {
            return (int) Math.round(output * (1 - forgotten));
        }
    }

    /**
     * Sessions of several generated requests each; prompts contain the earlier turns.
     *
     * @param maxTurnTokens maximum prompt and output tokens of a turn; a turn that would exceed it starts a new session
     */
    public static Shared sessions(RequestTable drawn, Style style, int maxTurnTokens, RandomStream random) {
        Sessions made = new Sessions(drawn, style, maxTurnTokens, new Variates(random));
        made.draw();
        return made.inOrder();
    }

    /** The turns of all sessions, session by session. */
    private static final class Sessions {
        private final RequestTable drawn;
        private final Style style;
        private final int maxTokens;
        private final Variates random;
        private final int[] before;
        private final int[] added;
        private final int[] prompt;
        private final long[] arrival;
        private Truncation truncation = Truncation.NONE;
        private int cut;

        Sessions(RequestTable drawn, Style style, int maxTokens, Variates random) {
            this.drawn = drawn;
            this.style = style;
            this.maxTokens = maxTokens;
            this.random = random;
            before = new int[drawn.size()];
            added = new int[drawn.size()];
            prompt = new int[drawn.size()];
            arrival = new long[drawn.size()];
        }

        void draw() {
            int turn = 0;
            int turns = 0;
            for (int i = 0; i < before.length; i++) {
                boolean isOver = turn == 0 || turn >= turns;
                if (isOver || !continuesSession(i)) {
                    cut += isOver ? 0 : 1;
                    begin(i);
                    turn = 0;
                    turns = style.turns(random);
                }
                turn++;
            }
        }

        private void begin(int i) {
            before[i] = -1;
            added[i] = Math.max(1, Math.min(drawn.prefill(i), maxTokens - style.common() - drawn.decode(i)));
            truncation = truncation.with(drawn.prefill(i) - added[i], 0);
            prompt[i] = style.common() + added[i];
            arrival[i] = drawn.arrivalNs(i);
        }

        /** Makes a request the next turn of the previous one, unless it would be too long. */
        private boolean continuesSession(int i) {
            int addedTokens = style.added(drawn.prefill(i), random);
            long grown = (long) prompt[i - 1] + style.left(drawn.decode(i - 1)) + addedTokens;
            if (grown + drawn.decode(i) > maxTokens) {
                return false;
            }
            before[i] = i - 1;
            added[i] = addedTokens;
            prompt[i] = (int) grown;
            double seconds = random.exponential() * style.gapSeconds() + drawn.decode(i - 1) * style.tokenSeconds();
            arrival[i] = arrival[i - 1] + Math.min(NEVER - arrival[i - 1], Math.round(seconds * NS_PER_S));
            return true;
        }

        Shared inOrder() {
            int size = before.length;
            int[] order = StableOrder.of(size, (a, b) -> Long.compare(arrival[a], arrival[b]));
            int[] number = new int[size];
            for (int i = 0; i < size; i++) {
                number[order[i]] = i;
            }
            RequestTable requests = new RequestTable(size);
            SharedTokens shared = new SharedTokens();
            for (int at : order) {
                requests.add(arrival[at], arrival[at] / NS_PER_S, prompt[at], drawn.decode(at), drawn.row(at));
                shared.run(0, style.common());
                addHistory(number, before[at], shared);
                shared.next();
            }
            return new Shared(requests, shared, truncation, cut);
        }

        /** Adds the history up to and including a turn: the prompts and the retained outputs, the first turn first. */
        private void addHistory(int[] number, int turn, SharedTokens shared) {
            int first = turn;
            int turns = 0;
            while (first >= 0) {
                turns++;
                first = before[first];
            }
            // the turns of a session have consecutive indices
            for (int at = turn - turns + 1; at <= turn; at++) {
                shared.run(SharedTokens.promptOf(number[at]), added[at]);
                int left = style.left(drawn.decode(at));
                shared.run(SharedTokens.outputOf(number[at]) + drawn.decode(at) - left, left);
            }
        }
    }
}

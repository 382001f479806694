package dev.stagesim.sim.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.sim.core.Variates;
import java.util.Arrays;

/** Gives drawn requests tokens in common. */
public final class Sharing {
    /** Arrival of a turn that no clock of 64 bits of nanoseconds would reach. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Tokens that a group's prefix can have at most. */
    private static final int PREFIX_BITS = 20;

    /**
     * Requests with their common tokens.
     *
     * @param truncation tokens that the length limit removed from first turns
     */
    public record Shared(RequestTable requests, SharedTokens tokens, Truncation truncation) {
        /** Requests that were not shortened. */
        public Shared(RequestTable requests, SharedTokens tokens) {
            this(requests, tokens, Truncation.NONE);
        }
    }

    private Sharing() {}

    /** Lengths of prefixes: log-normal with such a mean, at least a token; all the same, and nothing drawn, without a spread. */
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
     * Prompts that begin with the prefix of a group drawn by Zipf's law.
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
     * How a conversation or task goes on after its first request.
     *
     * @param turns requests of a conversation, at most
     * @param isDrawn whether {@code turns} is the mean of a geometric number instead
     * @param gapSeconds mean of the exponential time between two turns
     * @param tokenSeconds time for each output token before the next turn
     * @param newTokens mean of the exponential number of tokens that a turn adds; 0 for the prompt that was drawn
     * @param forgotten share of an output that is not in later prompts: its leading part
     * @param common tokens that all prompts begin with
     */
    public record Style(
            double turns,
            boolean isDrawn,
            double gapSeconds,
            double tokenSeconds,
            double newTokens,
            double forgotten,
            int common) {
        /** A conversation of people, with so much time to think. */
        public static Style conversation(int turns, double thinkSeconds) {
            return new Style(turns, false, thinkSeconds, 0, 0, 0, 0);
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
     * Conversations of several drawn requests each, whose prompts grow by what was said.
     *
     * @param mostTokens most prompt and output tokens of a turn; a turn that would exceed it begins a conversation
     */
    public static Shared sessions(RequestTable drawn, Style style, int mostTokens, RandomStream random) {
        Sessions made = new Sessions(drawn, style, mostTokens, new Variates(random));
        made.draw();
        return made.inOrder();
    }

    /** The turns of all conversations, those of one behind the other. */
    private static final class Sessions {
        private final RequestTable drawn;
        private final Style style;
        private final int most;
        private final Variates random;
        private final int[] before;
        private final int[] added;
        private final int[] prompt;
        private final long[] arrival;
        private Truncation truncation = Truncation.NONE;

        Sessions(RequestTable drawn, Style style, int most, Variates random) {
            this.drawn = drawn;
            this.style = style;
            this.most = most;
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
                if (turn == 0 || turn >= turns || !goesOn(i)) {
                    begin(i);
                    turn = 0;
                    turns = style.turns(random);
                }
                turn++;
            }
        }

        private void begin(int i) {
            before[i] = -1;
            added[i] = Math.max(1, Math.min(drawn.prefill(i), most - style.common() - drawn.decode(i)));
            truncation = truncation.with(drawn.prefill(i) - added[i], 0);
            prompt[i] = style.common() + added[i];
            arrival[i] = drawn.arrivalNs(i);
        }

        /** Makes a request the turn after the one before it, unless it would be too long. */
        private boolean goesOn(int i) {
            int own = style.added(drawn.prefill(i), random);
            long grown = (long) prompt[i - 1] + style.left(drawn.decode(i - 1)) + own;
            if (grown + drawn.decode(i) > most) {
                return false;
            }
            before[i] = i - 1;
            added[i] = own;
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
                said(number, before[at], shared);
                shared.next();
            }
            return new Shared(requests, shared, truncation);
        }

        /** What was said up to and with a turn: its own words and what is kept of the answer, the first turn first. */
        private void said(int[] number, int turn, SharedTokens shared) {
            int first = turn;
            int turns = 0;
            while (first >= 0) {
                turns++;
                first = before[first];
            }
            // the turns of a conversation were drawn one behind the other
            for (int at = turn - turns + 1; at <= turn; at++) {
                shared.run(SharedTokens.promptOf(number[at]), added[at]);
                int left = style.left(drawn.decode(at));
                shared.run(SharedTokens.outputOf(number[at]) + drawn.decode(at) - left, left);
            }
        }
    }
}

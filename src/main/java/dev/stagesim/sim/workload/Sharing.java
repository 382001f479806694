package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.sim.core.Variates;

/** Gives drawn requests tokens in common. */
public final class Sharing {
    /** Tokens that a group's prefix can have at most. */
    private static final int PREFIX_BITS = 20;

    private static final double NS_PER_SECOND = 1e9;

    /** Requests, and what they have in common. */
    public record Shared(RequestTable requests, SharedTokens tokens) {}

    private Sharing() {}

    /** Prompts that begin with the prefix of a group drawn by Zipf's law. */
    public static Shared prefixes(RequestTable requests, int groups, int tokens, double theta, RandomStream random) {
        double[] sums = ZipfTable.sums(groups, theta);
        SharedTokens shared = new SharedTokens();
        for (int i = 0; i < requests.size(); i++) {
            long group = ZipfTable.find(sums, random.nextDouble());
            shared.run(group << PREFIX_BITS, Math.min(tokens, requests.prefill(i)));
            shared.next();
        }
        return new Shared(requests, shared);
    }

    /**
     * Conversations of {@code turns} drawn requests each, whose prompts grow by all that was said.
     *
     * @param thinkSeconds mean time between the arrivals of two turns
     * @param mostTokens most prompt and output tokens of a turn; a turn that would exceed it begins a conversation
     */
    public static Shared sessions(
            RequestTable drawn, int turns, double thinkSeconds, int mostTokens, RandomStream random) {
        int size = drawn.size();
        int[] before = new int[size];
        int[] prompt = new int[size];
        long[] arrival = new long[size];
        Variates think = new Variates(random);
        int turn = 0;
        for (int i = 0; i < size; i++) {
            before[i] = -1;
            prompt[i] = drawn.prefill(i);
            arrival[i] = drawn.arrivalNs(i);
            long grown = turn == 0 ? 0 : (long) prompt[i - 1] + drawn.decode(i - 1) + drawn.prefill(i);
            if (turn > 0 && turn < turns && grown + drawn.decode(i) <= mostTokens) {
                before[i] = i - 1;
                prompt[i] = (int) grown;
                arrival[i] = arrival[i - 1] + Math.round(think.exponential() * thinkSeconds * NS_PER_SECOND);
                turn++;
            } else {
                turn = 1;
            }
        }
        return inOrder(drawn, before, prompt, arrival);
    }

    private static Shared inOrder(RequestTable drawn, int[] before, int[] prompt, long[] arrival) {
        int size = drawn.size();
        int[] order = StableOrder.of(size, (a, b) -> Long.compare(arrival[a], arrival[b]));
        int[] number = new int[size];
        for (int i = 0; i < size; i++) {
            number[order[i]] = i;
        }
        RequestTable requests = new RequestTable(size);
        SharedTokens shared = new SharedTokens();
        for (int at : order) {
            requests.add(arrival[at], arrival[at] / NS_PER_SECOND, prompt[at], drawn.decode(at), drawn.row(at));
            said(drawn, before, number, before[at], shared);
            shared.next();
        }
        return new Shared(requests, shared);
    }

    /** What was said up to and with a turn: its own words and the answer, the first turn first. */
    private static void said(RequestTable drawn, int[] before, int[] number, int turn, SharedTokens shared) {
        int first = turn;
        int turns = 0;
        while (first >= 0) {
            turns++;
            first = before[first];
        }
        // the turns of a conversation were drawn one behind the other
        for (int at = turn - turns + 1; at <= turn; at++) {
            shared.run(SharedTokens.promptOf(number[at]), drawn.prefill(at));
            shared.run(SharedTokens.outputOf(number[at]), drawn.decode(at));
        }
    }
}

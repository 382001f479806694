package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The batch of one step: running requests in order, followed by admitted ones. */
public final class StepPlan {
    /** The way in which a request entered the batch. */
    public enum Entry {
        NEW,
        RESUMED,
        RUNNING
    }

    private final List<LiveRequest> requests = new ArrayList<>();
    private final List<LiveRequest> preempted = new ArrayList<>();
    private final List<LiveRequest> hitRequests = new ArrayList<>();
    private final IntList hits = new IntList();
    private final IntList finished = new IntList();
    private Entry[] entries = new Entry[16];
    private int[] tokens = new int[16];
    private int[] computed = new int[16];
    private int[] drafts = new int[16];
    private boolean[] isPadded = new boolean[16];
    private boolean[] samples = new boolean[16];
    private int[] outputs = new int[16];
    /** The copied blocks of most steps; must not be modified. */
    private static final IntList NO_COPIES = new IntList();

    private IntList copies = NO_COPIES;
    private long step;
    private long awaited;
    private boolean defersSampling;
    private int total;
    private int draftsAsked;
    private boolean skipsDrafts;
    private int inStep;
    private int madeIndividual;
    private long groupChanges;

    void begin(long number) {
        requests.clear();
        preempted.clear();
        hitRequests.clear();
        hits.clear();
        finished.clear();
        copies = NO_COPIES;
        step = number;
        awaited = 0;
        defersSampling = false;
        total = 0;
        inStep = 0;
        madeIndividual = 0;
    }

    /**
     * Adds {@code count} requests that decode in lockstep. They precede the other requests and have no entries.
     *
     * @param changes number of changes of the lockstep group so far
     */
    void inStep(int count, long changes) {
        inStep = count;
        groupChanges = changes;
        total += count;
    }

    /** Returns true if the step contains only requests in lockstep, with no change of the group since {@code changes}. */
    boolean isSteady(long changes) {
        return requests.isEmpty() && inStep > 0 && groupChanges == changes;
    }

    /** Advances the plan to a later step with equal content. */
    void passed(int steps) {
        step += steps;
    }

    /** Converts a request in lockstep into an entry, after other entries of this kind. */
    void makeIndividual(LiveRequest request, int before) {
        int at = madeIndividual++;
        int behind = requests.size() - at;
        add(request, Entry.RUNNING, 1, before, 0, false);
        total--;
        requests.add(at, requests.remove(at + behind));
        System.arraycopy(entries, at, entries, at + 1, behind);
        System.arraycopy(tokens, at, tokens, at + 1, behind);
        System.arraycopy(computed, at, computed, at + 1, behind);
        System.arraycopy(drafts, at, drafts, at + 1, behind);
        System.arraycopy(isPadded, at, isPadded, at + 1, behind);
        System.arraycopy(samples, at, samples, at + 1, behind);
        entries[at] = Entry.RUNNING;
        tokens[at] = 1;
        computed[at] = before;
        drafts[at] = 0;
        isPadded[at] = false;
        samples[at] = true;
    }

    /** Removes the entries of requests from the lockstep group. */
    void dropMadeIndividual() {
        for (; madeIndividual > 0; madeIndividual--) {
            total += 1 - remove(requests.get(0));
        }
    }

    /** Marks that all requests in lockstep are entries now. */
    void settled() {
        inStep = 0;
        madeIndividual = 0;
    }

    void add(LiveRequest request, Entry entry, int scheduled, int before, int verified, boolean padded) {
        int at = requests.size();
        if (at == tokens.length) {
            entries = Arrays.copyOf(entries, at * 2);
            tokens = Arrays.copyOf(tokens, at * 2);
            computed = Arrays.copyOf(computed, at * 2);
            drafts = Arrays.copyOf(drafts, at * 2);
            isPadded = Arrays.copyOf(isPadded, at * 2);
            samples = Arrays.copyOf(samples, at * 2);
            outputs = Arrays.copyOf(outputs, at * 2);
        }
        requests.add(request);
        entries[at] = entry;
        tokens[at] = scheduled;
        computed[at] = before;
        drafts[at] = verified;
        isPadded[at] = padded;
        total += scheduled;
    }

    /** Removes a request. Returns its tokens, or 0 if it is not in the batch. */
    int remove(LiveRequest request) {
        int at = requests.indexOf(request);
        if (at < 0) {
            return 0;
        }
        int gone = tokens[at];
        int behind = requests.size() - at - 1;
        requests.remove(at);
        System.arraycopy(entries, at + 1, entries, at, behind);
        System.arraycopy(tokens, at + 1, tokens, at, behind);
        System.arraycopy(computed, at + 1, computed, at, behind);
        System.arraycopy(drafts, at + 1, drafts, at, behind);
        System.arraycopy(isPadded, at + 1, isPadded, at, behind);
        System.arraycopy(samples, at + 1, samples, at, behind);
        total -= gone;
        return gone;
    }

    void addHit(LiveRequest request, int hitTokens) {
        if (hitTokens > 0) {
            hitRequests.add(request);
            hits.add(hitTokens);
        }
    }

    void samples(int at, boolean does) {
        samples[at] = does;
    }

    /** Sets the length of a request's output after the step, before any stop condition. */
    void outputs(int at, int length) {
        outputs[at] = length;
    }

    int outputs(int at) {
        return outputs[at];
    }

    void copies(IntList made) {
        copies = made;
    }

    void draftsAsked(int count) {
        draftsAsked = count;
    }

    void skipsDrafts(boolean does) {
        skipsDrafts = does;
    }

    /** Records that the step reads tokens that an earlier step samples. */
    void awaits(long earlier) {
        awaited = Math.max(awaited, earlier);
    }

    /** Returns the latest step in flight whose sampled tokens are inputs of this step, or 0 if there is none. */
    public long awaited() {
        return awaited;
    }

    /** Records whether a request needs its last token before the next one is sampled, because of its grammar. */
    void defersSampling(boolean needsToken) {
        defersSampling |= needsToken;
    }

    /** Returns true if the engine processes an earlier step before it samples tokens of this step. */
    boolean defersSampling() {
        return defersSampling;
    }

    /** Returns the number of the step, from 1. */
    public long step() {
        return step;
    }

    /** Returns the number of requests in lockstep, which precede the entries. */
    public int inStep() {
        return inStep;
    }

    /** Returns the number of leading entries that were in lockstep when the step was planned. */
    public int madeIndividual() {
        return madeIndividual;
    }

    /** Returns the number of entries: requests of the batch that do not decode in lockstep. */
    public int size() {
        return requests.size();
    }

    /** Returns the tokens of the batch. */
    public int total() {
        return total;
    }

    public LiveRequest request(int at) {
        return requests.get(at);
    }

    public Entry entry(int at) {
        return entries[at];
    }

    /** Returns the tokens of a request in this step, including drafts. */
    public int tokens(int at) {
        return tokens[at];
    }

    /** Returns the tokens of a request computed before this step. */
    public int computed(int at) {
        return computed[at];
    }

    /** Returns the draft tokens of a request that this step verifies. */
    public int drafts(int at) {
        return drafts[at];
    }

    /** Returns true if the drafts only keep the batch uniform and none can be accepted. */
    public boolean isPadded(int at) {
        return isPadded[at];
    }

    /** Returns true if the step produces a token for a request. */
    boolean samples(int at) {
        return samples[at];
    }

    /** Returns the requests that were preempted for this step, in order. */
    public List<LiveRequest> preempted() {
        return preempted;
    }

    /** Returns the admitted requests with a prefix-cache hit. */
    public List<LiveRequest> hitRequests() {
        return hitRequests;
    }

    /** Returns the hit tokens of the requests in {@link #hitRequests}. */
    public IntList hits() {
        return hits;
    }

    /** Returns the numbers of the requests that ended since the last step. */
    public IntList finished() {
        return finished;
    }

    /** Returns the blocks that the step copies first: source, target, source, ... */
    public IntList copies() {
        return copies;
    }

    /** Returns true if the workers draft nothing after this step, because no request could use it. */
    public boolean skipsDrafts() {
        return skipsDrafts;
    }

    /** Returns the number of draft tokens that the workers propose after this step. */
    public int draftsAsked() {
        return draftsAsked;
    }
}

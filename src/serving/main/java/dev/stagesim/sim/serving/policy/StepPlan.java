package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The batch of one step: running requests in their order, then those that were admitted. */
public final class StepPlan {
    /** How a request came into the batch. */
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
    /** Blocks that most steps copy; nobody adds to it. */
    private static final IntList NO_COPIES = new IntList();

    private IntList copies = NO_COPIES;
    private long step;
    private long awaited;
    private int total;
    private int draftsAsked;
    private int inStep;
    private int givenBack;
    private long company;

    void begin(long number) {
        requests.clear();
        preempted.clear();
        hitRequests.clear();
        hits.clear();
        finished.clear();
        copies = NO_COPIES;
        step = number;
        awaited = 0;
        total = 0;
        inStep = 0;
        givenBack = 0;
    }

    /**
     * So many requests that decode in step are in the batch before the others, and not among its entries.
     *
     * @param changes times that they had changed before
     */
    void inStep(int count, long changes) {
        inStep = count;
        company = changes;
        total += count;
    }

    /** Whether requests that decode in step are all there is in it, the same as after so many changes. */
    boolean isSteady(long changes) {
        return requests.isEmpty() && inStep > 0 && company == changes;
    }

    /** Stands for a later step that is equal to it. */
    void passed(int steps) {
        step += steps;
    }

    /** Makes one of those that decode in step an entry, behind others of the kind. */
    void giveBack(LiveRequest request, int before) {
        int at = givenBack++;
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

    /** Takes those out again that were given back. */
    void dropGivenBack() {
        for (; givenBack > 0; givenBack--) {
            total += 1 - remove(requests.get(0));
        }
    }

    /** All that decoded in step are entries now. */
    void settled() {
        inStep = 0;
        givenBack = 0;
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

    /** Takes a request out again; returns its tokens, or 0 when it is not in the batch. */
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

    /** Notes the length of a request's output after the step, before any stop cuts it. */
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

    /** Notes that the step reads tokens that an earlier step samples. */
    void awaits(long earlier) {
        awaited = Math.max(awaited, earlier);
    }

    /** Latest step in flight whose sampled tokens are inputs of this step, or 0 if all inputs are known. */
    public long awaited() {
        return awaited;
    }

    /** Number of the step, from 1. */
    public long step() {
        return step;
    }

    /** Requests that decode in step; they come before the entries. */
    public int inStep() {
        return inStep;
    }

    /** Leading entries that were in step when the step was planned. */
    public int givenBack() {
        return givenBack;
    }

    /** Entries: requests in the batch that do not decode in step. */
    public int size() {
        return requests.size();
    }

    /** Tokens of the batch. */
    public int total() {
        return total;
    }

    public LiveRequest request(int at) {
        return requests.get(at);
    }

    public Entry entry(int at) {
        return entries[at];
    }

    /** Tokens of a request in this step, drafts included. */
    public int tokens(int at) {
        return tokens[at];
    }

    /** Tokens of a request computed before this step. */
    public int computed(int at) {
        return computed[at];
    }

    /** Drafts of a request that this step verifies. */
    public int drafts(int at) {
        return drafts[at];
    }

    /** Whether the drafts only keep the batch uniform and none can be accepted. */
    public boolean isPadded(int at) {
        return isPadded[at];
    }

    /** Whether the step yields a token for a request. */
    public boolean samples(int at) {
        return samples[at];
    }

    /** Requests that lost their blocks for this step, in order. */
    public List<LiveRequest> preempted() {
        return preempted;
    }

    /** Admitted requests that found a part of their prompt in the cache. */
    public List<LiveRequest> hitRequests() {
        return hitRequests;
    }

    /** Tokens that the request at the same place of {@link #hitRequests} found. */
    public IntList hits() {
        return hits;
    }

    /** Requests, by number, that ended since the last step. */
    public IntList finished() {
        return finished;
    }

    /** Blocks that the step copies first: source, target, source, ... */
    public IntList copies() {
        return copies;
    }

    /** Drafts that the workers make after this step. */
    public int draftsAsked() {
        return draftsAsked;
    }
}

package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.policy.PrefillBudget.Verdict;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * SGLang's scheduler: a step has prompts if any can be admitted, else it decodes.
 *
 * <p>Requests ask for an output of known length; admission reserves a share of it that falls with every decode step and
 * rises when requests had to be retracted. {@code specs/sglang.md} has the rules.
 */
public final class Sglang {
    /** Decode steps for which memory is looked for when requests are retracted. */
    private static final int RETRACT_STEPS = 20;

    /** Why requests wait. */
    public enum Limit {
        NONE,
        REQUESTS,
        TOKENS,
        MEMORY
    }

    private final SglangSettings settings;
    private final int maxRunning;
    private final TokenPool pool;
    private final QueueOrder order;
    private final Deque<SglangStep> flights = new ArrayDeque<>();
    private List<SglangRequest> waiting = new ArrayList<>();
    private final List<SglangRequest> running = new ArrayList<>();

    /** Those of the running ones that do not decode in step. */
    private final List<SglangRequest> alone = new ArrayList<>();

    private @Nullable SglangInStep inStep;
    private boolean hasEnded;

    /** Requests of the last step if it had prompts, to join the running ones. */
    private List<SglangRequest> joining = List.of();

    /** The request whose prompt goes on in the next step. */
    private @Nullable SglangRequest chunked;

    /** Set when nobody more could be admitted, until a request has gone. */
    private boolean isFull;

    private double ratio;
    private Limit limit = Limit.NONE;

    /**
     * A scheduler without requests.
     *
     * @param slots tokens of KV cache
     * @param maxRunning most requests that run at a time
     */
    public Sglang(SglangSettings settings, int slots, int maxRunning) {
        this.settings = settings;
        this.maxRunning = maxRunning;
        pool = new TokenPool(settings, slots);
        order = new QueueOrder(settings.order(), QueueOrder.Priorities.IGNORED, pool.tree());
        ratio = settings.firstRatio();
    }

    /** Plans requests that decode in step together from now on; no effect where prompts are mixed with decodes. */
    public void together() {
        inStep = settings.mixedChunk() ? null : new SglangInStep(pool, flights);
    }

    public SglangSettings settings() {
        return settings;
    }

    /** Takes a request in. */
    public SglangRequest add(int index, int prompt, int output, Tokens tokens) {
        int room = pool.total() - prompt - 2 * pool.pageSize();
        int asked = Math.max(output, Math.min(settings.maxNewTokens(), room));
        SglangRequest request = new SglangRequest(index, tokens, prompt, output, asked);
        waiting.add(request);
        return request;
    }

    /** Ends a request at once. */
    public void abort(SglangRequest request) {
        settle();
        waiting.remove(request);
        end(request);
        if (request == chunked) {
            chunked = null;
        }
        pool.drop(request);
    }

    /** A request that has not ended. */
    public SglangRequest find(int index) {
        return Stream.of(waiting, running, joining, chunked == null ? List.<SglangRequest>of() : List.of(chunked))
                .flatMap(List::stream)
                .filter(request -> request.index == index && !request.isFinished)
                .findFirst()
                .orElseThrow();
    }

    public int waitingCount() {
        return waiting.size();
    }

    /** Whether any request is not done. */
    public boolean hasRequests() {
        return !waiting.isEmpty() || !running.isEmpty() || !joining.isEmpty() || chunked != null || !flights.isEmpty();
    }

    public int stepsInFlight() {
        return flights.size();
    }

    /** What kept requests waiting when they were last looked at. */
    public Limit limit() {
        return waiting.isEmpty() ? Limit.NONE : limit;
    }

    /** Tokens of the cache that running requests need. */
    public int usedTokens() {
        return pool.total() - pool.reachable();
    }

    double ratio() {
        return ratio;
    }

    /** Plans the next step; one without requests when there is nothing to run. */
    public SglangStep plan() {
        SglangStep step = new SglangStep();
        if (chunked != null) {
            pool.share(chunked, chunked.allocated, true);
        }
        join();
        if (!planPrompts(step)) {
            planDecodes(step);
        }
        joining = step.hasPrompts()
                ? step.parts.stream().map(SglangStep.Part::request).toList()
                : List.of();
        if (!step.isEmpty()) {
            flights.add(step);
        } else if (flights.isEmpty()) {
            ratio = settings.firstRatio();
        }
        return step;
    }

    private void join() {
        for (SglangRequest request : joining) {
            if (request.isFinished || request == chunked) {
                isFull = false;
            } else {
                running.add(request);
                alone.add(request);
            }
        }
        joining = List.of();
    }

    private boolean planPrompts(SglangStep step) {
        if ((isFull || waiting.isEmpty()) && chunked == null) {
            return false;
        }
        int places = maxRunning - running.size();
        if (places <= 0 && chunked == null) {
            isFull = true;
            limit = Limit.REQUESTS;
            return false;
        }
        sort();
        int decodes = settings.mixedChunk() ? running.size() : 0;
        PrefillBudget budget = new PrefillBudget(settings, pool, running, ratio, decodes);
        if (chunked != null) {
            goOn(chunked, budget, step);
        }
        admit(places, budget, step);
        if (step.parts.isEmpty()) {
            return false;
        }
        allocate(step);
        if (settings.mixedChunk()) {
            mix(step);
        }
        return true;
    }

    private void sort() {
        if (settings.order() == QueueOrder.Policy.FCFS) {
            return;
        }
        List<QueueOrder.Waiting> queue = new ArrayList<>(waiting.size());
        for (SglangRequest request : waiting) {
            queue.add(new QueueOrder.Waiting(request.key(request.known()), 0, request.maxNew, request.index, null));
        }
        List<SglangRequest> sorted = new ArrayList<>(waiting.size());
        for (int place : order.order(queue, List.of()).order()) {
            sorted.add(waiting.get(place));
        }
        waiting = sorted;
    }

    private void goOn(SglangRequest request, PrefillBudget budget, SglangStep step) {
        int tokens = budget.forChunk(request);
        if (tokens > 0) {
            budget.takeChunk(request, tokens);
            step.add(request, tokens, request.allocated, true);
            if (request.allocated + tokens == request.known()) {
                chunked = null;
            }
        }
    }

    private void admit(int places, PrefillBudget budget, SglangStep step) {
        Verdict verdict = Verdict.CONTINUE;
        for (Iterator<SglangRequest> next = waiting.iterator(); verdict == Verdict.CONTINUE && next.hasNext(); ) {
            if (step.parts.size() >= places) {
                isFull = true;
                limit = Limit.REQUESTS;
                return;
            }
            SglangRequest request = next.next();
            RadixTree.Found found = pool.match(request);
            int tokens = budget.forNew(request, found, step.parts.isEmpty());
            if (tokens == 0) {
                verdict = budget.verdict();
            } else {
                next.remove();
                verdict = take(request, found, tokens, budget, step);
            }
        }
        isFull |= verdict == Verdict.NO_MEMORY;
        limit = verdict == Verdict.NO_MEMORY ? Limit.MEMORY : Limit.TOKENS;
    }

    private Verdict take(
            SglangRequest request, RadixTree.@Nullable Found found, int tokens, PrefillBudget budget, SglangStep step) {
        int hit = found == null ? 0 : found.tokens();
        if (found != null) {
            pool.use(request, found);
        }
        if (request.hit < 0) {
            request.hit = hit;
            step.admitted.add(request);
        }
        request.isRetracted = false;
        step.add(request, tokens, hit, true);
        boolean isWhole = hit + tokens == request.known();
        if (!isWhole) {
            chunked = request;
        }
        return budget.takeNew(request, tokens, isWhole);
    }

    private void allocate(SglangStep step) {
        int asked = pool.pageSize() == 1 ? 0 : step.parts.size() * pool.pageSize();
        for (SglangStep.Part part : step.parts) {
            asked += part.tokens();
        }
        pool.evictFor(asked);
        step.parts.forEach(part -> pool.extend(part.request(), part.end()));
    }

    /** Lets running requests decode beside the prompts. */
    private void mix(SglangStep step) {
        removeEnded();
        if (fits(alone)) {
            decode(step);
            running.clear();
            alone.clear();
        }
    }

    private void planDecodes(SglangStep step) {
        int before = running.size();
        removeEnded();
        if (running.isEmpty()) {
            isFull = false;
            return;
        }
        if (inStep != null) {
            inStep.begin(alone);
        }
        if (fits(alone)) {
            ratio = Math.max(ratio - settings.ratioDecay(), settings.leastRatio());
        } else {
            retract(step);
        }
        isFull &= running.size() == before;
        decode(step);
    }

    private void removeEnded() {
        if (hasEnded) {
            running.removeIf(request -> request.isFinished);
            alone.removeIf(request -> request.isFinished);
            hasEnded = false;
        }
    }

    private void decode(SglangStep step) {
        if (pool.pageSize() > 1) {
            // the engine makes room for a page of each, needed or not
            pool.evictFor(running.size() * pool.pageSize());
        }
        if (inStep != null) {
            inStep.plan(step);
        }
        for (SglangRequest request : alone) {
            step.add(request, 1, request.allocated, false);
            pool.extend(request, request.allocated + 1);
            request.isDecoding = true;
        }
    }

    /** Whether there is memory for one more token of each and of those in step, once the cache has made room. */
    private boolean fits(List<SglangRequest> requests) {
        int pages = inStep == null ? 0 : inStep.pages();
        for (SglangRequest request : requests) {
            pages += pool.needsPage(request) ? 1 : 0;
        }
        pool.evictFor(pages * pool.pageSize());
        return pool.available() >= pages * pool.pageSize();
    }

    /** Takes memory from the requests with the shortest outputs, of equals those with the longest prompts. */
    private void retract(SglangStep step) {
        settle();
        running.sort(Comparator.<SglangRequest>comparingInt(request -> -request.output)
                .thenComparingInt(request -> request.prompt));
        do {
            SglangRequest victim = running.remove(running.size() - 1);
            pool.drop(victim);
            pool.evictFor(running.size() * RETRACT_STEPS);
            victim.isRetracted = true;
            victim.isDecoding = false;
            step.retracted.add(victim);
            waiting.add(victim);
        } while (!fits(running));
        alone.clear();
        alone.addAll(running);
        long outputs = 0;
        long asked = 1;
        for (SglangRequest request : running) {
            outputs += request.output + RETRACT_STEPS;
            asked += request.maxNew;
        }
        ratio = Math.min(1, (double) outputs / asked);
    }

    /** Processes the oldest step in flight and returns it; tells each request that got a token and is not in step. */
    public SglangStep process(Consumer<SglangRequest> outputs) {
        SglangStep step = flights.getFirst();
        if (step.group() != null) {
            step.group().process(step, alone);
        }
        flights.removeFirst();
        for (SglangStep.Part part : step.parts) {
            SglangRequest request = part.request();
            request.inFlight--;
            if (request.isFinished || request.isRetracted || !part.samples()) {
                continue;
            }
            request.output++;
            if (request.output >= request.maxOutput) {
                end(request);
                pool.finish(request);
            } else if (part.isPrompt()) {
                pool.share(request, part.end(), false);
            }
            outputs.accept(request);
        }
        return step;
    }

    private void end(SglangRequest request) {
        request.isFinished = true;
        hasEnded = true;
    }

    private void settle() {
        if (inStep != null) {
            inStep.settle(running, alone);
        }
    }
}

package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.policy.PrefillBudget.Verdict;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SglangSettings;
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
 * SGLang's scheduler: a step contains prompts if any can be admitted, otherwise decodes.
 *
 * <p>Requests specify their maximum output. Admission reserves a share of it that decreases with every decode step and
 * increases after retractions. {@code specs/sglang.md} contains the rules.
 */
public final class Sglang {
    /** Number of decode steps that must fit the memory after a retraction. */
    private static final int RETRACT_STEPS = 20;

    /** The reason why requests wait. */
    public enum Limit {
        NONE,
        REQUESTS,
        TOKENS,
        MEMORY
    }

    private final SglangSettings settings;
    private final int maxRunning;
    private final TokenPool pool;
    private final @Nullable SglangConnector connector;

    private final Deque<SglangStep> flights = new ArrayDeque<>();
    private final SglangWaitingQueue queue;
    private final List<SglangRequest> running = new ArrayList<>();

    /** Running requests that do not decode in lockstep. */
    private final List<SglangRequest> individual = new ArrayList<>();

    private @Nullable SglangLockstep lockstep;
    private boolean hasEnded;

    /** Requests of the last step if it had prompts; they join the running ones. */
    private List<SglangRequest> joining = List.of();

    /** The request with a chunked prompt that continues in the next step. */
    private @Nullable SglangRequest chunked;

    /** Set if no request could be admitted, until a request leaves. */
    private boolean isFull;

    /** Tokens of all planned steps as the engine counts them: a decode step counts like {@link #firstPrompts}. */
    private long processed;

    /** Tokens of the prefill step after which requests ran again. */
    private int firstPrompts;

    /** Tokens of the last prefill step. */
    private int lastPrompts;

    private double ratio;
    private Limit limit = Limit.NONE;

    /** Creates the scheduler of an engine that serves whole requests. */
    public Sglang(SglangSettings settings, int slots, int maxRunning) {
        this(settings, slots, maxRunning, null);
    }

    /**
     * Creates a scheduler without requests.
     *
     * @param slots tokens of KV cache
     * @param maxRunning maximum number of running requests
     * @param connector transfers of KV caches, or null for an engine that serves whole requests
     */
    public Sglang(SglangSettings settings, int slots, int maxRunning, @Nullable SglangConnector connector) {
        boolean isDecode = connector != null && connector.isDecode();
        this.settings = isDecode ? settings.ofDecodeEngine() : settings;
        this.maxRunning = maxRunning;
        this.connector = connector;
        pool = new TokenPool(this.settings, slots);
        queue = new SglangWaitingQueue(
                this.settings,
                pool,
                connector != null && isDecode ? new SglangDecodeQueues(pool, maxRunning, connector) : null);
        ratio = settings.firstRatio();
    }

    /** Plans decoding requests in lockstep from now on; no effect if prompts are mixed with decodes. */
    public void enableLockstep() {
        lockstep = settings.mixedChunk() ? null : new SglangLockstep(pool, flights);
    }

    public SglangSettings settings() {
        return settings;
    }

    /** Adds a request to the queue. */
    public SglangRequest add(int index, int prompt, int output, Tokens tokens) {
        int room = pool.total() - pool.paged(prompt) - pool.pageSize() - 1;
        int limit = isPrefill() ? output : settings.maxNewTokens();
        int maxNew = Math.max(output, Math.min(limit, room));
        SglangRequest request = new SglangRequest(index, tokens, prompt, output, maxNew);
        queue.add(request, processed);
        return request;
    }

    private boolean isPrefill() {
        return connector != null && !queue.isOfDecodeEngine();
    }

    /** Reports that the KV cache of a request has arrived or, on a prefill engine, has been transferred. */
    public void moved(SglangRequest request) {
        if (queue.isOfDecodeEngine()) {
            queue.arrived(request, processed);
        } else {
            pool.finish(request);
        }
    }

    /** Ends a request immediately. */
    public void abort(SglangRequest request) {
        settle();
        queue.remove(request);
        end(request);
        if (request == chunked) {
            chunked = null;
        }
        pool.drop(request);
    }

    /** Returns a request that has not ended. */
    public SglangRequest find(int index) {
        return Stream.of(
                        queue.all(),
                        running.stream(),
                        joining.stream(),
                        Stream.ofNullable(chunked),
                        flights.stream().flatMap(step -> step.parts.stream()).map(SglangStep.Part::request))
                .flatMap(requests -> requests)
                .filter(request -> request.index == index && !request.isFinished)
                .findFirst()
                .orElseThrow();
    }

    public int waitingCount() {
        return queue.size();
    }

    /** Returns true if any request has not ended. */
    public boolean hasRequests() {
        return queue.size() > 0 || !running.isEmpty() || !joining.isEmpty() || chunked != null || !flights.isEmpty();
    }

    public int stepsInFlight() {
        return flights.size();
    }

    /** Returns the reason why requests waited at the last attempt to admit them. */
    public Limit limit() {
        return waitingCount() == 0 ? Limit.NONE : limit;
    }

    /** Returns the tokens of the cache that running requests need. */
    public int usedTokens() {
        return pool.total() - pool.reachable();
    }

    /** Returns the share of the outputs that admission reserves. */
    public double ratio() {
        return ratio;
    }

    /** Plans the next step; it has no requests if nothing can run. */
    public SglangStep plan() {
        SglangStep step = new SglangStep();
        if (chunked != null) {
            pool.share(chunked, chunked.allocated, true);
        }
        join();
        isFull &= !isPrefill();
        if (settings.rules().admitsAfterFinished()) {
            isFull &= !removeEnded() && !running.isEmpty();
        }
        if (queue.isOfDecodeEngine()) {
            start(step);
            planDecodes(step);
        } else if (!planPrompts(step)) {
            planDecodes(step);
        }
        joining = step.hasPrompts()
                ? step.parts.stream().map(SglangStep.Part::request).toList()
                : List.of();
        if (!step.isEmpty()) {
            flights.add(step);
        } else if (flights.isEmpty() && !(settings.rules().admitsAfterFinished() && hasRequests())) {
            ratio = settings.firstRatio();
        }
        return step;
    }

    private void join() {
        boolean isFirst = running.isEmpty();
        for (SglangRequest request : joining) {
            if (request.isFinished || request == chunked) {
                isFull = false;
            } else {
                running.add(request);
                individual.add(request);
            }
        }
        if (isFirst && !joining.isEmpty()) {
            firstPrompts = lastPrompts;
            isFull &= !settings.rules().admitsAfterFinished();
        }
        joining = List.of();
    }

    /** Starts requests with their KV cache on a decode engine. */
    private void start(SglangStep step) {
        removeEnded();
        limit = Limit.MEMORY;
        for (SglangRequest request : queue.started(running, maxRunning)) {
            if (request.hit < 0) {
                request.hit = 0;
                step.admitted.add(request);
            }
            running.add(request);
            individual.add(request);
        }
    }

    private boolean planPrompts(SglangStep step) {
        if ((isFull || queue.ready().isEmpty()) && chunked == null) {
            return false;
        }
        int places = places();
        if (places <= 0 && chunked == null) {
            isFull = true;
            limit = Limit.REQUESTS;
            return false;
        }
        queue.sort(processed);
        int decodes = settings.mixedChunk() ? running.size() : 0;
        PrefillBudget budget = new PrefillBudget(settings, pool, running, ratio, decodes);
        if (chunked != null) {
            continueChunk(chunked, budget, step);
        }
        admit(Math.min(maxRunning - running.size(), places + step.parts.size()), budget, step);
        if (step.parts.isEmpty()) {
            return false;
        }
        allocate(step);
        if (settings.mixedChunk()) {
            addDecodes(step);
        }
        lastPrompts = 0;
        for (SglangStep.Part part : step.parts) {
            lastPrompts += part.tokens();
        }
        processed += lastPrompts;
        return true;
    }

    /** Returns the number of requests that may be admitted. A finished request keeps its place until its result is processed. */
    private int places() {
        int places = maxRunning - running.size();
        return settings.rules().skipsLastResults() ? Math.min(places, maxRunning - pool.requests()) : places;
    }

    private void continueChunk(SglangRequest request, PrefillBudget budget, SglangStep step) {
        int tokens = budget.forChunk(request, queue.ready());
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
        for (Iterator<SglangRequest> next = queue.ready().iterator(); verdict == Verdict.CONTINUE && next.hasNext(); ) {
            if (settings.rules().admitsAfterFinished() && budget.isSpent()) {
                limit = Limit.TOKENS;
                return;
            }
            if (step.parts.size() >= places) {
                isFull = true;
                limit = Limit.REQUESTS;
                return;
            }
            SglangRequest request = next.next();
            RadixTree.Found found = pool.match(request);
            int tokens = budget.forNew(request, found, step.parts, chunked != null);
            if (tokens == 0) {
                verdict = budget.verdict();
            } else {
                next.remove();
                verdict = take(request, found, tokens, budget, step);
            }
        }
        isFull |= verdict == Verdict.NO_MEMORY
                && !(settings.rules().admitsAfterFinished() && step.parts.isEmpty() && running.isEmpty());
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
        int needed = pool.pageSize() == 1 ? 0 : step.parts.size() * pool.pageSize();
        for (SglangStep.Part part : step.parts) {
            needed += part.tokens();
        }
        pool.evictFor(needed);
        step.parts.forEach(part -> pool.extend(part.request(), part.end()));
    }

    /** Adds the decodes of running requests to a step with prompts. */
    private void addDecodes(SglangStep step) {
        removeEnded();
        if (skipLastResults()) {
            isFull = false;
        }
        if (fits(individual)) {
            decode(step);
            running.clear();
            individual.clear();
        }
    }

    /** Removes the requests that end with a result in flight. Returns true if any does. */
    private boolean skipLastResults() {
        boolean skips =
                settings.rules().skipsLastResults() && settings.overlap() && individual.removeIf(Sglang::endsInFlight);
        return skips && running.removeIf(request -> request.group == null && endsInFlight(request));
    }

    private static boolean endsInFlight(SglangRequest request) {
        return request.inFlight > 0 && request.output + 1 >= request.maxNew;
    }

    private void planDecodes(SglangStep step) {
        int before = running.size();
        removeEnded();
        if (running.isEmpty()) {
            isFull = false;
            return;
        }
        if (lockstep != null) {
            lockstep.begin(individual);
        }
        boolean isShorter = skipLastResults();
        if (running.isEmpty()) {
            isFull = false;
            return;
        }
        if (fits(individual)) {
            ratio = Math.max(ratio - settings.ratioDecay(), settings.leastRatio());
        } else if (isShorter) {
            // the result in flight frees memory, so that nothing needs to be retracted
            isFull = false;
            return;
        } else {
            retract(step);
        }
        isFull &= running.size() == before;
        processed += firstPrompts;
        decode(step);
    }

    /** Removes the finished requests from the running ones. Returns true if there are any. */
    private boolean removeEnded() {
        if (!hasEnded) {
            return false;
        }
        hasEnded = false;
        individual.removeIf(request -> request.isFinished);
        return running.removeIf(request -> request.isFinished);
    }

    private void decode(SglangStep step) {
        if (pool.pageSize() > 1) {
            // SGLang evicts a page for each request, whether it needs one or not
            pool.evictFor(running.size() * pool.pageSize());
        }
        if (lockstep != null) {
            lockstep.plan(step);
        }
        for (SglangRequest request : individual) {
            step.add(request, 1, request.allocated, false);
            pool.extend(request, request.allocated + 1);
            request.isDecoding = true;
        }
    }

    /** Returns true if memory suffices for one more token of each request, including the lockstep group, after evictions. */
    private boolean fits(List<SglangRequest> requests) {
        int pages = lockstep == null ? 0 : lockstep.pages();
        for (SglangRequest request : requests) {
            pages += pool.needsPage(request) ? 1 : 0;
        }
        pool.evictFor(pages * pool.pageSize());
        return pool.available() >= pages * pool.pageSize();
    }

    /** Retracts the requests with the shortest outputs; among equal outputs, the requests with the longest prompts. */
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
            queue.retract(victim, processed);
        } while (!fits(running));
        individual.clear();
        individual.addAll(running);
        long outputs = 0;
        long requested = 1;
        for (SglangRequest request : running) {
            outputs += request.output + RETRACT_STEPS;
            requested += request.maxNew;
        }
        ratio = Math.min(1, (double) outputs / requested);
    }

    /**
     * Processes the oldest step in flight and returns it. Passes each individual request with a new token to
     * {@code outputs}.
     */
    public SglangStep process(Consumer<SglangRequest> outputs) {
        SglangStep step = flights.getFirst();
        if (step.group() != null) {
            step.group().process(step, individual);
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
                if (connector != null && connector.keeps(request)) {
                    pool.share(request, part.end(), false);
                } else {
                    pool.finish(request);
                }
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
        if (lockstep != null) {
            lockstep.settle(running, individual);
        }
    }
}

package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.policy.PrefillBudget.Verdict;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.ArrayDeque;
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
    private final SglangRunning running;

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
                connector != null && isDecode ? new SglangDecodeQueues(pool, maxRunning, connector) : null,
                connector == null ? Integer.MAX_VALUE : 2 * maxRunning);
        running = new SglangRunning(this.settings, pool, queue);
    }

    /** Plans decoding requests in lockstep from now on; no effect if prompts are mixed with decodes. */
    public void enableLockstep() {
        running.enableLockstep(flights);
    }

    public SglangSettings settings() {
        return settings;
    }

    /** Adds a request to the queue. */
    public SglangRequest add(int index, int prompt, int output, Tokens tokens) {
        int room = pool.total() - pool.paged(prompt) - pool.pageSize() - 1;
        int limit = isPrefill() ? output : settings.maxNewTokens() - (queue.isOfDecodeEngine() ? 1 : 0);
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
            queue.arrived(request);
        } else {
            pool.finish(request);
            queue.freeBuffer(request);
        }
    }

    /** Ends a request immediately. */
    public void abort(SglangRequest request) {
        running.settle();
        queue.remove(request);
        running.end(request);
        if (request == chunked) {
            chunked = null;
        }
        pool.drop(request);
    }

    /** Returns a request that has not ended. */
    public SglangRequest find(int index) {
        return Stream.of(
                        queue.all(),
                        running.requests().stream(),
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
        return queue.size() > 0
                || !running.requests().isEmpty()
                || !joining.isEmpty()
                || chunked != null
                || !flights.isEmpty();
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
        return running.ratio();
    }

    /** Plans the next step; it has no requests if nothing can run. */
    public SglangStep plan() {
        SglangStep step = new SglangStep();
        if (chunked != null) {
            pool.share(chunked, chunked.allocated, true);
        }
        join();
        isFull &= !isPrefill();
        queue.assignBuffers(processed);
        if (queue.isOfDecodeEngine()) {
            start(step);
        } else if (settings.rules().has(SglangRule.ADMITS_AFTER_FINISHED)) {
            isFull &= !running.removeEnded() && !running.requests().isEmpty();
        }
        if (queue.isOfDecodeEngine() || !planPrompts(step)) {
            planDecodes(step);
        }
        joining = step.hasPrompts()
                ? step.parts.stream().map(SglangStep.Part::request).toList()
                : List.of();
        if (!step.isEmpty()) {
            flights.add(step);
        } else if (flights.isEmpty() && !(settings.rules().has(SglangRule.ADMITS_AFTER_FINISHED) && hasRequests())) {
            running.resetRatio();
        }
        return step;
    }

    private void join() {
        boolean isFirst = running.requests().isEmpty();
        for (SglangRequest request : joining) {
            if (request.isFinished || request == chunked) {
                isFull = false;
            } else if (!isPrefill()) {
                running.add(request);
            }
        }
        if (isFirst && !joining.isEmpty()) {
            firstPrompts = lastPrompts;
            isFull &= !settings.rules().has(SglangRule.ADMITS_AFTER_FINISHED);
        }
        joining = List.of();
    }

    /** Starts requests with their KV cache on a decode engine. */
    private void start(SglangStep step) {
        limit = Limit.MEMORY;
        for (SglangRequest request : queue.started(running.requests(), maxRunning)) {
            if (request.hit < 0) {
                request.hit = 0;
                step.admitted.add(request);
            }
            running.add(request);
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
        int decodes = settings.mixedChunk() ? running.requests().size() : 0;
        PrefillBudget budget = new PrefillBudget(settings, pool, running.requests(), running.ratio(), decodes);
        if (chunked != null) {
            continueChunk(chunked, budget, step);
        }
        admit(Math.min(maxRunning - running.requests().size(), places + step.parts.size()), budget, step);
        if (step.parts.isEmpty()) {
            return false;
        }
        allocate(step);
        if (settings.mixedChunk()) {
            isFull &= !running.join(step);
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
        int places = maxRunning - running.requests().size();
        return settings.rules().has(SglangRule.SKIPS_LAST_RESULTS)
                ? Math.min(places, maxRunning - pool.requests())
                : places;
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
            if (settings.rules().has(SglangRule.ADMITS_AFTER_FINISHED) && budget.isSpent()) {
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
                && !(settings.rules().has(SglangRule.ADMITS_AFTER_FINISHED)
                        && step.parts.isEmpty()
                        && running.requests().isEmpty());
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

    private void planDecodes(SglangStep step) {
        int before = running.requests().size();
        boolean isPlanned = running.plan(step, processed);
        isFull &= isPlanned && running.requests().size() == before;
        processed += isPlanned ? firstPrompts : 0;
    }

    /**
     * Processes the oldest step in flight and returns it. Passes each individual request with a new token to
     * {@code outputs}.
     */
    public SglangStep process(Consumer<SglangRequest> outputs) {
        SglangStep step = flights.getFirst();
        running.processGroup(step);
        flights.removeFirst();
        for (SglangStep.Part part : step.parts) {
            SglangRequest request = part.request();
            request.inFlight--;
            if (request.isFinished || request.isRetracted || !part.samples()) {
                continue;
            }
            request.output++;
            if (request.output >= request.maxOutput) {
                running.end(request);
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
}

package dev.stagesim.feature.plan;

import dev.stagesim.model.card.ModelSize;
import dev.stagesim.predict.DraftTimes;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.SharedLayers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.StepCost;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.stats.Bisection;
import java.util.Optional;

/**
 * Closed-form steady state of one copy under a load. By Little's law the number of decoding requests follows from the
 * step times; prompts are computed in a share of the steps.
 */
final class SteadyStateModel {
    private static final double MS = 1e3;
    private static final double TERA = 1e12;
    private static final double GIGA = 1e9;
    private static final int MAX_ROUNDS = 400;
    private static final double CLOSE = 1e-3;
    private static final int HALVINGS = 20;
    private static final int FINE = 32;

    /** Standard deviations of the P99 of a normal distribution. */
    private static final double DEVIATIONS = 2.33;

    private static final double LN_100 = Math.log(100);

    private final ReplicaModel replica;
    private final RequestSamples requests;
    private final int maxTokens;

    /** Maximum number of running requests: the batch limit, or the capacity of the KV cache at the mean context. */
    private final double maxRunning;

    /** True if prompts and decodes never share a step. */
    private final boolean separatesPrefill;

    private final int stages;
    private final EngineTimes times;

    /** Number of engines that share the experts and run every step together. */
    private final int engines;

    private final Optional<SharedLayers> shared;
    private final Optional<DraftTimes> drafts;

    /** Tokens of a decoding request in a step: one, and its drafts. */
    private final int perRequest;

    /** Mean output tokens of a decoding request in a step. */
    private final double accepted;

    SteadyStateModel(ReplicaModel replica, RequestSamples requests, EngineChoice deployment) {
        this.replica = replica;
        this.requests = requests;
        maxTokens = deployment.maxNumBatchedTokens();
        maxRunning = Math.min(deployment.maxNumSeqs(), replica.concurrency(requests.context()));
        separatesPrefill = !(replica.scheduler() instanceof SchedulerSettings.VllmV1
                || replica.scheduler() instanceof SchedulerSpec.Sarathi);
        stages = replica.cluster().numPipelineStages();
        times = replica.engineTimes();
        engines = replica.scheduler().dataParallelSize();
        shared = times.sharedLayers();
        drafts = replica.draftTimes();
        perRequest = 1 + deployment.shape().drafting().tokens();
        accepted = replica.tokensPerStep();
    }

    /**
     * Steady state of a copy.
     *
     * @param running mean number of decoding requests
     * @param mixed share of the time in steps with prompts
     * @param mixedMs duration of a step with prompts
     * @param plainMs duration of a step without prompts
     * @param tpotMs mean time per output token
     */
    record State(double running, double mixed, double mixedMs, double plainMs, double tpotMs) {
        /** Returns the P99 of the number of decoding requests, with Poisson fluctuations. */
        double peakRunning() {
            return running + DEVIATIONS * Math.sqrt(running);
        }
    }

    /** Returns the duration of a step on one stage, in ms. */
    private double stepMs(double running, double chunk, double prefix, double prefills) {
        int decodes = (int) Math.ceil(running / stages);
        int tokens = (int) Math.max(1, Math.ceil(perRequest * decodes + chunk * prefills));
        int prompts = (int) Math.ceil(prefills);
        double operators = times.step()
                .operators(
                        times,
                        tokens,
                        decodes,
                        round(requests.context()),
                        round(prefix),
                        (int) Math.max(1, Math.round(chunk)),
                        prompts);
        operators += shared.map(layers -> times.step().layers()
                        * layers.milliseconds(tokens, tokens + (engines - 1L) * perRequest * Math.max(1, decodes)))
                .orElse(0.0);
        double send = stages > 1 ? times.milliseconds(Operator.SEND_RECV, tokens) : 0;
        double drafting = drafts.map(
                        cost -> cost.milliseconds(tokens, decodes, round(requests.context()), prompts, false))
                .orElse(0.0);
        return drafting + times.step().milliseconds(operators + send, tokens, decodes, prompts);
    }

    private static int round(double tokens) {
        return (int) (Math.ceil(tokens / LayerTimes.KV_STEP) * LayerTimes.KV_STEP);
    }

    /** Returns the token budget that remains for prompts. */
    private double room(double running) {
        return separatesPrefill ? maxTokens : maxTokens - perRequest * Math.ceil(running / stages);
    }

    /** Returns the duration in ms of a step with {@code tokens} prompt tokens, from one chunk or several prompts. */
    private double mixedMs(double running, double tokens) {
        double prompt = Math.min(requests.prompt(), room(running));
        double count = Math.max(1, Math.ceil(tokens / prompt));
        return stepMs(
                separatesPrefill ? 0 : running, tokens / count, Math.max(0, requests.prompt() - prompt) / 2, count);
    }

    /** Returns the state of each engine at a rate of the copy in requests per second; empty if it is overloaded. */
    Optional<State> at(double rate) {
        double running = 0;
        for (int round = 0; round < MAX_ROUNDS; round++) {
            Optional<State> next = with(running, rate);
            if (next.isEmpty() || next.get().running() > maxRunning) {
                return Optional.empty();
            }
            if (next.get().running() - running < CLOSE * Math.max(1, running)) {
                return next;
            }
            running = next.get().running();
        }
        return Optional.empty();
    }

    /** Returns a rate in requests per second slightly below the one that keeps a number of requests in flight. */
    double rateAt(double inFlight) {
        double running = Math.min(inFlight / engines, maxRunning);
        double max = MS * engines * running * accepted / (requests.output() * stepMs(1, 0, 0, 0));
        double low = 0;
        double high = max;
        for (int i = 0; i < HALVINGS && high - low > CLOSE * max; i++) {
            double middle = (low + high) / 2;
            double latency = with(running, middle).map(this::latencySeconds).orElse(Double.POSITIVE_INFINITY);
            if (middle * latency < engines * running) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low * (1 - CLOSE);
    }

    /** Returns the wait for a slot in ms if a copy serves {@code inFlight} requests of a closed loop at a rate. */
    double slotWaitMs(double inFlight, double rate) {
        return MS * Math.max(0, inFlight - engines * maxRunning) / rate;
    }

    private double latencySeconds(State state) {
        return (promptMs(state.running()) + requests.output() * state.tpotMs()) / MS;
    }

    /** Returns the next state of the iteration, with the step times of {@code running} decoding requests. */
    private Optional<State> with(double running, double rate) {
        double room = room(running);
        if (room < 1) {
            return Optional.empty();
        }
        // All engines wait for a step in which one of them computes a prompt, until every engine has one.
        double perMs = rate * requests.prompt() / MS;
        double tokens = Math.min(requests.prompt(), room);
        double mixed = mixedMs(running, tokens);
        if (perMs * mixed > engines * tokens) {
            tokens = requiredTokens(running, perMs / engines, tokens, room);
            mixed = mixedMs(running, tokens);
        }
        double share = perMs * mixed / tokens;
        if (engines > 1) {
            share = Math.max(share / engines, Math.min(share, 1));
        }
        if (share > (separatesPrefill ? 1 : 1 + CLOSE)) {
            return Optional.empty();
        }
        double plain = stepMs(Math.max(1, running), 0, 0, 0);
        double steps = (separatesPrefill ? 0 : Math.min(1, share) / mixed) + Math.max(0, 1 - share) / plain;
        double tpot = stages / (steps * accepted);
        return Optional.of(
                new State(rate / engines * requests.output() * tpot / MS, Math.min(1, share), mixed, plain, tpot));
    }

    /** Returns the minimum number of prompt tokens per step that keeps up with the arrivals. */
    private double requiredTokens(double running, double perMs, double from, double room) {
        return Bisection.halve(from, room, tokens -> perMs * mixedMs(running, tokens) > tokens, 1, HALVINGS)
                .high();
    }

    /** Returns an approximate P99 TPOT: many requests are running, and short outputs meet more prompts than average. */
    double longTpotMs(State state, double rate) {
        double peakRunning = Math.min(state.peakRunning(), maxRunning);
        return with(peakRunning, rate).map(this::unlucky).orElse(Double.POSITIVE_INFINITY);
    }

    private double unlucky(State state) {
        double prompts = state.mixed() / state.mixedMs();
        double part = prompts / (prompts + (1 - state.mixed()) / state.plainMs());
        double deviation = DEVIATIONS * Math.sqrt(part * (1 - part) / Math.max(1, requests.output() / accepted / 2));
        double extra = separatesPrefill ? state.mixedMs() : Math.max(0, state.mixedMs() - state.plainMs());
        return state.tpotMs() + stages * Math.min(deviation, 1 - part) * extra / accepted;
    }

    /**
     * Returns an approximate P99 TTFT: the prompt itself, queueing after other prompts, and the wait for a free slot.
     */
    double longTtftMs(State state, double rate) {
        double busy = state.mixed() / Math.max(CLOSE, 1 - state.mixed());
        double queue = LN_100 * busy * state.mixedMs() / 2;
        double missing = Math.max(0, state.peakRunning() - maxRunning);
        return promptMs(state.running()) + accepted * state.tpotMs() + queue + MS * missing * engines / rate;
    }

    /** Returns the maximum prefill rate in requests per second, without decodes. */
    double promptsPerS() {
        double tokens = room(0);
        return MS * engines * tokens / (mixedMs(0, tokens) * requests.prompt());
    }

    /**
     * Returns the maximum decode rate in requests per second with steps of at most {@code tpotMs}, without prefills.
     */
    double outputsPerS(double tpotMs) {
        int running = (int) Math.max(1, maxRunning);
        while (running > 1 && stages * stepMs(running, 0, 0, 0) > tpotMs * accepted) {
            running -= Math.max(1, running / FINE);
        }
        return MS * engines * running * accepted / (stages * stepMs(running, 0, 0, 0) * requests.output());
    }

    /** Returns a warning if sending tokens to experts and back takes most of the time of decode steps, or of steps with prompts. */
    Optional<String> dominantExchange(State state) {
        double decodes = perRequest * Math.max(1, Math.ceil(state.running() / stages));
        double prompts = (separatesPrefill ? 0 : decodes) + Math.min(requests.prompt(), room(state.running()));
        double plain = replica.exchangeMs((int) decodes, null) / state.plainMs();
        double mixed = replica.exchangeMs((int) prompts, null) / state.mixedMs();
        return ConditionText.dominantExchange(
                Math.max(plain, mixed),
                plain >= mixed ? "decode" : "prefill",
                engines * replica.devices(),
                replica.hardware(),
                "search.tp, search.dp");
    }

    /** Names the resource that limits a step: host time, arithmetic or memory bandwidth. */
    String limit(State state, double rate) {
        int decodes = (int) Math.ceil(Math.max(1, state.running()) / stages);
        double operators = times.step().operators(times, decodes, decodes, round(requests.context()), 0, 1, 0);
        if (times.step().cost(operators, decodes, decodes, 0).bound() == StepCost.Bound.HOST) {
            return "the host's time around a step";
        }
        ModelSize size = replica.model().size();
        double tokens = engines * state.running() + rate * requests.prompt() * state.tpotMs() / MS;
        double flops = 2.0 * size.activeParameters() * tokens;
        double bytes = size.weightBytes() + engines * state.running() * requests.context() * size.kvBytesPerToken();
        double peak = replica.hardware()
                .formatTflops(replica.model().formats().weights())
                .orElseGet(() -> replica.hardware().bf16OrFp16Tflops().orElseThrow());
        double ratio = peak * TERA / (replica.hardware().statedMemBwGbs() * GIGA);
        return flops / ratio > bytes ? "arithmetic" : "memory bandwidth";
    }

    /** Returns the TTFT in ms of a P99 prompt without queueing. */
    double promptMs(double running) {
        double chunk = Math.min(requests.longPrompt(), room(running));
        double steps = Math.ceil(requests.longPrompt() / chunk);
        double each = stepMs(separatesPrefill ? 0 : running, chunk, Math.max(0, requests.longPrompt() - chunk) / 2, 1);
        return replica.engine().arrivalUs(requests.longPrompt()) / MS + (steps + stages - 1) * each;
    }
}

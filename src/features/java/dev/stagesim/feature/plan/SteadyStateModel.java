package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.model.ModelSize;
import dev.stagesim.model.Precision;
import dev.stagesim.predict.Operator;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.StepCost;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import java.util.Optional;

/**
 * The steady state of a copy under a load, from the time of its steps: decodes run beside one another for as long as their
 * steps take, and prompts ride on some of these steps.
 */
final class SteadyStateModel {
    private static final double MS = 1e3;
    private static final double TERA = 1e12;
    private static final double GIGA = 1e9;
    private static final int MAX_ROUNDS = 400;
    private static final double CLOSE = 1e-3;
    private static final int HALVINGS = 20;
    private static final int FINE = 32;

    /** Deviations of the number in flight that one state of a hundred exceeds. */
    private static final double DEVIATIONS = 2.33;

    private static final double LN_100 = Math.log(100);

    private final ReplicaModel replica;
    private final RequestSamples requests;
    private final int maxTokens;

    /** Sequences that run at a time: the limit, or as many as the cache holds at the mean context. */
    private final double most;

    /** Whether steps with prompts have no decodes. */
    private final boolean separatesPrefill;

    private final int stages;
    private final EngineTimes times;

    SteadyStateModel(ReplicaModel replica, RequestSamples requests, EngineChoice deployment) {
        this.replica = replica;
        this.requests = requests;
        maxTokens = deployment.maxNumBatchedTokens();
        most = Math.min(deployment.maxNumSeqs(), replica.kvTokens() / requests.context());
        separatesPrefill = !(replica.scheduler() instanceof SchedulerSettings.VllmV1
                || replica.scheduler() instanceof SchedulerSpec.Sarathi);
        stages = replica.cluster().numPipelineStages();
        times = replica.engineTimes();
    }

    /**
     * A state.
     *
     * @param running requests that decode
     * @param mixed share of the time in steps with prompts
     * @param mixedMs time of such a step
     * @param plainMs time of a step without
     * @param tpotMs mean time of an output token
     */
    record State(double running, double mixed, double mixedMs, double plainMs, double tpotMs) {
        /** Requests that decode in one state of a hundred, or more. */
        double many() {
            return running + DEVIATIONS * Math.sqrt(running);
        }
    }

    /** Milliseconds of a step of a stage. */
    private double stepMs(double running, double chunk, double prefix, double prefills) {
        int decodes = (int) Math.ceil(running / stages);
        int tokens = (int) Math.max(1, Math.ceil(decodes + chunk * prefills));
        double operators = times.step()
                .operators(
                        times,
                        tokens,
                        decodes,
                        round(requests.context()),
                        round(prefix),
                        (int) Math.max(1, Math.round(chunk)),
                        (int) Math.ceil(prefills));
        double send = stages > 1 ? times.milliseconds(Operator.SEND_RECV, tokens) : 0;
        return times.step().milliseconds(operators + send, tokens, decodes, (int) Math.ceil(prefills));
    }

    private static int round(double tokens) {
        return (int) (Math.ceil(tokens / LayerTimes.KV_STEP) * LayerTimes.KV_STEP);
    }

    /** Prompt tokens that a step has room for. */
    private double room(double running) {
        return separatesPrefill ? maxTokens : maxTokens - Math.ceil(running / stages);
    }

    /** Milliseconds of a step with so many prompt tokens, of one chunk or of several prompts. */
    private double mixedMs(double running, double tokens) {
        double prompt = Math.min(requests.prompt(), room(running));
        double count = Math.max(1, Math.ceil(tokens / prompt));
        return stepMs(
                separatesPrefill ? 0 : running, tokens / count, Math.max(0, requests.prompt() - prompt) / 2, count);
    }

    /** The state at a rate of requests a second; empty when the copy cannot keep up. */
    Optional<State> at(double rate) {
        double running = 0;
        for (int round = 0; round < MAX_ROUNDS; round++) {
            Optional<State> next = with(running, rate);
            if (next.isEmpty() || next.get().running() > most) {
                return Optional.empty();
            }
            if (next.get().running() - running < CLOSE * Math.max(1, running)) {
                return next;
            }
            running = next.get().running();
        }
        return Optional.empty();
    }

    /** How many run when steps are as long as with {@code running} of them. */
    private Optional<State> with(double running, double rate) {
        double room = room(running);
        if (room < 1) {
            return Optional.empty();
        }
        double perMs = rate * requests.prompt() / MS;
        double tokens = Math.min(requests.prompt(), room);
        double mixed = mixedMs(running, tokens);
        if (perMs * mixed > tokens) {
            tokens = enough(running, perMs, tokens, room);
            mixed = mixedMs(running, tokens);
        }
        double share = perMs * mixed / tokens;
        if (share > (separatesPrefill ? 1 : 1 + CLOSE)) {
            return Optional.empty();
        }
        double plain = stepMs(Math.max(1, running), 0, 0, 0);
        double steps = (separatesPrefill ? 0 : Math.min(1, share) / mixed) + Math.max(0, 1 - share) / plain;
        double tpot = stages / steps;
        return Optional.of(new State(rate * requests.output() * tpot / MS, Math.min(1, share), mixed, plain, tpot));
    }

    /** Least prompt tokens of a step that keep up with those that come. */
    private double enough(double running, double perMs, double from, double room) {
        double low = from;
        double high = room;
        for (int i = 0; i < HALVINGS && high - low > 1; i++) {
            double middle = (low + high) / 2;
            if (perMs * mixedMs(running, middle) > middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** P99 of the time of an output token, about: many run, and short outputs meet more prompts than their share. */
    double longTpotMs(State state, double rate) {
        double many = Math.min(state.many(), most);
        return with(many, rate).map(this::unlucky).orElse(Double.POSITIVE_INFINITY);
    }

    private double unlucky(State state) {
        double prompts = state.mixed() / state.mixedMs();
        double part = prompts / (prompts + (1 - state.mixed()) / state.plainMs());
        double more = DEVIATIONS * Math.sqrt(part * (1 - part) / Math.max(1, requests.output() / 2));
        double extra = separatesPrefill ? state.mixedMs() : Math.max(0, state.mixedMs() - state.plainMs());
        return state.tpotMs() + stages * Math.min(more, 1 - part) * extra;
    }

    /** P99 of the time to the first token, about: the prompt, those before it, and the wait for a place. */
    double longTtftMs(State state, double rate) {
        double busy = state.mixed() / Math.max(CLOSE, 1 - state.mixed());
        double queue = LN_100 * busy * state.mixedMs() / 2;
        double missing = Math.max(0, state.many() - most);
        return promptMs(state.running()) + state.tpotMs() + queue + MS * missing / rate;
    }

    /** Requests a second whose prompts it computes when it does nothing else. */
    double promptsPerS() {
        double tokens = room(0);
        return MS * tokens / (mixedMs(0, tokens) * requests.prompt());
    }

    /** Requests a second whose outputs it makes when it does nothing else, each token in such a time. */
    double outputsPerS(double tpotMs) {
        int running = (int) Math.max(1, most);
        while (running > 1 && stages * stepMs(running, 0, 0, 0) > tpotMs) {
            running -= Math.max(1, running / FINE);
        }
        return MS * running / (stages * stepMs(running, 0, 0, 0) * requests.output());
    }

    /** What sets the time of a step: the host, arithmetic, or reading weights and cache. */
    String limit(State state, double rate) {
        int decodes = (int) Math.ceil(Math.max(1, state.running()) / stages);
        double operators = times.step().operators(times, decodes, decodes, round(requests.context()), 0, 1, 0);
        if (times.step().cost(operators, decodes, decodes, 0).bound() == StepCost.Bound.HOST) {
            return "the host's time around a step";
        }
        ModelSize size = replica.model().size();
        double tokens = state.running() + rate * requests.prompt() * state.tpotMs() / MS;
        double flops = 2.0 * size.activeParameters() * tokens;
        double bytes = size.weightBytes() + state.running() * requests.context() * size.kvBytesPerToken();
        double ratio = replica.hardware().bf16OrFp16Tflops().orElseThrow()
                * TERA
                * (replica.model().weights().rate() == Precision.Rate.BITS16 ? 1 : 2)
                / (replica.hardware().statedMemBwGbs() * GIGA);
        return flops / ratio > bytes ? "arithmetic" : "memory bandwidth";
    }

    /** Milliseconds until the first token of a long prompt that nothing delays. */
    double promptMs(double running) {
        double chunk = Math.min(requests.longPrompt(), room(running));
        double steps = Math.ceil(requests.longPrompt() / chunk);
        double each = stepMs(separatesPrefill ? 0 : running, chunk, Math.max(0, requests.longPrompt() - chunk) / 2, 1);
        return replica.engine().arrivalUs(requests.longPrompt()) / MS + (steps + stages - 1) * each;
    }
}

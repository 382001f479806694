package dev.stagesim.feature.plan;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The requests of a workload, drawn once per seed. Their lengths are fixed; their arrival times are scaled to any rate.
 */
final class RequestSamples {
    private static final double P99 = 0.99;
    private static final double ROUNDING = 1e-9;

    /** Distance between the seeds that order the requests of repetitions; above all numbers of seeds. */
    private static final int SEED_STRIDE = 1_000_003;

    private final List<Sample> samples = new ArrayList<>();
    private final int drawn;
    private final int longest;
    private final double prompt;
    private final double output;
    private final double longPrompt;
    private final double context;

    /**
     * Requests of one seed.
     *
     * @param drawn the requests in the order of their arrival in the workload
     * @param arrivals arrival times at the original rate, in seconds; the first is 0
     * @param rate the original rate, in requests per second
     */
    private record Sample(RequestTrace trace, RequestTrace drawn, double[] arrivals, double rate) {}

    /**
     * Takes the requests of runs with different seeds. If there are fewer runs than seeds, the other samples have the
     * inter-arrival times of the first run in another order, and its requests too unless they share tokens.
     *
     * @param limit maximum number of requests per seed
     */
    RequestSamples(List<ServingInput> inputs, int limit, int seeds) {
        for (int seed = 0; seed < seeds; seed++) {
            boolean isDrawn = seed < inputs.size();
            RequestTrace trace = inputs.get(isDrawn ? seed : 0).trace();
            int size = Math.min(limit, trace.size());
            samples.add(isDrawn ? sample(trace, trace, gaps(trace, size)) : shuffled(trace, size, seed));
        }
        drawn = Math.min(inputs.size(), seeds);
        longest = inputs.stream().mapToInt(ServingInput::longest).max().orElse(0);
        double prompts = 0;
        double outputs = 0;
        double held = 0;
        for (int i = 0; i < size(); i++) {
            double in = first().prefillTokens(i);
            double out = first().decodeTokens(i);
            prompts += in;
            outputs += out;
            held += out * (in + out / 2);
        }
        prompt = prompts / size();
        output = outputs / size();
        context = held / outputs;
        longPrompt = Quantiles.of(prompts(), P99);
    }

    private static double[] gaps(RequestTrace trace, int size) {
        double[] gaps = new double[size];
        for (int i = 1; i < size; i++) {
            gaps[i] = trace.arrivalSeconds(i) - trace.arrivalSeconds(i - 1);
        }
        return gaps;
    }

    private static Sample shuffled(RequestTrace trace, int size, int seed) {
        double[] gaps = gaps(trace, size);
        int[] times = order(size, RandomStream.of(seed, "gaps"));
        int[] requests = order(size, RandomStream.of(seed, "requests"));
        double[] shuffled = new double[size];
        Arrays.setAll(shuffled, i -> gaps[times[i]]);
        return sample(trace.hasUniqueTokens() ? trace.part(requests) : trace, trace, shuffled);
    }

    /** Returns a random permutation that keeps 0 first. */
    private static int[] order(int size, RandomStream random) {
        int[] order = IntStream.range(0, size).toArray();
        for (int i = size - 1; i > 1; i--) {
            int other = 1 + (int) random.below(i);
            int number = order[i];
            order[i] = order[other];
            order[other] = number;
        }
        return order;
    }

    private static Sample sample(RequestTrace trace, RequestTrace drawn, double[] gaps) {
        double[] arrivals = gaps.clone();
        for (int i = 1; i < arrivals.length; i++) {
            arrivals[i] += arrivals[i - 1];
        }
        double span = arrivals.length < 2 ? 0 : arrivals[arrivals.length - 1];
        if (!(span > 0) && trace.closedLoop().isEmpty()) {
            throw StageException.input(Problem.config("arrival.kind", "all requests come at once: there is no rate")
                    .hint("choose arrival=poisson; the times are stretched to the load"));
        }
        return new Sample(trace, drawn, arrivals, (arrivals.length - 1) / span);
    }

    private RequestTrace first() {
        return samples.get(0).trace();
    }

    /** True if all requests have the same prompt length and the same output length. */
    boolean haveEqualLengths() {
        RequestTrace trace = first();
        return IntStream.range(1, size())
                .allMatch(i -> trace.prefillTokens(i) == trace.prefillTokens(0)
                        && trace.decodeTokens(i) == trace.decodeTokens(0));
    }

    int seeds() {
        return samples.size();
    }

    /** Number of seeds with separately drawn requests; the remaining seeds reorder the requests of the first one. */
    int drawn() {
        return drawn;
    }

    /** True if {@link #at} can return the requests several times: repeated prompts would otherwise be cached. */
    boolean canRepeat() {
        return hasUniqueTokens() && first().closedLoop().isEmpty();
    }

    /**
     * Returns the requests of a seed, numbered from 0, at a load. The metrics of a closed loop exclude its first wave.
     *
     * @param repetitions number of repetitions; each one after the first has the requests and inter-arrival times in another
     *     order
     */
    RequestTrace at(double load, int seed, int repetitions) {
        Sample sample = samples.get(seed);
        RequestTrace trace = sample.trace();
        int count = sample.arrivals().length;
        double[] arrivals = new double[count * repetitions];
        int[] prompts = new int[count * repetitions];
        int[] outputs = new int[count * repetitions];
        for (int repetition = 0; repetition < repetitions; repetition++) {
            Sample part = repetition == 0 ? sample : shuffled(sample.drawn(), count, seed + SEED_STRIDE * repetition);
            double from = repetition == 0 ? 0 : arrivals[count * repetition - 1] + 1 / load;
            for (int i = 0; i < count; i++) {
                arrivals[count * repetition + i] = from + part.arrivals()[i] * part.rate() / load;
                prompts[count * repetition + i] = part.trace().prefillTokens(i);
                outputs[count * repetition + i] = part.trace().decodeTokens(i);
            }
        }
        RequestTrace at = repetitions > 1
                ? new RequestTrace(arrivals, prompts, outputs)
                : new RequestTrace(arrivals, prompts, outputs, trace::tokens);
        if (trace.hasUniqueTokens()) {
            at.withUniqueTokens();
        }
        if (trace.closedLoop().isPresent()) {
            Arrays.fill(arrivals, 0);
            ClosedLoop loop = trace.closedLoop().get();
            int concurrency = Math.max(1, (int) (load + ROUNDING));
            int wave = Math.min(concurrency, count / 2);
            at.closed(Optional.of(
                    new ClosedLoop(concurrency, loop.rampUpSeconds(), Math.max(loop.warmUpRequests(), wave))));
        }
        return at;
    }

    /** Returns the rate of the workload in requests per second, before its arrivals are scaled. */
    double originalRate() {
        return samples.get(0).rate();
    }

    /** Returns the seconds from the first arrival to the last, for the first seed; infinite in a closed loop. */
    double span(double load) {
        return first().closedLoop().isPresent() ? Double.POSITIVE_INFINITY : (size() - 1) / load;
    }

    /** Number of requests per seed. */
    int size() {
        return samples.get(0).arrivals().length;
    }

    /** Returns the prompt lengths of the first seed, in order of arrival. */
    double[] prompts() {
        double[] all = new double[size()];
        Arrays.setAll(all, i -> first().prefillTokens(i));
        return all;
    }

    /** Returns the output lengths of the first seed, in order of arrival. */
    double[] outputs() {
        double[] all = new double[size()];
        Arrays.setAll(all, i -> first().decodeTokens(i));
        return all;
    }

    /** True if no two requests of the first seed share a token, so that no prompt is cached. */
    boolean hasUniqueTokens() {
        return first().hasUniqueTokens();
    }

    /** Maximum sum of prompt and output tokens. */
    int longest() {
        return longest;
    }

    double prompt() {
        return prompt;
    }

    /** P99 of the prompt length. */
    double longPrompt() {
        return longPrompt;
    }

    double output() {
        return output;
    }

    /** Mean number of cached tokens of a decoding request, over its steps. */
    double context() {
        return context;
    }
}

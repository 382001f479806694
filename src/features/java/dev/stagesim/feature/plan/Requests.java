package dev.stagesim.feature.plan;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.stats.Quantiles;

/** The requests of a workload, at any rate: lengths as they are, times stretched. */
final class Requests {
    private static final double MOST = 0.99;

    private final RequestTrace trace;
    private final int size;
    private final int longest;
    private final double rate;
    private final double prompt;
    private final double output;
    private final double longPrompt;
    private final double context;

    /**
     * Takes the requests of a run.
     *
     * @param most how many of them at most
     */
    Requests(ServingInput input, int most) {
        trace = input.trace();
        longest = input.longest();
        size = Math.min(most, trace.size());
        double span = size < 2 ? 0 : trace.arrivalSeconds(size - 1) - trace.arrivalSeconds(0);
        if (!(span > 0)) {
            throw StageException.input(Problem.config("arrival.kind", "all requests come at once: there is no rate")
                    .hint("choose arrival=poisson; the times are stretched to the load"));
        }
        rate = (size - 1) / span;
        double prompts = 0;
        double outputs = 0;
        double held = 0;
        double[] sorted = new double[size];
        for (int i = 0; i < size; i++) {
            double in = trace.prefillTokens(i);
            double out = trace.decodeTokens(i);
            prompts += in;
            outputs += out;
            held += out * (in + out / 2);
            sorted[i] = in;
        }
        java.util.Arrays.sort(sorted);
        prompt = prompts / size;
        output = outputs / size;
        context = held / outputs;
        longPrompt = Quantiles.ofSorted(sorted, MOST);
    }

    /** The requests at a rate in requests a second. */
    RequestTrace at(double load) {
        double[] arrivals = new double[size];
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        for (int i = 0; i < size; i++) {
            arrivals[i] = (trace.arrivalSeconds(i) - trace.arrivalSeconds(0)) * rate / load;
            prompts[i] = trace.prefillTokens(i);
            outputs[i] = trace.decodeTokens(i);
        }
        return new RequestTrace(arrivals, prompts, outputs, trace::tokens);
    }

    int size() {
        return size;
    }

    /** Greatest sum of prompt and output. */
    int longest() {
        return longest;
    }

    /** Mean prompt. */
    double prompt() {
        return prompt;
    }

    /** Prompt that one of a hundred requests exceeds. */
    double longPrompt() {
        return longPrompt;
    }

    /** Mean output. */
    double output() {
        return output;
    }

    /** Tokens in the cache of a request that decodes, on average over the steps. */
    double context() {
        return context;
    }
}

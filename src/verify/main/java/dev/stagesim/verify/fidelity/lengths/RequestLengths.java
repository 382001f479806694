package dev.stagesim.verify.fidelity.lengths;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.SplittableRandom;

/**
 * Random lengths around a mean, from a fixed seed. Quasi-random lengths would keep streams apart or synchronise them,
 * unlike real clients.
 *
 * @param input maximum or mean prompt
 * @param output maximum or mean output
 */
public record RequestLengths(int input, int output, LengthDistribution inputs, LengthDistribution outputs) {
    private static final int INPUTS = 0;
    private static final int OUTPUTS = 1;
    private static final int GAPS = 2;
    private static final int SEQUENCES = 3;

    /** Returns a distribution with equal spread of prompts and outputs. */
    public static RequestLengths even(int input, int output, double low, double high) {
        return new RequestLengths(
                input, output, LengthDistribution.even(low, high), LengthDistribution.even(low, high));
    }

    public int input(int request) {
        return inputs.at(input, fraction(request, INPUTS));
    }

    public int output(int request) {
        return outputs.at(output, fraction(request, OUTPUTS));
    }

    /** Returns the mean of evenly distributed prompts. */
    public int meanInput() {
        return Math.max(1, (int) Math.round(input * (inputs.low() + inputs.high()) / 2));
    }

    private static double fraction(int request, int sequence) {
        return new SplittableRandom((long) SEQUENCES * request + sequence).nextDouble();
    }

    public int longest() {
        return (int) Math.ceil(input * Math.max(1, inputs.high()) + output * Math.max(1, outputs.high())) + 1;
    }

    /**
     * Returns arrivals at a rate, with constant or exponential gaps.
     *
     * @param prompts number of different prompts, which are repeated; 0 if no two requests share tokens
     */
    public RequestTrace trace(int count, double perSecond, boolean poisson, int prompts) {
        double[] arrivals = new double[count];
        int[] inputs = new int[count];
        int[] outputs = new int[count];
        double now = 0;
        for (int i = 0; i < count; i++) {
            arrivals[i] = now;
            inputs[i] = input(i);
            outputs[i] = output(i);
            double gap = poisson ? -Math.log(1 - fraction(i, GAPS)) : 1;
            now += gap / perSecond;
        }
        return prompts == 0
                ? new RequestTrace(arrivals, inputs, outputs)
                : new RequestTrace(
                        arrivals, inputs, outputs, request -> Tokens.from(SharedTokens.promptOf(request % prompts)));
    }
}

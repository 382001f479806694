package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.serving.RequestTrace;

/**
 * Lengths spread evenly around a mean, the same for everyone who asks: low-discrepancy sequences instead of random numbers.
 *
 * @param input greatest or mean prompt
 * @param output greatest or mean output
 */
record Spread(int input, int output, Lengths inputs, Lengths outputs) {
    private static final double GOLDEN = 0.6180339887498949;
    private static final double PLASTIC = 0.7548776662466927;
    private static final double ROOT = 0.41421356237309515;

    /** Both spread alike. */
    static Spread even(int input, int output, double low, double high) {
        return new Spread(input, output, Lengths.even(low, high), Lengths.even(low, high));
    }

    int input(int request) {
        return inputs.at(input, fraction(request, GOLDEN));
    }

    int output(int request) {
        return outputs.at(output, fraction(request, PLASTIC));
    }

    private static double fraction(int request, double irrational) {
        double x = (request + 1) * irrational;
        return x - Math.floor(x);
    }

    int longest() {
        return (int) Math.ceil(input * Math.max(1, inputs.high()) + output * Math.max(1, outputs.high())) + 1;
    }

    /** Requests at a rate, evenly or with exponential gaps. */
    RequestTrace trace(int count, double perSecond, boolean poisson) {
        double[] arrivals = new double[count];
        int[] inputs = new int[count];
        int[] outputs = new int[count];
        double now = 0;
        for (int i = 0; i < count; i++) {
            arrivals[i] = now;
            inputs[i] = input(i);
            outputs[i] = output(i);
            double gap = poisson ? -Math.log(1 - fraction(i, ROOT)) : 1;
            now += gap / perSecond;
        }
        return new RequestTrace(arrivals, inputs, outputs);
    }
}

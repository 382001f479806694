package dev.stagesim.verify.fidelity;

import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.StepModel;

/** Predicts equal requests that start together, as the sum of their steps. */
final class StaticBatch {
    private static final int SAMPLES = 8;

    private final Subject subject;
    private final ReplicaModel replica;
    private final EngineTimes times;
    private final int input;
    private final int output;

    StaticBatch(Subject subject, int input, int output) {
        this.subject = subject;
        this.input = Math.max(1, input);
        this.output = output;
        this.replica = subject.of(this.input + output);
        this.times = replica.engineTimes();
    }

    /** Returns the milliseconds of a step with one token per sequence. */
    double decodeMs(int batch, double context) {
        return milliseconds(batch, batch, context, 0, 0, 0);
    }

    /** Returns the milliseconds of a step with decodes and chunks of prompts. */
    double mixedMs(int decodes, double context, int chunk, int prefix, int prefills) {
        return milliseconds(decodes + chunk * prefills, decodes, context, prefix, chunk, prefills);
    }

    private double milliseconds(int tokens, int decodes, double context, int prefix, int chunk, int prefills) {
        StepModel step = times.step();
        double operators =
                step.operators(times.operators(), tokens, decodes, (int) Math.round(context), prefix, chunk, prefills);
        return step.milliseconds(operators, tokens, decodes, prefills);
    }

    /**
     * Returns the milliseconds of all prompts, with as many whole prompts per step as fit; longer prompts are chunked.
     */
    double prefillMs(int batch) {
        int max = subject.chunk();
        if (input > max) {
            double one = 0;
            for (int done = 0; done < input; done += max) {
                one += mixedMs(0, 0, Math.min(max, input - done), done, 1);
            }
            return batch * one;
        }
        int together = Math.max(1, max / input);
        int full = batch / together;
        double ms = full * mixedMs(0, 0, input, 0, Math.min(batch, together));
        int rest = batch % together;
        return ms + (rest > 0 ? mixedMs(0, 0, input, 0, rest) : 0);
    }

    /** Returns the mean milliseconds of a decode step over the output. */
    double meanDecodeMs(int batch) {
        double sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            sum += decodeMs(batch, input + (i + 0.5) / SAMPLES * output);
        }
        return sum / SAMPLES;
    }

    /** Returns the milliseconds from start to end. Sequences that exceed the cache run in further waves. */
    double wholeMs(int batch) {
        int fit = fit();
        double ms = 0;
        for (int left = batch; left > 0; left -= fit) {
            int wave = Math.min(left, fit);
            ms += prefillMs(wave) + Math.max(0, output - 1) * meanDecodeMs(wave);
        }
        return ms;
    }

    /** Returns the number of full-length sequences that fit into the cache. */
    int fit() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, Subject.kvTokens(replica) / (input + output)));
    }

    /**
     * Returns the output tokens per second with a permanent queue: steps with as many decodes as the cache allows, and
     * the prompts that replace finished requests.
     */
    double saturated(int maxSequences) {
        // each pipeline stage processes its part of the batch
        int batch =
                Math.max(1, Math.min(fit(), maxSequences) / subject.sharding().stages());
        double mean = input + output / 2.0;
        double perStep = (double) batch * input / Math.max(1, output);
        double step = decodeMs(batch, mean);
        double mixed = step;
        if (perStep > 0) {
            // prompts are not chunked, and the steps between them only decode
            int prompts = (int)
                    Math.max(1, Math.min(Math.floor((double) subject.chunk() / input), Math.ceil(perStep / input)));
            int chunk = Math.min(input, subject.chunk());
            double stepsWith = Math.max(0, perStep / ((double) prompts * chunk));
            double with = mixedMs(batch, mean, chunk, 0, prompts);
            mixed = step + (with - step) * stepsWith;
        }
        return 1e3 * batch / mixed;
    }

    /** True if reading the weights alone takes longer than the time in the row. */
    boolean fasterThanWeights(double ms, int tokens) {
        double bytesPerMs = replica.hardware().statedMemBwGbs() * 1e6;
        double weights = replica.model().isMixtureOfExperts() ? 0 : replica.weightBytes() / replica.devices();
        return ms < weights / bytesPerMs * tokens;
    }
}

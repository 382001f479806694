package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.verify.fidelity.lengths.LengthDistribution;
import dev.stagesim.verify.fidelity.lengths.RequestLengths;

/**
 * Server and interactive scenarios of MLPerf Inference: requests of the data set arrive by a Poisson process at the target
 * rate, shared by engines with the settings of the submission. Source: mlcommons/inference, load generator rules, and the
 * lengths of the data sets in the results.
 */
final class MlperfServer {
    /** Minimum duration of a run in s. */
    private static final double SECONDS = 600;

    private static final int MAX_REQUESTS = 12_000;
    private static final int MIN_REQUESTS = 300;

    private MlperfServer() {}

    static boolean isOne(Row row) {
        return row.load().kind().equals("server") || row.load().kind().equals("interactive");
    }

    /** True if the row states the rate and the parallelism. */
    static boolean isComplete(Row row) {
        return row.load().amount() > 0
                && row.groups().tensor() > 0
                && row.load().output() > 0
                && row.noted("batch", 0) > 0;
    }

    /** Returns the number of attention copies of all engines. */
    static int copies(Row row, Subject subject) {
        Sharding sharding = subject.sharding();
        return row.groups().devices() / (sharding.tensor() * sharding.stages());
    }

    static LoadRun.LoadResult run(Row row, Subject subject, int input) {
        double rate = row.load().amount() / copies(row, subject);
        int requests = (int) Math.max(MIN_REQUESTS, Math.min(MAX_REQUESTS, rate * SECONDS));
        RequestLengths lengths = lengths(row, input);
        return new LoadRun(subject.of(lengths.longest())).replay(lengths.trace(requests, rate, true, 0));
    }

    /** Returns lengths with the spread of the data set: 0.77 of the mean for OpenOrca and the mixed set, 1.25 for reasoning. */
    private static RequestLengths lengths(Row row, int input) {
        int output = row.load().output();
        String model = row.setup().model();
        boolean isWide = model.contains("Llama-2-70b") || model.contains("Mixtral");
        LengthDistribution inputs = isWide ? LengthDistribution.exponential(3.5) : LengthDistribution.HUMP;
        LengthDistribution outputs = isWide || model.contains("DeepSeek")
                ? LengthDistribution.exponential(isWide ? 3.5 : 8)
                : LengthDistribution.HUMP;
        return new RequestLengths(input, output, inputs, outputs);
    }
}

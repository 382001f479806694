package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.kernels.Sharding;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Workers with one parallelism, as the note of a row states them.
 *
 * @param workers number of workers, or 0 if one engine does all the work
 * @param devices devices of a worker
 * @param copiesAttention whether each device of a worker has its own requests in attention
 * @param expertParts groups of devices of a worker with separate experts
 */
record Pool(int workers, int devices, boolean copiesAttention, int expertParts) {
    private static final String COUNTS = " tp (\\d+) ep (\\d+) dpa (True|False) workers (\\d+) gpus (\\d+)";
    private static final Pattern PREFILL = Pattern.compile("prefill" + COUNTS);
    private static final Pattern DECODE = Pattern.compile("decode" + COUNTS);
    private static final Pattern EQUAL =
            Pattern.compile("prefill workers (\\d+) decode workers (\\d+), TP (\\d+) each");

    /**
     * Devices of a machine, which the workers of a run of dstack share equally: one decode worker has 10 ms per token with 128
     * streams next to one prefill worker, and 15 ms next to three.
     */
    private static final int MACHINE = 8;

    /** Workers of a deployment that computes prompts and tokens on different devices. */
    record Split(Pool prefill, Pool decode) {
        /** Returns the pools of a row; empty if prompts and tokens share their devices. */
        static Optional<Split> of(Row row) {
            Matcher equal = EQUAL.matcher(row.note());
            if (equal.find()) {
                int prefills = Integer.parseInt(equal.group(1));
                int decodes = Integer.parseInt(equal.group(2));
                int devices = Client.isDstack(row) ? MACHINE / (prefills + decodes) : Integer.parseInt(equal.group(3));
                return Optional.of(
                        new Split(new Pool(prefills, devices, false, 1), new Pool(decodes, devices, false, 1)));
            }
            if (!row.note().contains("disaggregated")) {
                return Optional.empty();
            }
            Optional<Pool> prefill = pool(PREFILL, row.note());
            Optional<Pool> decode = pool(DECODE, row.note());
            if (prefill.isEmpty()
                    || decode.isEmpty()
                    || prefill.get().workers() == 0
                    || decode.get().workers() == 0) {
                throw new UnpredictableRow("the numbers of prefill and decode workers are not recorded");
            }
            return Optional.of(new Split(prefill.get(), decode.get()));
        }
    }

    /** Returns the devices of an engine for prompts and tokens; empty if the note does not state them. */
    static Optional<Pool> aggregated(Row row) {
        return row.note().contains("aggregated") ? pool(DECODE, row.note()) : Optional.empty();
    }

    private static Optional<Pool> pool(Pattern pattern, String note) {
        Matcher found = pattern.matcher(note);
        if (!found.find()) {
            return Optional.empty();
        }
        int tensor = Integer.parseInt(found.group(1));
        int parts = Integer.parseInt(found.group(2));
        boolean copies = Boolean.parseBoolean(found.group(3));
        int workers = Integer.parseInt(found.group(4));
        int all = workers == 0 ? tensor : Integer.parseInt(found.group(5)) / workers;
        int devices = Math.max(all, Math.max(tensor, parts));
        return Optional.of(new Pool(workers, devices, copies, tensor == 1 && copies ? devices : parts));
    }

    /**
     * Returns the ratio of a stated rate to the tokens per second of the deployment. InferenceX divides the tokens of prompts
     * by the devices for prompts, and output tokens by the devices for output; rows multiply both by the number of devices,
     * which may be a product of degrees instead.
     */
    static double rateFactor(Row row) {
        Pool all = new Pool(1, row.groups().devices(), false, 1);
        Optional<Split> split = row.note().contains("; framework") ? Split.of(row) : Optional.empty();
        Pool counted = split.map(pools -> row.metric().startsWith("input") ? pools.prefill() : pools.decode())
                .or(() -> aggregated(row))
                .orElse(all);
        return (double) all.devices / (Math.max(1, counted.workers) * counted.devices);
    }

    /** Returns the pool with attention that the devices of a worker share. */
    Pool sharing() {
        return new Pool(workers, devices, false, 1);
    }

    Sharding sharding() {
        return copiesAttention
                ? new Sharding(1, 1, devices, Math.max(1, devices / expertParts), expertParts)
                : new Sharding(devices, 1, 1, Math.max(1, devices / expertParts), expertParts);
    }

    /** Number of groups of devices with separate requests in attention. */
    int engines() {
        return Math.max(1, workers) * (copiesAttention ? devices : 1);
    }
}

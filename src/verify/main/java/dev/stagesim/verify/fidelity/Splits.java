package dev.stagesim.verify.fidelity;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import java.util.Optional;

/** Derives the parallelism of a measured row. Columns have different meanings in different sources. */
final class Splits {
    private Splits() {}

    static Sharding of(Row row, ModelCard model) {
        if (row.setup().engine().equals("llama.cpp")) {
            return Sharding.tensor(1, 1);
        }
        Optional<Pool> pool = Pool.aggregated(row);
        if (pool.isPresent()) {
            return checked(pool.get(), model);
        }
        int stages = Math.max(1, row.groups().stages());
        if (stages > 1 && !row.load().kind().equals("unlimited")) {
            throw new UnpredictableRow("pipelines are modelled for saturated engines only");
        }
        int tensor = Math.max(1, row.groups().tensor()) / (isOfTwoReplicas(row) ? 2 : 1);
        int copies = Math.max(row.groups().copies(), row.noted("attention_dp", 1));
        int parts = row.groups().expertParts();
        int devices = row.groups().devices();
        if ((TrtllmBench.copiesAttention(row) || row.note().contains("adp True")) && model.isMixtureOfExperts()) {
            copies = tensor;
            parts = tensor;
            tensor = 1;
        }
        if (isProduct(row)) {
            // attention and experts each use all devices of the machine, but the table has the product of the two
            // degrees
            boolean both = tensor > 1 && copies > 1;
            parts = both ? tensor : parts;
            tensor = both || copies == 1 ? parts : 1;
            copies = both || copies == 1 ? 1 : parts;
            devices = parts;
        } else if (row.setup().engine().startsWith("vllm") && parts > tensor * copies) {
            // vLLM distributes experts over all attention devices
            tensor = parts / copies;
        }
        if (devices > 0 && tensor * copies > devices) {
            throw new UnpredictableRow("tensor and data parallel degrees need more devices than there are");
        }
        if ((!LayerTimes.splits(model, tensor) && !model.isMixtureOfExperts())
                || model.shape().numHeads() % tensor != 0) {
            throw new UnpredictableRow(
                    "tensor parallelism " + tensor + " does not divide the attention heads or the layers");
        }
        parts = model.isMixtureOfExperts() ? parts : 1;
        return new Sharding(tensor, stages, copies, Math.max(1, tensor * copies / parts), parts);
    }

    /** Returns the devices of a copy of the model. */
    static int devices(Row row) {
        return Pool.aggregated(row)
                .map(Pool::devices)
                .orElseGet(() -> row.groups().devices() / row.groups().copies());
    }

    /** Returns the sharding of a worker; a degree that does not divide the heads cannot be tensor parallelism. */
    static Sharding checked(Pool pool, ModelCard model) {
        Sharding sharding = pool.sharding();
        if (model.shape().numHeads() % sharding.tensor() != 0) {
            throw new UnpredictableRow(
                    "tensor parallelism " + sharding.tensor() + " does not divide the attention heads or the layers");
        }
        return sharding;
    }

    /** True if dstack repeats the times of one of two replicas for all devices (dstackai/benchmarks, quark-2fp8, README). */
    private static boolean isOfTwoReplicas(Row row) {
        return row.origin().source().equals("dstack-405b") && row.note().contains(" 2FP8");
    }

    /** True if InferenceX lists the product of attention devices and expert devices for a run on one machine. */
    private static boolean isProduct(Row row) {
        int parts = row.groups().expertParts();
        boolean both = row.groups().tensor() > 1
                && row.groups().copies() == row.groups().tensor()
                && row.groups().devices() == parts;
        boolean twice = row.noted("moe_tp", 1) == parts && row.groups().devices() == parts * parts;
        return Client.isRandom(row) && parts > 1 && (both || twice);
    }
}

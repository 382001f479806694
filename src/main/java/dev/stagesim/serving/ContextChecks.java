package dev.stagesim.serving;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.kernels.ContextTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.memory.LayerCache;
import java.util.ArrayList;
import java.util.List;

/** What of a model and its devices context parallelism cannot do. */
final class ContextChecks {
    private static final String DECODE = "scheduler.decode_context_parallel_size";
    private static final String PREFILL = "scheduler.prefill_context_parallel_size";
    private static final String INTERLEAVE = "scheduler.cp_kv_cache_interleave_size";

    private ContextChecks() {}

    static void check(
            SchedulerSettings.VllmV1 settings,
            ModelCard model,
            HardwareCard hardware,
            int tensor,
            List<LayerCache> layers) {
        ContextSharding context = settings.contextSharding();
        List<Problem> problems = new ArrayList<>();
        if (context.decode() > 1) {
            decode(context.decode(), model, tensor, problems);
        }
        if (context.prefill() > 1 && model.isMixtureOfExperts()) {
            problems.add(Problem.config(
                            PREFILL, "is " + context.prefill() + ", and how groups share experts is not modelled")
                    .hint("choose a dense model, or scheduler.decode_context_parallel_size"));
        }
        if (context.ranks() > 1 && !ContextTimes.canExchange(hardware, tensor, context)) {
            problems.add(unlinked(context, hardware));
        }
        if (context.ranks() == 1 && context.interleave() > 1) {
            problems.add(Problem.config(
                            INTERLEAVE,
                            "has no effect: with scheduler.decode_context_parallel_size=1 and"
                                    + " scheduler.prefill_context_parallel_size=1 every device holds all tokens")
                    .hint("leave it out"));
        } else if (settings.blockSize() % context.interleave() != 0) {
            problems.add(Problem.config(
                            INTERLEAVE,
                            "is " + context.interleave() + ", which does not divide scheduler.block_size, "
                                    + settings.blockSize())
                    .hint("use a divisor of the block size"));
        }
        if (context.ranks() > 1 && !layers.isEmpty()) {
            problems.add(Problem.config(
                            context.decode() > 1 ? DECODE : PREFILL,
                            "spreads the context of full attention only, and " + model.name()
                                    + " has layers with windows, chunks or states")
                    .hint("set it to 1"
                            + (model.stateLayers().orElse(0) > 0
                                    ? ""
                                    : ", or scheduler.disable_hybrid_kv_cache_manager=true")));
        }
        StageException.refuse(problems);
    }

    private static Problem unlinked(ContextSharding context, HardwareCard hardware) {
        boolean areGroups = context.prefill() > 1;
        return Problem.config(
                        areGroups ? PREFILL : DECODE,
                        "is " + (areGroups ? context.prefill() : context.decode()) + ", and " + hardware.name()
                                + " has no link between all devices that exchange contexts; a node has "
                                + new Links(hardware).devicesPerNode())
                .hint("lower it or cluster.tensor_parallel_size, or state a network: hardware.nic_gbps_per_accel_typ");
    }

    /** Only copies can be given up: of a key and value head, or of a latent cache. */
    private static void decode(int decode, ModelCard model, int tensor, List<Problem> problems) {
        if (tensor % decode != 0) {
            problems.add(
                    Problem.config(DECODE, "is " + decode + ", which does not divide tensor_parallel_size, " + tensor)
                            .hint("use a divisor of cluster.tensor_parallel_size"));
        } else if (!model.isLatentAttention() && decode > tensor / model.numKvHeads()) {
            problems.add(Problem.config(
                            DECODE,
                            "is " + decode + ", but " + tensor + " tensor-parallel devices hold no more than "
                                    + Math.max(1, tensor / model.numKvHeads()) + " of each of the "
                                    + model.numKvHeads() + " key and value heads of " + model.name())
                    .hint("raise cluster.tensor_parallel_size, or lower it"));
        } else if (!model.isLatentAttention() && model.numHeads() / model.numKvHeads() % decode != 0) {
            problems.add(Problem.config(
                            DECODE,
                            "is " + decode + ", which does not divide the "
                                    + model.numHeads() / model.numKvHeads()
                                    + " query heads of a key and value head of " + model.name())
                    .hint("use a divisor of it"));
        }
    }
}

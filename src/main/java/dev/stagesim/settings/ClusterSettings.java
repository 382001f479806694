package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.sim.serving.GlobalPolicy;
import java.util.Optional;

/** How many devices serve the model and how they share it: the section {@code cluster}. */
public record ClusterSettings(
        @Key("Copies of the model. | 1 | replicas | 1..100000") int replicas,
        @Key("Devices that share each layer. | 1 | devices | 1..1024") int tensorParallelSize,
        @Key("Groups of devices that share the layers. | 1 | stages | 1..256") int numPipelineStages,
        @Key("Share of device memory that neither weights nor KV cache use. | 0.1 | 0..1")
                @OnlyIf(
                        "scheduler.kind != vllm_v1, sglang | the engine's own setting decides how much memory is used | set"
                                + " scheduler.gpu_memory_utilization of vllm_v1, or scheduler.mem_fraction_static of sglang")
                double memoryMarginFraction,
        @Key(
                        "Memory of one device; null for the hardware card's, whose GB are taken as GiB, as vendors mean them,"
                                + " or with the engines vllm_v1 and sglang for what programs find of it. | null | GiB | 0.000001..1000000")
                Optional<Double> memoryGib,
        @Key("How requests are spread over replicas. | round_robin") GlobalPolicy globalScheduler,
        @Key("Seed of the random global scheduler; null for 42. | null | 0..9223372036854775807")
                @OnlyIf(
                        "global_scheduler = random | only cluster.global_scheduler=random draws numbers | leave it out, or set"
                                + " cluster.global_scheduler=random")
                Optional<Long> seed) {}

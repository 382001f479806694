package dev.stagesim.serving;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import java.util.Optional;

/** Replicas and parallelism of a served model: the section {@code cluster}. */
public record ClusterSettings(
        @Key("Model replicas. | 1 | replicas | 1..100000") int replicas,
        @Key("Tensor parallelism. | 1 | devices | 1..1024") int tensorParallelSize,
        @Key("Pipeline stages. | 1 | stages | 1..256") int numPipelineStages,
        @Key("Share of device memory that neither weights nor KV cache use. | 0.1 | 0..1")
                @OnlyIf("scheduler.kind != vllm_v1, sglang | a key of the engine sets the memory that it uses | set "
                        + "scheduler.gpu_memory_utilization of vllm_v1, or scheduler.mem_fraction_static of sglang")
                double memoryMarginFraction,
        @Key(
                        "Memory of one device. null for hardware.mem_gb, whose GB are read as GiB; with the engines "
                                + "vllm_v1 and sglang null for the memory visible to programs. | null | GiB | 0.000001..1000000")
                Optional<Double> memoryGib,
        @Key("Load balancing over replicas. | round_robin") GlobalPolicy globalScheduler,
        @Key("Seed of the random load balancing; null for 42. | null | 0..9223372036854775807")
                @OnlyIf(
                        "global_scheduler = random | only cluster.global_scheduler=random uses a seed | leave it out, or "
                                + "set cluster.global_scheduler=random")
                Optional<Long> seed) {}

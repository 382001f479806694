package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Made-up traces as PyTorch would record them, to measure and try out linking and converting. */
@Variant("pytorch_synthetic | Made-up traces as PyTorch's observer (host_<rank>.json) and profiler"
        + " (kineto_<rank>.json) write them, of any size; input of workload.kind=chakra_pytorch.")
public record PytorchSyntheticWorkload(
        @Key("Events in each profiler trace, about. | 155000 | 100..1000000000") int events,
        @Key("Ranks, each with two files. | 1 | 1..65536") int ranks,
        @Key("Operators of a layer between two collectives. | 24 | 1..1000000000") int layer,
        @Key("Layers of a step of the profiler. | 32 | 1..1000000") int layers,
        @Key("Streams for computations; collectives have one more. | 1 | 1..64") int streams,
        @Key("Whether synchronisations are recorded as events of their own (cuda_sync); otherwise only as calls"
                        + " of the runtime. | false")
                boolean syncEvents)
        implements WorkloadSettings {}

package dev.stagesim.traces;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.workload.WorkloadSettings;

/** The workload kind {@code pytorch_synthetic}: synthetic PyTorch traces for tests and benchmarks of the converter. */
@Variant("pytorch_synthetic | Synthetic traces of any size in the formats of PyTorch's observer "
        + "(host_<rank>.json) and profiler (kineto_<rank>.json); input of workload.kind=chakra_pytorch.")
public record PytorchSyntheticWorkload(
        @Key("Approximate number of events of a profiler trace. | 155000 | 100..1000000000") int events,
        @Key("Ranks, each with two files. | 1 | 1..65536") int ranks,
        @Key("Operators of a layer between two collectives. | 24 | 1..1000000000") int layer,
        @Key("Layers of a step of the profiler. | 32 | 1..1000000") int layers,
        @Key("Streams for computations; collectives use one additional stream. | 1 | 1..64") int streams,
        @Key("Whether synchronisations are recorded as separate events (cuda_sync); if false, only as runtime "
                        + "calls. | false")
                boolean syncEvents)
        implements WorkloadSettings {}

package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Made-up traces as PyTorch would record them, to measure and try out linking and converting. */
@Variant(
        value = "pytorch_synthetic",
        doc = "Made-up traces as PyTorch's observer (host_<rank>.json) and profiler (kineto_<rank>.json) write them, of"
                + " any size; input of workload.kind=chakra_pytorch.")
public record PytorchSyntheticWorkload(
        @Key(doc = "Events in each profiler trace, about.", def = "155000", min = "100") int events,
        @Key(doc = "Ranks, each with two files.", def = "1", min = "1", max = "65536") int ranks,
        @Key(doc = "Operators of a layer between two collectives.", def = "24", min = "1") int layer,
        @Key(doc = "Layers of a step of the profiler.", def = "32", min = "1") int layers,
        @Key(doc = "Streams for computations; collectives have one more.", def = "1", min = "1", max = "64")
                int streams,
        @Key(
                        doc = "Whether synchronisations are recorded as events of their own (cuda_sync); otherwise only"
                                + " as calls of the runtime.",
                        def = "false")
                boolean syncEvents)
        implements WorkloadSettings {}

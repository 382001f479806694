package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** A training run recorded by PyTorch, as Chakra execution traces. */
@Variant("chakra_pytorch | Chakra execution traces of a recorded PyTorch run: what the host recorded is linked"
        + " with what the profiler saw, and converted.")
public record PytorchWorkload(
        @Key("Directory of a finished run whose traces to use instead of making them. | null") Optional<Path> dir,
        @Key("Execution trace that PyTorch's observer wrote, or a linked trace when there is no device trace;"
                        + " plain or gzip. A * in the name stands for the rank.")
                Path host,
        @Key("Trace that PyTorch's profiler (Kineto) wrote; plain or gzip. A * in the name stands for the rank."
                        + " null when host names linked traces. | null")
                Optional<Path> device,
        @Key("Number of ranks, from 0; null for as many as there are files, or 1 without a *. | null | 1..100000")
                Optional<Integer> numNpus,
        @Key("Rank of the only process, when the names hold no *; null for 0. | null | 0..1000000000")
                Optional<Integer> rank,
        @Key("Beginning of the names of the traces, before .<rank>.et. | trace") @Access(Resource.OUTPUT_NAME)
                String output,
        @Key("Whether to write the linked traces, too, as linked.<rank>.json. | false")
                @OnlyIf("device != null | the traces are linked already")
                boolean linked,
        @Key(
                        "Shortest pause of a thread after which it is taken to wait for another thread. | 1000.0 | us | 0..1000000000000")
                @OnlyIf("device != null | the traces are linked already")
                double pause,
        @Key("JSON file of synchronisations, {\"<external id of what ends the wait>\": [<external ids waited"
                        + " for>]}; null for those in the device trace. | null")
                @OnlyIf("device != null | the traces are linked already")
                Optional<Path> syncTable,
        @Key("What a communication of unknown kind or peer becomes: fail, or compute for a"
                        + " computation of the same duration; null for fail. | null")
                Optional<UnknownComm> unknownComm,
        @Key("Whether to write simulate.<rank>.log, too: the order in which a host and its streams would issue"
                        + " the nodes. | false")
                boolean simulate)
        implements WorkloadSettings {

    /** What becomes of communications that cannot be told. */
    public enum UnknownComm {
        FAIL, // The trace is refused.
        COMPUTE // They become computations.
    }
}

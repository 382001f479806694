package dev.stagesim.traces;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** A training run recorded by PyTorch, as Chakra execution traces. */
@Variant("chakra_pytorch | Chakra execution traces of a recorded PyTorch run: host and device traces are "
        + "linked and converted.")
public record PytorchWorkload(
        @Key("Directory of a finished run that supplies the traces; null to make them. | null") Optional<Path> dir,
        @Key("Execution trace of PyTorch's observer, or a linked trace without a device trace; plain or gzip. "
                        + "A * in the name is the rank.")
                Path host,
        @Key("Trace of PyTorch's profiler (Kineto); plain or gzip. A * in the name is the rank. null if "
                        + "workload.host is a linked trace. | null")
                Optional<Path> device,
        @Key("Number of ranks; null for the number of files, or for 1 without a *. | null | 1..100000")
                Optional<Integer> numNpus,
        @Key("Rank of the only process if the names have no *; null for 0. | null | 0..1000000000")
                Optional<Integer> rank,
        @Key("Prefix of the trace files <prefix>.<rank>.et. | trace") @Access(Resource.OUTPUT_NAME) String output,
        @Key("Whether to write the linked traces as linked.<rank>.json. | false")
                @OnlyIf("device != null | the traces are already linked")
                boolean linked,
        @Key("Minimum pause of a thread that counts as a wait for another thread. | 1000.0 | us | "
                        + "0..1000000000000")
                @OnlyIf("device != null | the traces are already linked")
                double pause,
        @Key("JSON file of synchronisations, {\"<external id of the event that ends the wait>\": [<external "
                        + "ids of the awaited events>]}; null for the synchronisations of the device trace. | null")
                @OnlyIf("device != null | the traces are already linked")
                Optional<Path> syncTable,
        @Key("Handling of communications with unknown kind or destination: fail, or compute for a computation "
                        + "with the same duration; null for fail. | null")
                Optional<UnknownComm> unknownComm,
        @Key("Whether to write simulate.<rank>.log, the order in which the host and its streams issue the "
                        + "nodes. | false")
                boolean simulate)
        implements WorkloadSettings {

    /** Handling of communications with unknown kind or destination. */
    public enum UnknownComm {
        FAIL, // The trace is refused.
        COMPUTE // The communication becomes a computation.
    }
}

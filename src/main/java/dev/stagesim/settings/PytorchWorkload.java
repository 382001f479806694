package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** A training run recorded by PyTorch, as Chakra execution traces. */
@Variant(
        value = "chakra_pytorch",
        doc = "Chakra execution traces of a recorded PyTorch run: what the host recorded is linked with what the"
                + " profiler saw, and converted.")
public record PytorchWorkload(
        @Key(doc = "Directory of a finished run whose traces to use instead of making them.", def = "null")
                Optional<Path> dir,
        @Key(
                        doc = "Execution trace that PyTorch's observer wrote, or a linked trace when there is no device"
                                + " trace; plain or gzip. A * in the name stands for the rank.")
                Path host,
        @Key(
                        doc = "Trace that PyTorch's profiler (Kineto) wrote; plain or gzip. A * in the name stands for"
                                + " the rank. null when host names linked traces.",
                        def = "null")
                Optional<Path> device,
        @Key(
                        doc = "Number of ranks, from 0; null for as many as there are files, or 1 without a *.",
                        def = "null",
                        min = "1")
                Optional<Integer> numNpus,
        @Key(doc = "Rank of the only process, when the names hold no *; null for 0.", def = "null", min = "0")
                Optional<Integer> rank,
        @Key(doc = "Beginning of the names of the traces, before .<rank>.et.", def = "trace") String output,
        @Key(doc = "Whether to write the linked traces, too, as linked.<rank>.json.", def = "false") boolean linked,
        @Key(
                        doc = "Shortest pause of a thread after which it is taken to wait for another thread.",
                        unit = "us",
                        def = "1000.0",
                        min = "0")
                double pause,
        @Key(
                        doc = "JSON file of synchronisations, {\"<external id of what ends the wait>\": [<external ids"
                                + " waited for>]}; null for those in the device trace.",
                        def = "null")
                Optional<Path> syncTable,
        @Key(
                        doc =
                                "What becomes of a communication whose kind or other side cannot be told: fail, or compute"
                                        + " for a computation of the same duration; null for fail.",
                        def = "null")
                Optional<UnknownComm> unknownComm,
        @Key(
                        doc =
                                "Whether to write simulate.<rank>.log, too: the order in which a host and its streams would"
                                        + " issue the nodes.",
                        def = "false")
                boolean simulate)
        implements WorkloadSettings {

    /** What becomes of communications that cannot be told. */
    public enum UnknownComm {
        /** The trace is refused. */
        FAIL,
        /** They become computations. */
        COMPUTE
    }
}

package dev.stagesim.model.hardware;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Unwrapped;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Time that a serving engine adds to the kernels of a step: launches, host time, graphs, sampler; the section {@code
 * engine.step}.
 *
 * <p>Host times refer to a host of class 1, the host of an H100 or H200 machine; {@code hardware.host_class} scales
 * them.
 */
@FormerKeys({"small=elementwise_kernels_per_layer", "fuse=elementwise_time_factor"})
public record StepCard(
        @Unwrapped GraphModes graphs,
        @Unwrapped LaunchTimes launches,
        @Unwrapped KernelFactors factors,
        @Unwrapped HostOverheads host,
        @Key("Whether the KV cache has 8 bits if weights have 8 or 4. | false") boolean kv8bit,
        @Key("Vendor of the devices that the engine runs on; null for any. | null") Optional<String> vendor,
        @Key("Source of the values. | null") Optional<String> source,
        @Key("Engine and versions of the values. | null") Optional<String> versions) {
    /** Launch mode of the operators of a step. */
    public enum Execution {
        NONE, // No launch time: operators run back to back.
        EAGER, // The host launches every operator.
        GRAPH, // Decode steps replay a captured graph.
        PIECEWISE // Graphs between attention operators, which the host launches.
    }

    /** Returns the card without an engine: no time is added to operators. */
    public StepCard none() {
        return with("execution", Execution.NONE);
    }

    /** Returns the card with piecewise graphs. */
    public StepCard inPieces() {
        return with("execution", Execution.PIECEWISE);
    }

    /** Returns the card with another sampler. */
    public StepCard sampling(double nanosecondsALogit) {
        return with("samplerNs", nanosecondsALogit);
    }

    /** Returns the card with other captured sizes. */
    public StepCard capturing(List<String> sizes) {
        return with("captureSizes", sizes);
    }

    /** Returns the card with another rate of block-scaled products. */
    public StepCard multiplyingBlocks(double factor) {
        return with("blockProducts", factor);
    }

    /** Returns the card with another library of experts. */
    public StepCard computingExperts(ExpertLibrary library) {
        return with("expertLibrary", library);
    }

    private StepCard with(String component, Object value) {
        return KeyRecord.with(StepCard.class, this, Map.of(component, value));
    }

    /** Returns the time from the arrival of a request until it can be scheduled. */
    public double arrivalUs(double promptTokens) {
        return host.requestUs() + host.promptTokenUs() * promptTokens;
    }
}

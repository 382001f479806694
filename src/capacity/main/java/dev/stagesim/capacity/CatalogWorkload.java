package dev.stagesim.capacity;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.capacity.QueueProfile;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An entry of a workload catalog: a model, its parallelism, its sequences and a schedule; stated in keys or read from YAML. */
@Variant("catalog | An entry of a workload catalog, stated in keys or read from a YAML file.")
public record CatalogWorkload(
        @Key("Directory of a finished run that supplies the entry; null to make one. | null") Optional<Path> dir,
        @Unwrapped CatalogSource source,
        @Unwrapped CatalogIdentity identity,
        @Unwrapped CatalogShape shape,
        @Key("Data source: streaming, synthetic or replay. | null") Optional<String> dataloader,
        @Key("Duration without a schedule. | null | minutes | 0.000001..100000000") Optional<Double> durationMinutes,
        @Key("parity: the same settings on all targets; best: the best ones on each. | null") Optional<Track> track,
        @Key("Remarks. | null") Optional<String> notes,
        @Key("Settings of the runtime.") Tuning runtimeTuning,
        @Key("Phases of a day or another period that repeats.") Schedule schedule,
        @Key("User-defined keys, passed through as text. | {}") Map<String, String> custom,
        @Unwrapped CatalogSampling sampling)
        implements WorkloadSettings {
    /** Entry of a catalog. */
    public record CatalogSource(
            @Key("YAML catalog; null if the entry is stated in keys. | null") Optional<Path> file,
            @Key("Name of the entry in the file; null if the file has only one. | null")
                    @OnlyIf("file != null | there is no workload.file")
                    @Access(Resource.NONE)
                    Optional<String> entry) {}

    /** Name, framework and family. */
    public record CatalogIdentity(
            @Key("Name of the workload. | null") Optional<String> name,
            @Key("Framework that runs it. | null") Optional<String> framework,
            @Key("Family of the model. | null") Optional<String> modelFamily) {}

    /** Dimensions of the model and their split. */
    public record CatalogShape(
            @Key("Dimensions of the model.") Params params,
            @Key("Parallelism.") Parallelism parallelism,
            @Key("Tokens of a sequence.") Sequence sequence,
            @Key("Number formats.") Precision precision) {}

    /** Simulated requests. */
    public record CatalogSampling(
            @Key("Simulated requests per phase of a served workload. | 400 | requests | 1..1000000000")
                    int requestsPerPhase,
            @Key("Seed of arrival times; null for 42. | null | 0..9223372036854775807") Optional<Long> seed) {}

    private static final long DEFAULT_SEED = 42;

    /** Returns the seed of all random draws. */
    public long drawSeed() {
        return sampling.seed().orElse(DEFAULT_SEED);
    }

    /** Dimensions of the model. */
    public record Params(
            @Key("Width of the residual stream. | null | 1..1000000000") Optional<Integer> hiddenSize,
            @Key("Layers. | null | 1..1000000") Optional<Integer> nLayers,
            @Key("Tokens in the vocabulary. | null | 1..1000000000") Optional<Integer> vocabSize,
            @Key("Query heads. | null | 1..1000000000") Optional<Integer> nHeads) {}

    /** Parallelism of the model. */
    public record Parallelism(
            @Key("Devices that share a layer. | 1 | devices | 1..1000000") int tp,
            @Key("Groups of devices that share the layers. | 1 | stages | 1..1000000") int pp,
            @Key("Model replicas. | 1 | replicas | 1..1000000") int dp) {}

    /** Tokens of a sequence; a workload that generates none is training. */
    public record Sequence(
            @Key("Prompt tokens, or tokens of a training sequence. | null | tokens | 1..1000000000")
                    Optional<Integer> prompt,
            @Key("Output tokens; 0 for training. | null | tokens | 0..1000000000") Optional<Integer> generate) {}

    /** Number formats. */
    public record Precision(
            @Key("Format of the weights, for example bf16. | null") Optional<String> weights,
            @Key("Format of the activations. | null") Optional<String> activations) {}

    /** Settings of the runtime; null for the default of the target. */
    public record Tuning(
            @Key("Sequences of a step per model replica. | null | 1..1000000000") Optional<Integer> microbatch,
            @Key("Whether kernels are launched as graphs. | null") Optional<Boolean> cudaGraphs,
            @Key("Whether the network adapter reads device memory directly. | null") Optional<Boolean> gpudirectRdma,
            @Key("Whether devices are virtualised: bare or sriov. | null") Optional<Virtualisation> virt,
            @Key("Network: IB, RoCE, Vendor, or a name that the accelerator card defines. | null")
                    Optional<String> fabric) {}

    /** Whether devices are virtualised. */
    public enum Virtualisation {
        BARE, // Not virtualised.
        SRIOV // Shared by SR-IOV.
    }

    /** Selection of the settings when targets are compared. */
    public enum Track {
        PARITY, // The same settings on all targets.
        BEST // The best settings of each target.
    }

    /** Consecutive phases. */
    public record Schedule(
            @Key("Profile of phases that name none: steady_state, peak, spike or low. | null")
                    Optional<QueueProfile> defaultRequestProfile,
            @Key("Phases; empty for one phase of duration_minutes. | []") List<Phase> phases) {}

    /** A phase of a schedule. */
    public record Phase(
            @Key("Name of the phase; null for its number. | null") Optional<String> name,
            @Key("Duration of the phase; null for duration_minutes of the workload. | null | minutes | "
                            + "0.000001..100000000")
                    Optional<Double> durationMinutes,
            @Key("Factor on throughput. | null | 0.000001..1000000") Optional<Double> tokensScale,
            @Key("Factor on the number of machines, which scales throughput and power. | null | 0.000001..1000000")
                    Optional<Double> autoscaleFactor,
            @Key("Request profile. | null") Optional<QueueProfile> requestProfile,
            @Key("Arrival process.") Arrival arrival,
            @Key("Workload settings that this phase overrides.") Overrides overrides) {}

    /** Arrival process of a phase; null for the values of the profile. */
    public record Arrival(
            @Key("Rate. | null | requests/s | 0.000001..1000000000") Optional<Double> requestsPerSec,
            @Key("Coefficient of variation of the inter-arrival times. | null | 0.000001..1000")
                    Optional<Double> arrivalCv,
            @Key("Coefficient of variation of service times. | null | 0.000001..1000") Optional<Double> serviceCv,
            @Key("Parallel servers. | null | 1..1000000") Optional<Integer> servers,
            @Key("Model replicas in this phase. | null | 1..1000000") Optional<Integer> dpOverride) {}

    /** Settings that a phase overrides. */
    public record Overrides(
            @Key("Tokens of a sequence.") Sequence sequence,
            @Key("Model replicas. | null | 1..1000000000") Optional<Integer> dp) {}
}

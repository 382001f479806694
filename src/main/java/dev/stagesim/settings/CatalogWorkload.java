package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.capacity.QueueProfile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An entry of a workload catalog: a model, how it is spread, what it runs, and a schedule; written here or read from YAML. */
@Variant("catalog | An entry of a workload catalog, written here or read from a YAML file.")
public record CatalogWorkload(
        @Key("Directory of a finished run whose entry to use instead of making one. | null") Optional<Path> dir,
        @Key("YAML catalog; null when the entry is written here. | null") Optional<Path> file,
        @Key("Name of the entry in the file; null when the file has one. | null")
                @OnlyIf("file != null | there is no workload.file")
                @Access(Resource.NONE)
                Optional<String> entry,
        @Key("Name of the workload. | null") Optional<String> name,
        @Key("Framework that runs it. | null") Optional<String> framework,
        @Key("Family of the model. | null") Optional<String> modelFamily,
        @Key("Dimensions of the model.") Params params,
        @Key("How the model is spread over devices.") Parallelism parallelism,
        @Key("Tokens of a sequence.") Sequence sequence,
        @Key("Kinds of numbers.") Precision precision,
        @Key("Where the data comes from: streaming, synthetic or replay. | null") Optional<String> dataloader,
        @Key("Duration without a schedule. | null | minutes | 0.000001..100000000") Optional<Double> durationMinutes,
        @Key("parity: the same settings on all targets; best: the best ones on each. | null") Optional<Track> track,
        @Key("What to know about it. | null") Optional<String> notes,
        @Key("Settings of the runtime.") Tuning runtimeTuning,
        @Key("Phases of a day, or of another period that repeats.") Schedule schedule,
        @Key("Keys of your own, passed through as text. | {}") Map<String, String> custom,
        @Key("Requests that represent a phase of a served workload. | 400 | requests | 1..1000000000")
                int requestsPerPhase,
        @Key("Seed of arrival times; null for 42. | null | 0..9223372036854775807") Optional<Long> seed)
        implements WorkloadSettings {
    private static final long USUAL_SEED = 42;

    /** The seed that draws start from. */
    public long drawSeed() {
        return seed.orElse(USUAL_SEED);
    }

    /** Dimensions of the model. */
    public record Params(
            @Key("Width of the residual stream. | null | 1..1000000000") Optional<Integer> hiddenSize,
            @Key("Layers. | null | 1..1000000") Optional<Integer> nLayers,
            @Key("Tokens in the vocabulary. | null | 1..1000000000") Optional<Integer> vocabSize,
            @Key("Query heads. | null | 1..1000000000") Optional<Integer> nHeads) {}

    /** How the model is spread. */
    public record Parallelism(
            @Key("Devices that share a layer. | 1 | devices | 1..1000000") int tp,
            @Key("Groups of devices that share the layers. | 1 | stages | 1..1000000") int pp,
            @Key("Copies of the model. | 1 | replicas | 1..1000000") int dp) {}

    /** Tokens of a sequence; a workload that generates none is training. */
    public record Sequence(
            @Key("Prompt tokens, or tokens of a training sequence. | null | tokens | 1..1000000000")
                    Optional<Integer> prompt,
            @Key("Output tokens; 0 for training. | null | tokens | 0..1000000000") Optional<Integer> generate) {}

    /** Kinds of numbers. */
    public record Precision(
            @Key("Of the weights, for example bf16. | null") Optional<String> weights,
            @Key("Of the activations. | null") Optional<String> activations) {}

    /** Settings of the runtime; null leaves the usual one. */
    public record Tuning(
            @Key("Sequences of a step on one copy of the model. | null | 1..1000000000") Optional<Integer> microbatch,
            @Key("Whether kernels are launched as graphs. | null") Optional<Boolean> cudaGraphs,
            @Key("Whether the network reads device memory. | null") Optional<Boolean> gpudirectRdma,
            @Key("Whether devices are virtualised: bare or sriov. | null") Optional<Virtualisation> virt,
            @Key("Network: IB, RoCE or Vendor, or what the accelerator's card names. | null")
                    Optional<String> fabric) {}

    /** Whether devices are virtualised. */
    public enum Virtualisation {
        BARE, // Not virtualised.
        SRIOV // Shared by SR-IOV.
    }

    /** Whose settings count when targets are compared. */
    public enum Track {
        PARITY, // The same on all targets.
        BEST // The best ones on each target.
    }

    /** Phases that follow each other. */
    public record Schedule(
            @Key("Profile of phases that name none: steady_state, peak, spike or low. | null")
                    Optional<QueueProfile> defaultRequestProfile,
            @Key("The phases; none for one that lasts duration_minutes. | []") List<Phase> phases) {}

    /** A phase of a schedule. */
    public record Phase(
            @Key("Its name; null for its number. | null") Optional<String> name,
            @Key("How long it lasts; null for the workload's duration. | null | minutes | 0.000001..100000000")
                    Optional<Double> durationMinutes,
            @Key("Factor on throughput. | null | 0.000001..1000000") Optional<Double> tokensScale,
            @Key("Factor on machines: throughput and power. | null | 0.000001..1000000")
                    Optional<Double> autoscaleFactor,
            @Key("How requests come in. | null") Optional<QueueProfile> requestProfile,
            @Key("When requests come in.") Arrival arrival,
            @Key("Settings of the workload that differ in this phase.") Overrides overrides) {}

    /** When requests of a phase come in; null for what the profile says. */
    public record Arrival(
            @Key("Rate. | null | requests/s | 0.000001..1000000000") Optional<Double> requestsPerSec,
            @Key("Coefficient of variation of the gaps. | null | 0.000001..1000") Optional<Double> arrivalCv,
            @Key("Coefficient of variation of service times. | null | 0.000001..1000") Optional<Double> serviceCv,
            @Key("Requests served at a time. | null | 1..1000000") Optional<Integer> servers,
            @Key("Copies of the model in this phase. | null | 1..1000000") Optional<Integer> dpOverride) {}

    /** Settings that differ in a phase. */
    public record Overrides(
            @Key("Tokens of a sequence.") Sequence sequence,
            @Key("Copies of the model. | null | 1..1000000000") Optional<Integer> dp) {}
}

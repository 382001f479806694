package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An entry of a workload catalog: a model, how it is spread, what it runs, and a schedule; written here or read from YAML. */
@Variant(value = "catalog", doc = "An entry of a workload catalog, written here or read from a YAML file.")
public record CatalogWorkload(
        @Key(doc = "Directory of a finished run whose entry to use instead of making one.", def = "null")
                Optional<Path> dir,
        @Key(doc = "YAML catalog; null when the entry is written here.", def = "null") Optional<Path> file,
        @Key(doc = "Name of the entry in the file; null when the file has one.", def = "null") Optional<String> entry,
        @Key(doc = "Name of the workload.", def = "null") Optional<String> name,
        @Key(doc = "Framework that runs it.", def = "null") Optional<String> framework,
        @Key(doc = "Family of the model.", def = "null") Optional<String> modelFamily,
        @Key(doc = "Dimensions of the model.") Params params,
        @Key(doc = "How the model is spread over devices.") Parallelism parallelism,
        @Key(doc = "Tokens of a sequence.") Sequence sequence,
        @Key(doc = "Kinds of numbers.") Precision precision,
        @Key(doc = "Where the data comes from: streaming, synthetic or replay.", def = "null")
                Optional<String> dataloader,
        @Key(doc = "Duration without a schedule.", unit = "minutes", def = "null", min = "0", above = true)
                Optional<Double> durationMinutes,
        @Key(doc = "parity: the same settings on all targets; best: the best ones on each.", def = "null")
                Optional<Track> track,
        @Key(doc = "What to know about it.", def = "null") Optional<String> notes,
        @Key(doc = "Settings of the runtime.") Tuning runtimeTuning,
        @Key(doc = "Phases of a day, or of whatever repeats.") Schedule schedule,
        @Key(doc = "Keys of your own, passed through as text.", def = "{}") Map<String, String> custom,
        @Key(doc = "Requests that stand for a phase of a served workload.", unit = "requests", def = "400", min = "1")
                int requestsPerPhase,
        @Key(doc = "Seed of arrival times; null for 42.", def = "null", min = "0") Optional<Long> seed)
        implements WorkloadSettings {
    private static final long USUAL_SEED = 42;

    /** The seed that draws start from. */
    public long drawSeed() {
        return seed.orElse(USUAL_SEED);
    }

    /** Dimensions of the model. */
    public record Params(
            @Key(doc = "Width of the residual stream.", def = "null", min = "1") Optional<Integer> hiddenSize,
            @Key(doc = "Layers.", def = "null", min = "1") Optional<Integer> nLayers,
            @Key(doc = "Tokens in the vocabulary.", def = "null", min = "1") Optional<Integer> vocabSize,
            @Key(doc = "Query heads.", def = "null", min = "1") Optional<Integer> nHeads) {}

    /** How the model is spread. */
    public record Parallelism(
            @Key(doc = "Devices that share a layer.", unit = "devices", def = "1", min = "1") int tp,
            @Key(doc = "Groups of devices that share the layers.", unit = "stages", def = "1", min = "1") int pp,
            @Key(doc = "Copies of the model.", unit = "replicas", def = "1", min = "1") int dp) {}

    /** Tokens of a sequence; a workload that generates none is training. */
    public record Sequence(
            @Key(doc = "Prompt tokens, or tokens of a training sequence.", unit = "tokens", def = "null", min = "1")
                    Optional<Integer> prompt,
            @Key(doc = "Output tokens; 0 for training.", unit = "tokens", def = "null", min = "0")
                    Optional<Integer> generate) {}

    /** Kinds of numbers. */
    public record Precision(
            @Key(doc = "Of the weights, for example bf16.", def = "null") Optional<String> weights,
            @Key(doc = "Of the activations.", def = "null") Optional<String> activations) {}

    /** Settings of the runtime; null leaves the usual one. */
    public record Tuning(
            @Key(doc = "Sequences of a step on one copy of the model.", def = "null", min = "1")
                    Optional<Integer> microbatch,
            @Key(doc = "Whether kernels are launched as graphs.", def = "null") Optional<Boolean> cudaGraphs,
            @Key(doc = "Whether the network reads device memory.", def = "null") Optional<Boolean> gpudirectRdma,
            @Key(doc = "Whether devices are virtualised: bare or sriov.", def = "null") Optional<Virtualisation> virt,
            @Key(doc = "Network: IB, RoCE or Vendor, or what the accelerator's card names.", def = "null")
                    Optional<String> fabric) {}

    /** Whether devices are virtualised. */
    public enum Virtualisation {
        /** Not virtualised. */
        BARE,
        /** Shared by SR-IOV. */
        SRIOV
    }

    /** Whose settings count when targets are compared. */
    public enum Track {
        /** The same on all targets. */
        PARITY,
        /** The best ones on each target. */
        BEST
    }

    /** Phases that follow each other. */
    public record Schedule(
            @Key(doc = "Profile of phases that name none: steady_state, peak, spike or low.", def = "null")
                    Optional<Profile> defaultRequestProfile,
            @Key(doc = "The phases; none for one that lasts duration_minutes.", def = "[]") List<Phase> phases) {}

    /** How requests come in. */
    public enum Profile {
        /** 70 % of capacity, independent of each other. */
        STEADY_STATE,
        /** 85 % of capacity, a little bursty. */
        PEAK,
        /** 115 % of capacity, bursty. */
        SPIKE,
        /** 40 % of capacity, even. */
        LOW
    }

    /** A phase of a schedule. */
    public record Phase(
            @Key(doc = "Its name; null for its number.", def = "null") Optional<String> name,
            @Key(
                            doc = "How long it lasts; null for the workload's duration.",
                            unit = "minutes",
                            def = "null",
                            min = "0",
                            above = true)
                    Optional<Double> durationMinutes,
            @Key(doc = "Factor on throughput.", def = "null", min = "0", above = true) Optional<Double> tokensScale,
            @Key(doc = "Factor on machines: throughput and power.", def = "null", min = "0", above = true)
                    Optional<Double> autoscaleFactor,
            @Key(doc = "How requests come in.", def = "null") Optional<Profile> requestProfile,
            @Key(doc = "When requests come in.") Arrival arrival,
            @Key(doc = "Settings of the workload that differ in this phase.") Overrides overrides) {}

    /** When requests of a phase come in; null for what the profile says. */
    public record Arrival(
            @Key(doc = "Rate.", unit = "requests/s", def = "null", min = "0", above = true)
                    Optional<Double> requestsPerSec,
            @Key(doc = "Coefficient of variation of the gaps.", def = "null", min = "0", above = true)
                    Optional<Double> arrivalCv,
            @Key(doc = "Coefficient of variation of service times.", def = "null", min = "0", above = true)
                    Optional<Double> serviceCv,
            @Key(doc = "Requests served at a time.", def = "null", min = "1") Optional<Integer> servers,
            @Key(doc = "Copies of the model in this phase.", def = "null", min = "1") Optional<Integer> dpOverride) {}

    /** Settings that differ in a phase. */
    public record Overrides(
            @Key(doc = "Tokens of a sequence.") Sequence sequence,
            @Key(doc = "Copies of the model.", def = "null", min = "1") Optional<Integer> dp) {}
}

package dev.stagesim.settings;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;

/** A workload of the framework profiling suite: a small network, its input pipeline and its training step, as data. */
@Variant(
        value = "tf",
        doc = "A workload of the framework profiling suite: layers, input pipeline and training step, as operators.")
public record TfWorkload(
        @Key(doc = "Name in the suite.") String label,
        @Key(doc = "Program that the entry stands for.") String script,
        @Key(doc = "Workloads that are alike; errors are judged on families that took no part in fitting.")
                Family family,
        @Key(doc = "Samples of a step; null for what suite.values says.", def = "null", min = "1")
                Optional<Integer> batch,
        @Key(doc = "Whether the whole step is compiled; null for what suite.values says.", def = "null")
                Optional<Boolean> xla,
        @Key(doc = "Seed of data, weights, dropout and draws while building.", def = "42", min = "0") int seed,
        @Key(doc = "Figures of the suite's table.") Values table,
        @Key(doc = "Figures of the program where it differs from the table.", def = "{}") Differing program,
        @Key(doc = "Where samples come from.") Data data,
        @Key(doc = "Layers in order, each a name and what it takes; specs/profiling-suite.md lists them.")
                List<String> net,
        @Key(doc = "How weights are trained.") Train train,
        @Key(doc = "What it runs on.") Runtime runtime,
        @Key(
                        doc =
                                "What the step does besides layers, each a name and what it takes; specs/profiling-suite.md"
                                        + " lists them.",
                        def = "[]")
                List<String> special,
        @Key(
                        doc = "Device whose peaks bound every operator's time; chosen with"
                                + " hardware@workload.hardware=<option>.",
                        def = "null")
                Optional<HardwareCard> hardware,
        @Key(
                        doc = "Processors that each train a copy and exchange gradients, in the execution traces.",
                        def = "1",
                        min = "1",
                        max = "100000")
                int npus)
        implements WorkloadSettings {
    private static final String NO_HOST = "none";

    /** Samples of a step. */
    public int batch(SuiteSettings suite) {
        return batch.orElseGet(() ->
                suite.values() == SuiteSettings.Values.PROGRAM ? program.batch().orElse(table.batch()) : table.batch());
    }

    /** Whether the whole step is compiled. */
    public boolean xla(SuiteSettings suite) {
        return xla.orElseGet(() ->
                suite.values() == SuiteSettings.Values.PROGRAM ? program.xla().orElse(table.xla()) : table.xla());
    }

    /** The verb that runs in the host's language. */
    public Optional<String> host(SuiteSettings suite) {
        Optional<String> differing = suite.values() == SuiteSettings.Values.PROGRAM ? program.host() : Optional.empty();
        return differing.or(table::host).filter(verb -> !verb.equals(NO_HOST));
    }

    /** Families of workloads. */
    public enum Family {
        /** Dense layers. */
        MLP,
        /** Convolutions over images. */
        CNN,
        /** Recurrent layers and sparse inputs. */
        RNN,
        /** Attention over tokens. */
        TRANSFORMER,
        /** Inputs that are reconstructed. */
        AUTOENCODER,
        /** Images, spectra and waveforms under newer blocks. */
        SIGNAL,
        /** Data made by pipelines. */
        GENERATOR
    }

    /** The section {@code workload.table}. */
    public record Values(
            @Key(doc = "Samples of a step.", min = "1") int batch,
            @Key(doc = "Whether the whole step is compiled.", def = "false") boolean xla,
            @Key(doc = "Verb of data.ops that runs in the host's language; null for none.", def = "null")
                    Optional<String> host) {}

    /** The section {@code workload.program}. */
    public record Differing(
            @Key(doc = "Samples of a step; null for the table's.", def = "null", min = "1") Optional<Integer> batch,
            @Key(doc = "Whether the whole step is compiled; null for the table's.", def = "null") Optional<Boolean> xla,
            @Key(
                            doc = "Verb of data.ops that runs in the host's language; none for none, null for the"
                                    + " table's.",
                            def = "null")
                    Optional<String> host) {}

    /** The section {@code workload.data}. */
    public record Data(
            @Key(doc = "What samples are made of.") Source source,
            @Key(doc = "Sizes of one sample at the source.", min = "1") List<Integer> element,
            @Key(doc = "Samples of the source; null for an endless one.", def = "null", min = "1")
                    Optional<Integer> elements,
            @Key(doc = "What labels are.", def = "random") Labels labels,
            @Key(doc = "Classes; null where the label is the input.", def = "null", min = "1")
                    Optional<Integer> classes,
            @Key(doc = "Numbers that tokens are below; null where samples are no tokens.", def = "null", min = "1")
                    Optional<Integer> vocabulary,
            @Key(
                            doc = "What is done to a sample, in order, each a verb and what it takes;"
                                    + " specs/profiling-suite.md lists them.",
                            def = "[]")
                    List<String> ops,
            @Key(doc = "Sizes of one sample as the first layer sees it.", min = "1") List<Integer> input,
            @Key(doc = "Samples mapped at once; null for as many as the framework tunes.", def = "null", min = "1")
                    Optional<Integer> parallelCalls,
            @Key(doc = "Samples of the shuffling buffer; null for no shuffling.", def = "null", min = "1")
                    Optional<Integer> shuffle,
            @Key(doc = "Whether samples are kept after they were mapped once.", def = "false") boolean cache,
            @Key(doc = "Whether the source begins again at its end.", def = "true") boolean repeat,
            @Key(doc = "Batches made ahead; null for as many as the framework tunes.", def = "null", min = "1")
                    Optional<Integer> prefetch,
            @Key(doc = "Whether batches are moved to the device ahead.", def = "false") boolean prefetchToDevice) {}

    /** What samples are made of. */
    public enum Source {
        /** Normally distributed values, held in memory. */
        NORMAL,
        /** Values from 0 to 1, held in memory. */
        UNIFORM,
        /** Tokens, held in memory. */
        TOKENS,
        /** Images as bytes, held in memory. */
        BYTES,
        /** Images as bytes in a record file. */
        RECORD_IMAGES,
        /** Tokens in a record file. */
        RECORD_TOKENS,
        /** Waves that a generator makes one by one. */
        GENERATED_WAVES,
        /** Sequences of varying length that a generator makes one by one. */
        GENERATED_SEQUENCES,
        /** Eight sentences. */
        SENTENCES,
        /** Numbers from 0, of which verbs make samples. */
        RANGE
    }

    /** What labels are. */
    public enum Labels {
        /** Drawn. */
        RANDOM,
        /** The number of the sample modulo the classes. */
        MODULO,
        /** Drawn for every token. */
        RANDOM_PER_TOKEN,
        /** The sample itself. */
        INPUT
    }

    /** The section {@code workload.train}. */
    public record Train(
            @Key(doc = "How weights change.", def = "adam") Optimizer optimizer,
            @Key(doc = "Size of changes.", def = "1e-3", min = "0", above = true) double learningRate,
            @Key(doc = "What is minimised.", def = "cross_entropy") Loss loss,
            @Key(doc = "Types of values.", def = "fp32") Precision precision,
            @Key(doc = "Passes of steps_per_epoch steps.", def = "1", min = "1") int epochs,
            @Key(doc = "Steps of a pass.", def = "1000", min = "1") int stepsPerEpoch,
            @Key(doc = "When the counter of batches is raised.", def = "end") Callback callback,
            @Key(doc = "Whether the accuracy is kept.", def = "true") boolean accuracy) {}

    /** How weights change. */
    public enum Optimizer {
        /** Adam. */
        ADAM,
        /** Adam with decoupled decay of 0.004. */
        ADAMW,
        /** RMSprop. */
        RMSPROP
    }

    /** What is minimised. */
    public enum Loss {
        /** Sparse softmax cross-entropy on logits, mean over the batch. */
        CROSS_ENTROPY,
        /** The same for every token. */
        TOKEN_CROSS_ENTROPY,
        /** Mean squared error. */
        MSE,
        /** Mean absolute error. */
        MAE
    }

    /** Types of values. */
    public enum Precision {
        /** 32-bit floating point. */
        FP32,
        /** 16-bit floating point for activations, 32-bit for weights, logits and loss, with a scaled loss. */
        MIXED_FLOAT16
    }

    /** When the counter of batches is raised. */
    public enum Callback {
        /** Before a batch. */
        BEGIN,
        /** After a batch. */
        END
    }

    /** The section {@code workload.runtime}. */
    public record Runtime(
            @Key(doc = "Where steps run.", def = "cpu") Device device,
            @Key(doc = "Operators at once.", min = "1") int interThreads,
            @Key(doc = "Threads of one operator.", min = "1") int intraThreads) {}

    /** Where steps run. */
    public enum Device {
        /** The processor; graphics processors are hidden. */
        CPU,
        /** The first graphics processor. */
        GPU
    }
}

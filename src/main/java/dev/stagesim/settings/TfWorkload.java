package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;

/** A workload of the framework profiling suite: a small network, its input pipeline and its training step, as data. */
@Variant("tf | A workload of the framework profiling suite: layers, input pipeline and training step, as"
        + " operators.")
public record TfWorkload(
        @Key("Name in the suite.") String label,
        @Key("Program that the entry represents.") String script,
        @Key("Workloads that are alike; errors are judged on families that took no part in fitting.") Family family,
        @Key("Samples of a step; null for what suite.values says. | null | 1..1000000000") Optional<Integer> batch,
        @Key("Whether the whole step is compiled; null for what suite.values says. | null") Optional<Boolean> xla,
        @Key("Seed of data, weights, dropout and draws while building. | 42 | 0..2147483647") int seed,
        @Key("Figures of the suite's table.") Values table,
        @Key("Figures of the program where it differs from the table. | {}") Differing program,
        @Key("Where samples come from.") Data data,
        @Key("Layers in order, each a name and what it takes; specs/profiling-suite.md lists them.") List<String> net,
        @Key("How weights are trained.") Train train,
        @Key("What it runs on.") Runtime runtime,
        @Key("What the step does besides layers, each a name and what it takes; specs/profiling-suite.md lists"
                        + " them. | []")
                List<String> special,
        @Key("Device whose peaks bound every operator's time; chosen with hardware@workload.hardware=<option>. |"
                        + " null")
                Optional<HardwareCard> hardware,
        @Key("Processors that each train a copy and exchange gradients, in the execution traces. | 1 | 1..100000")
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
        MLP, // Dense layers.
        CNN, // Convolutions over images.
        RNN, // Recurrent layers and sparse inputs.
        TRANSFORMER, // Attention over tokens.
        AUTOENCODER, // Inputs that are reconstructed.
        SIGNAL, // Images, spectra and waveforms under newer blocks.
        GENERATOR // Data made by pipelines.
    }

    /** The section {@code workload.table}. */
    public record Values(
            @Key("Samples of a step. | required | 1..1000000000") int batch,
            @Key("Whether the whole step is compiled. | false") boolean xla,
            @Key("Verb of data.ops that runs in the host's language; null for none. | null") @Access(Resource.NONE)
                    Optional<String> host) {}

    /** The section {@code workload.program}. */
    public record Differing(
            @Key("Samples of a step; null for the table's. | null | 1..1000000000") Optional<Integer> batch,
            @Key("Whether the whole step is compiled; null for the table's. | null") Optional<Boolean> xla,
            @Key("Verb of data.ops that runs in the host's language; none for none, null for the table's. | null")
                    @Access(Resource.NONE)
                    Optional<String> host) {}

    /** The section {@code workload.data}. */
    public record Data(
            @Key("What samples are made of.") Source source,
            @Key("Sizes of one sample at the source. | required | 1..1000000000") List<Integer> element,
            @Key("Samples of the source; null for an endless one. | null | 1..1000000000") Optional<Integer> elements,
            @Key("What labels are. | random") Labels labels,
            @Key("Classes; null where the label is the input. | null | 1..1000000000") Optional<Integer> classes,
            @Key("Numbers that tokens are below; null where samples are no tokens. | null | 1..1000000000")
                    Optional<Integer> vocabulary,
            @Key("What is done to a sample, in order, each a verb and what it takes; specs/profiling-suite.md lists"
                            + " them. | []")
                    List<String> ops,
            @Key("Sizes of one sample as the first layer sees it. | required | 1..1000000000") List<Integer> input,
            @Key("Samples mapped at once; null for as many as the framework tunes. | null | 1..65536")
                    Optional<Integer> parallelCalls,
            @Key("Samples of the shuffling buffer; null for no shuffling. | null | 1..1000000000")
                    Optional<Integer> shuffle,
            @Key("Whether samples are kept after they were mapped once. | false") boolean cache,
            @Key("Whether the source begins again at its end. | true") boolean repeat,
            @Key("Batches made ahead; null for as many as the framework tunes. | null | 1..1000000000")
                    Optional<Integer> prefetch,
            @Key("Whether batches are moved to the device ahead. | false") boolean prefetchToDevice) {}

    /** What samples are made of. */
    public enum Source {
        NORMAL, // Normally distributed values, held in memory.
        UNIFORM, // Values from 0 to 1, held in memory.
        TOKENS, // Tokens, held in memory.
        BYTES, // Images as bytes, held in memory.
        RECORD_IMAGES, // Images as bytes in a record file.
        RECORD_TOKENS, // Tokens in a record file.
        GENERATED_WAVES, // Waves that a generator makes one by one.
        GENERATED_SEQUENCES, // Sequences of varying length that a generator makes one by one.
        SENTENCES, // Eight sentences.
        RANGE // Numbers from 0, of which verbs make samples.
    }

    public enum Labels {
        RANDOM, // Drawn.
        MODULO, // The number of the sample modulo the classes.
        RANDOM_PER_TOKEN, // Drawn for every token.
        INPUT // The sample itself.
    }

    /** The section {@code workload.train}. */
    public record Train(
            @Key("How weights change. | adam") Optimizer optimizer,
            @Key("Size of changes. | 1e-3 | 0.000000001..1000000") double learningRate,
            @Key("What is minimised. | cross_entropy") Loss loss,
            @Key("Types of values. | fp32") Precision precision,
            @Key("Passes of steps_per_epoch steps. | 1 | 1..1000000000") int epochs,
            @Key("Steps of a pass. | 1000 | 1..1000000000") int stepsPerEpoch,
            @Key("When the counter of batches is raised. | end") Callback callback,
            @Key("Whether the accuracy is kept. | true") boolean accuracy) {}

    /** How weights change, and what one weight costs: operations, and bytes of 32-bit values read and written. */
    public enum Optimizer {
        ADAM(12, 28), // Two moments: reads weight, gradient and moments, writes weight and moments.
        ADAMW(14, 36), // The same after a decay of the weight of 0.004.
        RMSPROP(7, 20); // One moment.

        private final int flops;
        private final int bytes;

        Optimizer(int flops, int bytes) {
            this.flops = flops;
            this.bytes = bytes;
        }

        public int flops() {
            return flops;
        }

        public int bytes() {
            return bytes;
        }
    }

    /** What is minimised. */
    public enum Loss {
        CROSS_ENTROPY, // Sparse softmax cross-entropy on logits, mean over the batch.
        TOKEN_CROSS_ENTROPY, // The same for every token.
        MSE, // Mean squared error.
        MAE // Mean absolute error.
    }

    /** Types of values. */
    public enum Precision {
        FP32, // 32-bit floating point.
        /** 16-bit floating point for activations, 32-bit for weights, logits and loss, with a scaled loss. */
        MIXED_FLOAT16
    }

    /** When the counter of batches is raised. */
    public enum Callback {
        BEGIN, // Before a batch.
        END // After a batch.
    }

    /** The section {@code workload.runtime}. */
    public record Runtime(
            @Key("Where steps run. | cpu") Device device,
            @Key("Operators at once. | required | 1..65536") int interThreads,
            @Key("Threads of one operator. | required | 1..65536") int intraThreads) {}

    /** Where steps run. */
    public enum Device {
        CPU, // The processor; graphics processors are hidden.
        GPU // The first graphics processor.
    }
}

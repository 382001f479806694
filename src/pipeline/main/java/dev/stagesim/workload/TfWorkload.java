package dev.stagesim.workload;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.model.hardware.HardwareCard;
import java.util.List;
import java.util.Optional;

/** A workload of the framework profiling suite: a small network, its input pipeline and its training step, as data. */
@Variant("tf | A workload of the framework profiling suite: layers, input pipeline and training step, as"
        + " operators.")
public record TfWorkload(
        @Key("Name in the suite.") String label,
        @Key("Program that the entry represents.") String script,
        @Key("Family of similar workloads; prediction errors are computed for families that the fit excludes.")
                Family family,
        @Unwrapped SuiteValues values,
        @Key("Source of the samples.") Data data,
        @Key("Layers in order, each a name with arguments; specs/profiling-suite.md lists them.") List<String> net,
        @Key("Training.") Train train,
        @Key("Device and threads.") Runtime runtime,
        @Key("Operations of the step other than layers, each a name with arguments; specs/profiling-suite.md "
                        + "lists them. | []")
                List<String> special,
        @Key("Device whose peak rates bound the operator times; chosen with "
                        + "hardware@workload.hardware=<option>. | null")
                Optional<HardwareCard> hardware,
        @Key("Data-parallel processors in the execution traces. | 1 | 1..100000") int npus)
        implements WorkloadSettings {
    /** Values of the suite, and what replaces them. */
    public record SuiteValues(
            @Key("Samples of a step; null for the value that suite.values selects. | null | 1..1000000000")
                    Optional<Integer> batch,
            @Key("Whether the whole step is compiled; null for the value that suite.values selects. | null")
                    Optional<Boolean> xla,
            @Key("Seed of data, weights, dropout and model construction. | 42 | 0..2147483647") int seed,
            @Key("Values of the suite's table.") Values table,
            @Key("Values of the program that differ from the table. | {}") Differing program) {}

    private static final String NO_HOST = "none";

    /** Returns the samples of a step. */
    public int batch(SuiteSettings suite) {
        return values.batch()
                .orElseGet(() -> suite.values() == SuiteSettings.Values.PROGRAM
                        ? values.program().batch().orElse(values.table().batch())
                        : values.table().batch());
    }

    /** Returns true if the whole step is compiled. */
    public boolean xla(SuiteSettings suite) {
        return values.xla()
                .orElseGet(() -> suite.values() == SuiteSettings.Values.PROGRAM
                        ? values.program().xla().orElse(values.table().xla())
                        : values.table().xla());
    }

    /** Returns the operation of data.ops that runs in the host's language. */
    public Optional<String> host(SuiteSettings suite) {
        Optional<String> differing = suite.values() == SuiteSettings.Values.PROGRAM
                ? values.program().host()
                : Optional.empty();
        return differing.or(values.table()::host).filter(verb -> !verb.equals(NO_HOST));
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
            @Key("Returns the samples of a step. | required | 1..1000000000") int batch,
            @Key("Returns true if the whole step is compiled. | false") boolean xla,
            @Key("Operation of data.ops that runs in the host's language; null for no operation. | null")
                    @Access(Resource.NONE)
                    Optional<String> host) {}

    /** The section {@code workload.program}. */
    public record Differing(
            @Key("Samples of a step; null for the value of the table. | null | 1..1000000000") Optional<Integer> batch,
            @Key("Whether the whole step is compiled; null for the value of the table. | null") Optional<Boolean> xla,
            @Key("Operation of data.ops that runs in the host's language; none for no operation, null for the "
                            + "value of the table. | null")
                    @Access(Resource.NONE)
                    Optional<String> host) {}

    /** The section {@code workload.data}. */
    public record Data(
            @Unwrapped SampleSource samples,
            @Key("Operations on a sample in order, each a name with arguments; specs/profiling-suite.md lists "
                            + "them. | []")
                    List<String> ops,
            @Key("Shape of a sample at the first layer. | required | 1..1000000000") List<Integer> input,
            @Unwrapped InputStages pipeline) {
        /** Samples of the source. */
        public record SampleSource(
                @Key("Kind of samples.") Source source,
                @Key("Shape of a sample at the source. | required | 1..1000000000") List<Integer> element,
                @Key("Number of samples of the source; null for an endless source. | null | 1..1000000000")
                        Optional<Integer> elements,
                @Key("Kind of labels. | random") Labels labels,
                @Key("Number of classes; null if the label is the input. | null | 1..1000000000")
                        Optional<Integer> classes,
                @Key("Vocabulary size; null if samples are not tokens. | null | 1..1000000000")
                        Optional<Integer> vocabulary) {}

        /** Input pipeline. */
        public record InputStages(
                @Key("Samples that are mapped in parallel; null for automatic tuning by the framework. | null | "
                                + "1..65536")
                        Optional<Integer> parallelCalls,
                @Key("Size of the shuffle buffer; null for no shuffling. | null | 1..1000000000")
                        Optional<Integer> shuffle,
                @Key("Whether mapped samples are cached. | false") boolean cache,
                @Key("Whether the source repeats. | true") boolean repeat,
                @Key("Batches to prefetch; null for automatic tuning by the framework. | null | 1..1000000000")
                        Optional<Integer> prefetch,
                @Key("Whether batches are prefetched to the device. | false") boolean prefetchToDevice) {}
    }

    /** Kind of samples. */
    public enum Source {
        NORMAL, // Normally distributed values in memory.
        UNIFORM, // Uniform values from 0 to 1 in memory.
        TOKENS, // Tokens in memory.
        BYTES, // Images as bytes in memory.
        RECORD_IMAGES, // Images as bytes in a record file.
        RECORD_TOKENS, // Tokens in a record file.
        GENERATED_WAVES, // Waves from a generator.
        GENERATED_SEQUENCES, // Sequences of varying length from a generator.
        SENTENCES, // Eight sentences.
        RANGE // Numbers from 0, which operations turn into samples.
    }

    public enum Labels {
        RANDOM, // Drawn.
        MODULO, // Sample number modulo the number of classes.
        RANDOM_PER_TOKEN, // Drawn per token.
        INPUT // The sample itself.
    }

    /** The section {@code workload.train}. */
    public record Train(
            @Key("Optimizer. | adam") Optimizer optimizer,
            @Key("Learning rate. | 1e-3 | 0.000000001..1000000") double learningRate,
            @Key("Loss function. | cross_entropy") Loss loss,
            @Key("Number formats. | fp32") Precision precision,
            @Key("Epochs. | 1 | 1..1000000000") int epochs,
            @Key("Steps of an epoch. | 1000 | 1..1000000000") int stepsPerEpoch,
            @Key("Time at which the batch counter is incremented. | end") Callback callback,
            @Key("Whether the accuracy is computed. | true") boolean accuracy) {}

    /** Optimizers, with the operations and the bytes read and written per weight (32-bit values). */
    public enum Optimizer {
        ADAM(12, 28), // Reads weight, gradient and two moments; writes weight and moments.
        ADAMW(14, 36), // Adam after a weight decay of 0.004.
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

    /** Loss functions. */
    public enum Loss {
        CROSS_ENTROPY, // Sparse softmax cross-entropy on logits, mean over the batch.
        TOKEN_CROSS_ENTROPY, // Sparse softmax cross-entropy on logits, mean over the tokens.
        MSE, // Mean squared error.
        MAE // Mean absolute error.
    }

    /** Number formats. */
    public enum Precision {
        FP32, // 32-bit floating point.
        /** 16-bit floating point for activations, 32-bit for weights, logits and loss, with a scaled loss. */
        MIXED_FLOAT16
    }

    /** Time at which the batch counter is incremented. */
    public enum Callback {
        BEGIN, // Before a batch.
        END // After a batch.
    }

    /** The section {@code workload.runtime}. */
    public record Runtime(
            @Key("Device. | cpu") Device device,
            @Key("Operators that run in parallel. | required | 1..65536") int interThreads,
            @Key("Threads per operator. | required | 1..65536") int intraThreads) {}

    /** Device of the steps. */
    public enum Device {
        CPU, // The CPU; GPUs are hidden.
        GPU // The first GPU.
    }
}

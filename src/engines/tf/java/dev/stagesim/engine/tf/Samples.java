package dev.stagesim.engine.tf;

import java.util.List;
import java.util.SplittableRandom;

/** The input pipeline of a workload: sample by sample from its number, so that order and content never vary. */
final class Samples {
    private static final String[] SENTENCES = {
        "the quick model trains", "a slow graph waits", "data flows through the graph", "the model waits for data",
        "a quick step", "slow data", "the graph trains a model", "steps follow steps"
    };
    private static final List<String> WORDS =
            List.of("the", "quick", "model", "trains", "a", "slow", "graph", "data");
    private static final int SENTENCE_WORDS = 40;

    private final Job job;
    private final List<String> ops;
    private final int[] input;
    private final String host;
    private final int most;
    long hostCalls;
    long hostNanos;

    Samples(Job job) {
        this.job = job;
        ops = job.list("ops");
        input = job.wholes("input");
        host = job.text("host");
        most = job.whole("elements");
    }

    int size() {
        int size = 1;
        for (int one : input) {
            size *= one;
        }
        return size;
    }

    /** Number of the sample at a position: the source begins again at its end, in another order when shuffled. */
    private long number(long position) {
        if (most == 0) {
            return position;
        }
        long round = position / most;
        long at = position % most;
        if (!job.flag("shuffle")) {
            return at;
        }
        // An odd factor visits every number of a power of two; numbers beyond the source are skipped over.
        long space = Long.highestOneBit(most) * 2;
        long factor = 2 * (Math.abs(job.whole("seed") * 31L + round) % (space / 2)) + 1;
        do {
            at = (at * factor + round + 1) % space;
        } while (at >= most);
        return at;
    }

    float[] sample(long position) {
        long number = number(position);
        SplittableRandom random = new SplittableRandom(job.whole("seed") * 1_000_003L + number);
        Value value = Source.of(job, number, random);
        for (String line : ops) {
            String[] words = line.split(" ");
            long begin = System.nanoTime();
            Verb.apply(value, words, random, number);
            if (words[0].equals(host)) {
                hostCalls++;
                hostNanos += System.nanoTime() - begin;
            }
        }
        if (value.data.length != size()) {
            throw new IllegalStateException("the pipeline gives " + value.data.length + " values, not " + size());
        }
        return value.data;
    }

    /** Labels of a sample; empty where the sample itself is the label. */
    int[] labels(long position, int perSample) {
        int classes = job.whole("classes");
        long number = number(position);
        int[] labels = new int[perSample];
        SplittableRandom random = new SplittableRandom(job.whole("seed") * 7_368_787L + number);
        for (int i = 0; i < perSample; i++) {
            labels[i] = job.text("labels").equals("modulo") ? (int) (number % classes) : random.nextInt(classes);
        }
        return labels;
    }

    /** A sample on its way. */
    static final class Value {
        float[] data;
        int[] sizes;
        String text = "";

        Value(float[] data, int... sizes) {
            this.data = data;
            this.sizes = sizes;
        }

        int last() {
            return sizes[sizes.length - 1];
        }
    }

    /** Where samples begin. */
    private static final class Source {
        static Value of(Job job, long number, SplittableRandom random) {
            int[] sizes = job.wholes("element");
            int size = 1;
            for (int one : sizes) {
                size *= one;
            }
            float[] data = new float[size];
            switch (job.text("source")) {
                case "normal" -> fill(data, () -> (float) gaussian(random));
                case "uniform" -> fill(data, () -> (float) random.nextDouble());
                case "tokens", "record_tokens" -> {
                    int vocabulary = job.whole("vocabulary");
                    fill(data, () -> 1 + random.nextInt(vocabulary - 1));
                }
                case "bytes", "record_images" -> fill(data, () -> random.nextInt(256));
                case "generated_waves" -> {
                    for (int k = 0; k < size; k++) {
                        data[k] = (float) (Math.cos(0.01 * k + number) + 0.05 * gaussian(random));
                    }
                }
                case "generated_sequences" -> fill(data, () -> (float) gaussian(random));
                case "sentences" -> {
                    Value value = new Value(data, sizes);
                    value.text = SENTENCES[(int) (number % SENTENCES.length)];
                    return value;
                }
                default -> {}
            }
            return new Value(data, sizes);
        }
    }

    /** One value after the other. */
    interface Draw {
        float next();
    }

    static void fill(float[] data, Draw draw) {
        for (int i = 0; i < data.length; i++) {
            data[i] = draw.next();
        }
    }

    static double gaussian(SplittableRandom random) {
        double u = 1 - random.nextDouble();
        return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random.nextDouble());
    }

    /** Numbers of the words of a text, cut or filled up with 0. */
    static float[] tokens(String text, int words) {
        float[] ids = new float[words];
        String[] split = text.toLowerCase(java.util.Locale.ROOT).split(" ");
        for (int i = 0; i < Math.min(words, split.length); i++) {
            ids[i] = Math.max(0, WORDS.indexOf(split[i]));
        }
        return ids;
    }

    static int sentenceWords() {
        return SENTENCE_WORDS;
    }
}

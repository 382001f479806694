package dev.stagesim.engine.spark;

import java.io.FileNotFoundException;
import java.io.InputStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.function.Function;

/** A task that runs on any worker: a verb, a tab and its arguments. */
final class WorkerTask implements Function<String, String> {
    private static final long serialVersionUID = 1;

    /** Executes a run and copies it. */
    static final String RUN = "run";

    /** Executes the upstream runs of a run. */
    static final String PREPARE = "prepare";

    /** Evaluates the metrics of a run without executing it. */
    static final String EVALUATE = "evaluate";

    /** Counts parts of token tables, separated by tabs. */
    static final String COUNT = "count";

    private final Place place;

    WorkerTask(Place place) {
        this.place = place;
    }

    /** Returns the worker in Spark's notation, a tab and the reply. */
    @Override
    public String call(String work) throws Exception {
        int tab = work.indexOf('\t');
        String about = work.substring(tab + 1);
        String answer =
                switch (work.substring(0, tab)) {
                    case RUN -> run(about);
                    case PREPARE -> Product.of(place.classPath()).prepare(place.home(), place.workDir(), about);
                    case EVALUATE -> Product.of(place.classPath()).evaluate(place.home(), place.workDir(), about);
                    case COUNT -> count(about);
                    default -> throw new IllegalArgumentException(work);
                };
        return here() + "\t" + answer;
    }

    private static String here() {
        SparkEnv env = SparkEnv.get();
        return "executor_" + env.blockManager().blockManagerId().host() + "_" + env.executorId();
    }

    private String run(String job) throws Exception {
        String answer = Product.of(place.classPath()).run(place.home(), place.workDir(), job);
        place.bring(answer);
        return answer;
    }

    /** Returns a field per part; {@code absent} if the part's run is not in the results directory. */
    private String count(String parts) throws Exception {
        StringBuilder answer = new StringBuilder("counted");
        for (String part : parts.split("\t", -1)) {
            String counts;
            String[] words = part.split(" ", -1);
            try (InputStream in = place.open(words[1], Math.max(0, Long.parseLong(words[2]) - 1))) {
                counts = Product.of(place.classPath()).count(in, part);
            } catch (FileNotFoundException e) {
                counts = "absent";
            }
            answer.append('\t').append(counts);
        }
        return answer.toString();
    }
}

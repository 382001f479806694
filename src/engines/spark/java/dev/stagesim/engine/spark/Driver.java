package dev.stagesim.engine.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The process that hands jobs to Spark.
 *
 * <p>Reads a line per job on standard input, {@code <number> TAB <job>}, and writes a line per ended job on standard
 * output, {@code <number> TAB <answer>}; {@code end} says that there are no more jobs. When the input ends without it,
 * whoever asked is gone and so is the process. Each job is a Spark job of one task, so that Spark repeats what a lost
 * worker had under way and one bad job spoils no other.
 */
public final class Driver {
    private static final String END = "end";
    private static final long POLL_MS = 20;

    private final JavaSparkContext context;
    private final Place place;
    private final PrintStream answers;
    private final Map<String, JavaFutureAction<List<String>>> pending = new LinkedHashMap<>();
    private boolean isLast;

    private Driver(JavaSparkContext context, Place place, PrintStream answers) {
        this.context = context;
        this.place = place;
        this.answers = answers;
    }

    /**
     * Runs until all jobs have ended.
     *
     * @param args master, or nothing for what spark-submit says; installation; working directory; directory of results,
     *     or nothing; class path of the product; settings of Spark, each {@code NAME=VALUE}
     */
    public static void main(String[] args) throws Exception {
        SparkConf conf = new SparkConf().setAppName("stagesim");
        if (!args[0].isEmpty()) {
            conf.setMaster(args[0]);
        }
        for (int i = 5; i < args.length; i++) {
            int equals = args[i].indexOf('=');
            conf.set(args[i].substring(0, equals), args[i].substring(equals + 1));
        }
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            context.setLogLevel("WARN");
            new Driver(context, new Place(args[1], args[2], args[3], args[4]), answers).serve();
        }
    }

    private void serve() throws Exception {
        Thread reader = new Thread(this::read, "jobs");
        reader.setDaemon(true);
        reader.start();
        while (!isFinished()) {
            answerEnded();
            if (context.sc().isStopped()) {
                throw new IllegalStateException("Spark has stopped: no master answers, or the application was killed");
            }
            Thread.sleep(POLL_MS);
        }
    }

    private synchronized boolean isFinished() {
        return isLast && pending.isEmpty();
    }

    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(END)) {
                    synchronized (this) {
                        isLast = true;
                    }
                    return;
                }
                submit(line);
            }
        } catch (IOException | RuntimeException trouble) {
            trouble.printStackTrace();
        }
        Runtime.getRuntime().halt(1);
    }

    private synchronized void submit(String line) {
        int tab = line.indexOf('\t');
        pending.put(
                line.substring(0, tab),
                context.parallelize(List.of(line.substring(tab + 1)), 1)
                        .map(new Job(place))
                        .collectAsync());
    }

    private synchronized void answerEnded() throws InterruptedException, IOException {
        for (Iterator<Map.Entry<String, JavaFutureAction<List<String>>>> each =
                        pending.entrySet().iterator();
                each.hasNext(); ) {
            Map.Entry<String, JavaFutureAction<List<String>>> job = each.next();
            if (job.getValue().isDone()) {
                each.remove();
                answers.print(job.getKey() + "\t" + answer(job.getValue()) + "\n");
                answers.flush();
            }
        }
    }

    private String answer(JavaFutureAction<List<String>> job) throws InterruptedException, IOException {
        try {
            String answer = job.get().get(0);
            place.fetch(answer);
            return answer;
        } catch (ExecutionException e) {
            String words = String.valueOf(e.getCause().getMessage());
            int end = words.indexOf('\n');
            return "failed\tSpark gave the job up: " + (end < 0 ? words : words.substring(0, end)).replace('\t', ' ');
        }
    }
}

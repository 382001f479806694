package dev.stagesim.engine.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The Spark driver process, which sends tasks to Spark.
 *
 * <p>Protocol: each line on standard input is a task, {@code <name> TAB <verb> TAB <places> TAB <what>}; {@code places}
 * is a comma-separated list of preferred workers, or empty. Each completed task writes {@code <name> TAB <place> TAB
 * <answer>} to standard output. A line {@code notifyUser TAB <words>} is a message for the user. {@code end} announces that no
 * task follows. If the input ends without it, the parent process is gone and this process exits.
 *
 * <p>Each task is a Spark job with one task. Spark therefore repeats tasks of lost workers, and a failing job does not
 * affect others.
 */
public final class Driver {
    private static final String END = "end";
    private static final String MESSAGE = "say";
    private static final long POLL_MS = 20;
    private static final long FIRST_REMINDER_MS = 10_000;
    private static final long REMINDER_MS = 60_000;

    private final JavaSparkContext context;
    private final Place place;
    private final PrintStream answers;
    private final ClassTag<String> words = ClassTag$.MODULE$.apply(String.class);
    private final Map<String, Piece> pending = new LinkedHashMap<>();
    private boolean isLast;
    private long idleSince = System.currentTimeMillis();
    private long reminderMs = FIRST_REMINDER_MS;

    /** A submitted task and its preferred places. */
    private record Piece(JavaFutureAction<List<String>> work, List<String> preferred) {}

    private Driver(JavaSparkContext context, Place place, PrintStream answers) {
        this.context = context;
        this.place = place;
        this.answers = answers;
    }

    /**
     * Runs until all tasks have completed.
     *
     * @param args master, or empty for spark-submit's setting; installation; working directory; directory of results,
     * or empty; class path of the product; settings of Spark, each {@code NAME=VALUE}
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
            Driver driver = new Driver(context, new Place(args[1], args[2], args[3], args[4]), answers);
            driver.notifyUser(
                    "Spark " + context.version() + " is up at " + context.sc().master());
            driver.serve();
        }
    }

    private void serve() throws Exception {
        Thread reader = new Thread(this::read, "work");
        reader.setDaemon(true);
        reader.start();
        while (!isFinished()) {
            answerEnded();
            if (context.sc().isStopped()) {
                throw new IllegalStateException("Spark has stopped: no master answers, or the application was killed");
            }
            remindOfWorkers();
            Thread.sleep(POLL_MS);
        }
    }

    private synchronized boolean isFinished() {
        return isLast && pending.isEmpty();
    }

    /** Notifies the user if there are tasks but no workers. */
    private synchronized void remindOfWorkers() {
        boolean isLocal = context.sc().isLocal();
        if (pending.isEmpty()
                || isLocal
                || context.sc().getExecutorMemoryStatus().size() > 1) {
            idleSince = System.currentTimeMillis();
            reminderMs = FIRST_REMINDER_MS;
        } else if (System.currentTimeMillis() - idleSince > reminderMs) {
            notifyUser("no worker has offered itself for " + reminderMs / 1000
                    + " s: the cluster has none that is free, or none"
                    + " with as much memory and as many cores as launcher.conf asks for");
            reminderMs += REMINDER_MS;
        }
    }

    private synchronized void notifyUser(String text) {
        answers.print(MESSAGE + "\t" + text + "\n");
        answers.flush();
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // the process ends, and stderr is its log
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

    private void submit(String line) throws IOException {
        String[] parts = line.split("\t", 4);
        List<String> places =
                parts[2].isEmpty() ? new ArrayList<>() : new ArrayList<>(List.of(parts[2].split(",", -1)));
        if (parts[1].equals(WorkerTask.COUNT)) {
            String[] part = parts[3].split("\t", 2)[0].split(" ", -1);
            long from = Long.parseLong(part[2]);
            places.addAll(place.hosts(part[1], from, Long.parseLong(part[3]) - from));
        }
        JavaFutureAction<List<String>> work = at(places, parts[1] + "\t" + parts[3])
                .map(new WorkerTask(place))
                .collectAsync();
        synchronized (this) {
            pending.put(parts[0], new Piece(work, places));
        }
    }

    /** Creates a task with preferred places. */
    private JavaRDD<String> at(List<String> places, String work) {
        if (places.isEmpty()) {
            return context.parallelize(List.of(work), 1);
        }
        Seq<String> wanted = CollectionConverters.asScala(places).toList();
        Seq<Tuple2<String, Seq<String>>> all = CollectionConverters.asScala(List.of(new Tuple2<>(work, wanted)))
                .toList();
        return JavaRDD.fromRDD(context.sc().makeRDD(all, words), words);
    }

    private synchronized void answerEnded() throws InterruptedException, IOException {
        for (Iterator<Map.Entry<String, Piece>> each = pending.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Piece> piece = each.next();
            if (piece.getValue().work().isDone()) {
                each.remove();
                String answer = answer(piece.getValue().work());
                String done = answer.substring(0, answer.indexOf('\t'));
                System.err.println("stagesim: " + piece.getKey() + " wished for "
                        + piece.getValue().preferred() + ", done by " + done);
                answers.print(piece.getKey() + "\t" + answer + "\n");
                answers.flush();
            }
        }
    }

    private String answer(JavaFutureAction<List<String>> work) throws InterruptedException, IOException {
        try {
            String answer = work.get().get(0);
            place.fetch(answer.substring(answer.indexOf('\t') + 1));
            return answer;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String words = String.valueOf(cause.getMessage());
            int end = words.indexOf('\n');
            return "\tfailed\tSpark gave the job up: " + (end < 0 ? words : words.substring(0, end)).replace('\t', ' ');
        }
    }
}

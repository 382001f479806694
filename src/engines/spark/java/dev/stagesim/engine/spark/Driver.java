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
 * The process that hands work to Spark.
 *
 * <p>Reads a line for each piece on standard input, {@code <name> TAB <verb> TAB <places> TAB <what>}, where places are
 * workers that it should rather be done on, with commas between, or nothing; and writes a line for each that has ended on
 * standard output, {@code <name> TAB <place> TAB <answer>}. A line {@code say TAB <words>} is for people. {@code end} says
 * that there is no more work. When the input ends without it, whoever asked is gone and so is the process. Each piece is a
 * Spark job of one task, so that Spark repeats what a lost worker had under way and one bad job spoils no other.
 */
public final class Driver {
    private static final String END = "end";
    private static final String SAY = "say";
    private static final long POLL_MS = 20;
    private static final long PATIENCE_MS = 10_000;
    private static final long REMINDER_MS = 60_000;

    private final JavaSparkContext context;
    private final Place place;
    private final PrintStream answers;
    private final ClassTag<String> words = ClassTag$.MODULE$.apply(String.class);
    private final Map<String, Piece> pending = new LinkedHashMap<>();
    private boolean isLast;
    private long idleSince = System.currentTimeMillis();
    private long patience = PATIENCE_MS;

    /** What was handed over, and where it had better be done. */
    private record Piece(JavaFutureAction<List<String>> work, List<String> wished) {}

    private Driver(JavaSparkContext context, Place place, PrintStream answers) {
        this.context = context;
        this.place = place;
        this.answers = answers;
    }

    /**
     * Runs until all work has ended.
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
            Driver driver = new Driver(context, new Place(args[1], args[2], args[3], args[4]), answers);
            driver.say(
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

    /** Tells people when there is work and nobody to do it. */
    private synchronized void remindOfWorkers() {
        boolean isLocal = context.sc().isLocal();
        if (pending.isEmpty()
                || isLocal
                || context.sc().getExecutorMemoryStatus().size() > 1) {
            idleSince = System.currentTimeMillis();
            patience = PATIENCE_MS;
        } else if (System.currentTimeMillis() - idleSince > patience) {
            say("no worker has offered itself for " + patience / 1000 + " s: the cluster has none that is free, or none"
                    + " with as much memory and as many cores as launcher.conf asks for");
            patience += REMINDER_MS;
        }
    }

    private synchronized void say(String text) {
        answers.print(SAY + "\t" + text + "\n");
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
        if (parts[1].equals(Work.COUNT)) {
            String[] part = parts[3].split("\t", 2)[0].split(" ", -1);
            long from = Long.parseLong(part[2]);
            places.addAll(place.hosts(part[1], from, Long.parseLong(part[3]) - from));
        }
        JavaFutureAction<List<String>> work =
                at(places, parts[1] + "\t" + parts[3]).map(new Work(place)).collectAsync();
        synchronized (this) {
            pending.put(parts[0], new Piece(work, places));
        }
    }

    /** One piece of work that would rather be done at some places. */
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
                        + piece.getValue().wished() + ", done by " + done);
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

package dev.stagesim.feature.spark;

import dev.stagesim.pipeline.LimitSettings;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.PortableRun;
import dev.stagesim.pipeline.RunRef;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.Failure;
import dev.stagesim.sweep.SearchOracle;
import dev.stagesim.sweep.TokenCounts;
import dev.stagesim.sweep.TokenPart;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One job of a sweep in a process that a launcher started, text in and text out, so that it can be called by a program
 * that knows none of our classes.
 */
public final class RemoteJob {
    /** First word of an answer that names runs; the others are their directories below {@code tmp/}, the job's own first. */
    static final String DONE = "done";

    /** The same, of a run that was there before. */
    static final String REUSED = "reused";

    /** First word of an answer that says why there is no run. */
    static final String FAILED = "failed";

    /** An answer that says that what a run rests on is there. */
    static final String PREPARED = "prepared";

    /** First word of an answer to a question of a search; the figures follow. */
    static final String FIGURES = "figures";

    /** The same, where there are none; why follows. */
    static final String REFUSED = "refused";

    /** In place of the counts of a part of a table that is not there. */
    static final String ABSENT = "absent";

    static final String BETWEEN = "\t";

    private static final Map<String, Pipeline> PIPELINES = new ConcurrentHashMap<>();
    private static final Map<String, SearchOracle> ASKING = new ConcurrentHashMap<>();

    private RemoteJob() {}

    /**
     * Makes a run.
     *
     * @param home installation
     * @param workDir directory that relative paths start from, and that holds {@code tmp/}
     * @param job what {@link PortableRun#text} wrote
     * @return words with tabs between: {@code done} or {@code reused} and directories, or {@code failed} and why
     */
    public static String run(String home, String workDir, String job) {
        return run(pipeline(home, workDir), StageRegistry.standard(), job);
    }

    static String run(Pipeline pipeline, StageRegistry registry, String job) {
        return answer(pipeline, () -> {
            PortableRun asked = PortableRun.read(job);
            RunRef run = pipeline.run(stage(registry, asked), asked.request(), asked.options());
            StringBuilder answer = new StringBuilder(run.reused() ? REUSED : DONE);
            for (Path dir : pipeline.sweeps().withInputs(run)) {
                int names = dir.getNameCount();
                answer.append(BETWEEN)
                        .append(dir.getName(names - 2))
                        .append('/')
                        .append(dir.getName(names - 1));
            }
            return answer.toString();
        });
    }

    /**
     * Makes the runs that a run rests on, and not the run itself.
     *
     * @return {@code prepared}, or {@code failed} and why
     */
    public static String prepare(String home, String workDir, String job) {
        return prepare(pipeline(home, workDir), StageRegistry.standard(), job);
    }

    static String prepare(Pipeline pipeline, StageRegistry registry, String job) {
        return answer(pipeline, () -> {
            PortableRun asked = PortableRun.read(job);
            pipeline.sweeps().prepare(pipeline.plan(stage(registry, asked), asked.request(), asked.options()));
            return PREPARED;
        });
    }

    /**
     * Runs a query of a search. Values that queries share are cached for the next query.
     *
     * @return {@code figures} and JSON, or {@code refused} or {@code failed} and why
     */
    public static String ask(String home, String workDir, String job) {
        Pipeline pipeline = pipeline(home, workDir);
        SearchOracle oracle = ASKING.computeIfAbsent(workDir, dir -> SearchOracle.here(new OracleRunner(pipeline)));
        return answer(pipeline, () -> {
            PortableRun asked = PortableRun.read(job);
            SearchOracle.Reply reply = oracle.query(stage(StageRegistry.standard(), asked), asked.request());
            return reply.refused().isEmpty()
                    ? FIGURES + BETWEEN + SparkAnswers.text(reply.figures())
                    : REFUSED + BETWEEN + reply.refused();
        });
    }

    /**
     * Counts the token times of a part of a table.
     *
     * @param in the table, from the byte before the part on
     * @param part what {@link TokenPart#text} wrote
     * @return what {@link TokenCounts#parse} reads
     */
    public static String count(InputStream in, String part) throws IOException {
        return TokenCounts.read(in, TokenPart.parse(part)).text();
    }

    private static Pipeline pipeline(String home, String workDir) {
        return PIPELINES.computeIfAbsent(workDir, dir -> {
            Pipeline pipeline = new Pipeline(
                    StageRegistry.standard(), Path.of(home), Path.of(dir), PipelineListener.NONE, Clock.systemUTC());
            pipeline.limit(LimitSettings.NONE); // whoever hands jobs out says what they may take
            return pipeline;
        });
    }

    private static Stage<?> stage(StageRegistry registry, PortableRun asked) {
        return registry.find(asked.stage()).orElseThrow(() -> new IllegalStateException("no stage " + asked.stage()));
    }

    private interface Working {
        String answer() throws IOException;
    }

    private static String answer(Pipeline pipeline, Working working) {
        try {
            return working.answer();
        } catch (RuntimeException | IOException | OutOfMemoryError e) {
            return FAILED + BETWEEN + Failure.words(e, pipeline.workDir());
        }
    }
}

package dev.stagesim.feature.spark;

import dev.stagesim.pipeline.LimitSettings;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.PortableRun;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.launch.Failure;
import dev.stagesim.sweep.launch.SearchOracle;
import dev.stagesim.sweep.tokens.TokenCounts;
import dev.stagesim.sweep.tokens.TokenPart;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs one job of a sweep in a process that a launcher started. Input and output are text, so that the caller needs
 * none of the product's classes.
 */
public final class RemoteJob {
    /** First field of a reply with run directories relative to {@code tmp/}, the job's run first. */
    static final String DONE = "done";

    /** First field of a reply for a reused run; the other fields are those of {@link #DONE}. */
    static final String REUSED = "reused";

    /** First field of a reply with the reason of a failure. */
    static final String FAILED = "failed";

    /** Reply after all upstream runs of a job have been executed. */
    static final String PREPARED = "prepared";

    /** First field of a reply to a search query; the metrics follow. */
    static final String FIGURES = "figures";

    /** First field of a reply to an infeasible search query; the reason follows. */
    static final String REFUSED = "refused";

    /** Placeholder for the counts of a missing part of a table. */
    static final String ABSENT = "absent";

    static final String SEPARATOR = "\t";

    private static final Map<String, Pipeline> PIPELINES = new ConcurrentHashMap<>();
    private static final Map<String, SearchOracle> ORACLES = new ConcurrentHashMap<>();

    private RemoteJob() {}

    /**
     * Executes a run.
     *
     * @param home installation directory
     * @param workDir base of relative paths, which contains {@code tmp/}
     * @param job text from {@link PortableRun#text}
     * @return tab-separated fields: {@code done} or {@code reused} and directories, or {@code failed} and the reason
     */
    public static String run(String home, String workDir, String job) {
        return run(pipeline(home, workDir), StageRegistry.standard(), job);
    }

    static String run(Pipeline pipeline, StageRegistry registry, String job) {
        return answer(pipeline, () -> {
            PortableRun requested = PortableRun.read(job);
            RunRef run = pipeline.run(stage(registry, requested), requested.request(), requested.options());
            StringBuilder answer = new StringBuilder(run.reused() ? REUSED : DONE);
            for (Path dir : pipeline.sweeps().withInputs(run)) {
                int names = dir.getNameCount();
                answer.append(SEPARATOR)
                        .append(dir.getName(names - 2))
                        .append('/')
                        .append(dir.getName(names - 1));
            }
            return answer.toString();
        });
    }

    /**
     * Executes the upstream runs of a run, but not the run itself.
     *
     * @return {@code prepared}, or {@code failed} and the reason
     */
    public static String prepare(String home, String workDir, String job) {
        return prepare(pipeline(home, workDir), StageRegistry.standard(), job);
    }

    static String prepare(Pipeline pipeline, StageRegistry registry, String job) {
        return answer(pipeline, () -> {
            PortableRun requested = PortableRun.read(job);
            pipeline.sweeps()
                    .prepare(pipeline.plan(stage(registry, requested), requested.request(), requested.options()));
            return PREPARED;
        });
    }

    /**
     * Evaluates a search query; state shared by queries is cached.
     *
     * @return {@code figures} and JSON, or {@code refused} or {@code failed} and the reason
     */
    public static String evaluate(String home, String workDir, String job) {
        Pipeline pipeline = pipeline(home, workDir);
        SearchOracle oracle =
                ORACLES.computeIfAbsent(workDir, dir -> SearchOracle.inProcess(new OracleRunner(pipeline)));
        return answer(pipeline, () -> {
            PortableRun requested = PortableRun.read(job);
            SearchOracle.Reply reply = oracle.query(stage(StageRegistry.standard(), requested), requested.request());
            return reply.refused().isEmpty()
                    ? FIGURES + SEPARATOR + SparkOracle.text(reply.figures())
                    : REFUSED + SEPARATOR + reply.refused();
        });
    }

    /**
     * Counts the token times in a part of a table.
     *
     * @param in bytes of the table, starting one byte before the part
     * @param part text from {@link TokenPart#text}
     * @return input of {@link TokenCounts#parse}
     */
    public static String count(InputStream in, String part) throws IOException {
        return TokenCounts.read(in, TokenPart.parse(part)).text();
    }

    private static Pipeline pipeline(String home, String workDir) {
        return PIPELINES.computeIfAbsent(workDir, dir -> {
            Pipeline pipeline = new Pipeline(
                    StageRegistry.standard(), Path.of(home), Path.of(dir), PipelineListener.NONE, Clock.systemUTC());
            pipeline.limit(LimitSettings.NONE); // the process that distributes jobs sets their limits
            return pipeline;
        });
    }

    private static Stage<?> stage(StageRegistry registry, PortableRun requested) {
        return registry.find(requested.stage())
                .orElseThrow(() -> new IllegalStateException("no stage " + requested.stage()));
    }

    private interface Work {
        String answer() throws IOException;
    }

    private static String answer(Pipeline pipeline, Work work) {
        try {
            return work.answer();
        } catch (RuntimeException | IOException | OutOfMemoryError e) {
            return FAILED + SEPARATOR + Failure.describe(e, pipeline.workDir());
        }
    }
}

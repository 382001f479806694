package dev.stagesim.sweep;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.sweep.tokens.TokenPart;
import dev.stagesim.sweep.tokens.TokenWork;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Merges the parts of a sweep from one or several working directories. The result equals the result of a single launch of
 * all jobs.
 */
public final class SweepMerge {
    private static final int MAX_LISTED = 20;

    /** A job's best row and its sweep directory. */
    private record Found(SweepRecords.Row row, Path sweep) {}

    private final Pipeline pipeline;
    private final List<Path> sweeps;
    private final LocatedJson manifest;
    private final String stage;
    private final List<LocatedJson> jobs;

    private SweepMerge(Pipeline pipeline, List<Path> sweeps) throws IOException {
        this.pipeline = pipeline;
        this.sweeps = sweeps;
        this.manifest = Json.read(sweeps.get(0).resolve(Manifest.FILE));
        this.stage = manifest.get("stage").asString();
        this.jobs = manifest.get("jobs").items();
    }

    /**
     * Merges parts into the pipeline's working directory. Runs in other directories are copied.
     *
     * @param dirs sweep directories, or working directories with one sweep each
     * @throws StageException (input) if they belong to different sweeps, a job is missing, or two parts disagree
     */
    public static SweepResult merge(Pipeline pipeline, List<Path> dirs) throws IOException {
        Set<Path> sweeps = new LinkedHashSet<>();
        List<Problem> problems = new ArrayList<>();
        for (Path dir : dirs) {
            try {
                sweeps.add(SweepDirs.find(dir));
            } catch (StageException wrong) {
                problems.addAll(wrong.problems());
            }
        }
        StageException.refuse(problems);
        return new SweepMerge(pipeline, List.copyOf(sweeps)).merge();
    }

    private SweepResult merge() throws IOException {
        rejectForeignParts();
        @Nullable Found[] best = best();
        rejectMissingJobs(best);
        List<JobOutcome> outcomes = new ArrayList<>();
        for (int num = 0; num < best.length; num++) {
            outcomes.add(outcome(num, best[num]));
        }
        String id = sweeps.get(0).getFileName().toString();
        Path dir = Files.createDirectories(pipeline.sweeps().dir().resolve(id));
        if (!sweeps.contains(dir)) {
            for (String name : List.of(Manifest.FILE, SweepInvocation.FILE)) {
                Path source = sweeps.get(0).resolve(name);
                if (Files.exists(source)) {
                    SweepFiles.write(dir.resolve(name), to -> Files.copy(source, to));
                }
            }
        }
        SweepTables.write(dir, outcomes, true);
        SweepTables.writeFailed(dir, outcomes);
        TokenPercentiles tokens = tokens(outcomes);
        tokens.write(dir);
        SweepReport.write(dir, stage, outcomes, Optional.of(tokens));
        return new SweepResult(dir, dir, id, outcomes);
    }

    private TokenPercentiles tokens(List<JobOutcome> outcomes) throws IOException {
        TokenPercentiles tokens = new TokenPercentiles(outcomes);
        List<TokenPart> parts = TokenWork.parts(TokenPercentiles.runs(outcomes), TokenWork.PART_BYTES);
        parts.forEach(tokens::expect);
        TokenWork.reportStart(pipeline.listener(), parts);
        try {
            int threads = Runtime.getRuntime().availableProcessors();
            TokenWork.count(Pipeline.runsRoot(pipeline.workDir()), parts, threads, () -> false, tokens::add);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while token times were counted");
        }
        return tokens;
    }

    private void rejectForeignParts() throws IOException {
        byte[] first = InputFile.rawBytes(sweeps.get(0).resolve(Manifest.FILE));
        List<Problem> problems = new ArrayList<>();
        for (Path second : sweeps.subList(1, sweeps.size())) {
            if (!Arrays.equals(first, InputFile.rawBytes(second.resolve(Manifest.FILE)))) {
                problems.add(Problem.of("sweep error", second.toString(), "belongs to a different sweep")
                        .note("expected", "the jobs of " + sweeps.get(0))
                        .hint("the parts of a sweep need the same arguments and the same configuration"));
            }
        }
        StageException.refuse(problems);
    }

    /** Returns the best row of each job over all tables. */
    private @Nullable Found[] best() throws IOException {
        @Nullable Found[] best = new Found[jobs.size()];
        List<Problem> problems = new ArrayList<>();
        for (Path sweep : sweeps) {
            for (Path tables : tables(sweep)) {
                for (SweepRecords.Row row : SweepRecords.rows(tables)) {
                    if (row.num() >= best.length) {
                        throw StageException.input(Problem.of(
                                "sweep error",
                                tables.toString(),
                                "has job #" + row.num() + ", which is not in the manifest"));
                    }
                    Found earlier = best[row.num()];
                    if (earlier != null && differ(earlier.row(), row)) {
                        problems.add(Problem.of("sweep error", "#" + row.num(), "has two different runs")
                                .note("one", earlier.row().runId() + " in " + earlier.sweep())
                                .note("other", row.runId() + " in " + sweep));
                    }
                    if (earlier == null || rank(row) > rank(earlier.row())) {
                        best[row.num()] = new Found(row, sweep);
                    }
                }
            }
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems.subList(0, Math.min(MAX_LISTED, problems.size())));
        }
        return best;
    }

    private static List<Path> tables(Path sweep) throws IOException {
        List<Path> tables = new ArrayList<>(List.of(sweep));
        Path shards = sweep.resolve(Sweep.SHARDS);
        if (Files.isDirectory(shards)) {
            tables.addAll(Directories.list(shards, Files::isDirectory));
        }
        return tables;
    }

    private static boolean differ(SweepRecords.Row first, SweepRecords.Row second) {
        return !first.runId().isEmpty()
                && !second.runId().isEmpty()
                && !first.runId().equals(second.runId());
    }

    private static int rank(SweepRecords.Row row) {
        return !row.runId().isEmpty() ? 2 : row.status() == JobStatus.FAILED ? 1 : 0;
    }

    private void rejectMissingJobs(@Nullable Found[] best) {
        List<Integer> missing = new ArrayList<>();
        for (int num = 0; num < best.length; num++) {
            Found found = best[num];
            if (found == null || rank(found.row()) == 0) {
                missing.add(num);
            }
        }
        if (missing.isEmpty()) {
            return;
        }
        Problem problem = Problem.of(
                "sweep error",
                sweeps.get(0).getFileName().toString(),
                missing.size() + " of " + best.length + " jobs are missing");
        for (int num : missing.subList(0, Math.min(MAX_LISTED, missing.size()))) {
            problem = problem.note("missing", "#" + num + " " + String.join(" ", overrides(num)));
        }
        if (missing.size() > MAX_LISTED) {
            problem = problem.note("missing", "and " + (missing.size() - MAX_LISTED) + " more");
        }
        throw StageException.input(
                problem.hint("launch the parts again, which reuses finished jobs, or add the other directories"));
    }

    private List<String> overrides(int num) {
        return jobs.get(num).get("overrides").asStrings();
    }

    private JobOutcome outcome(int num, @Nullable Found found) throws IOException {
        if (found == null) {
            throw new IllegalStateException("job " + num + " is missing");
        }
        JobOutcome pending = new JobOutcome(num, overrides(num), JobStatus.PENDING, Optional.empty(), "");
        if (found.row().runId().isEmpty()) {
            return pending.failed(found.row().error());
        }
        Path stages = found.sweep().toAbsolutePath().normalize().resolve("../..");
        return pending.done(pipeline.sweeps()
                .adopt(stages.resolve(stage).resolve(found.row().runId()).normalize()));
    }
}

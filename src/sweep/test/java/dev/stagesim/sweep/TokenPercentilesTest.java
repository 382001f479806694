package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.serving.tables.TokenSpread;
import dev.stagesim.stats.LogHistogram;
import dev.stagesim.sweep.tokens.TokenCounts;
import dev.stagesim.sweep.tokens.TokenPart;
import dev.stagesim.sweep.tokens.TokenWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TokenPercentilesTest {
    private static final List<List<String>> JOBS = List.of(
            List.of("sum.factor=1", "numbers.count=3"),
            List.of("sum.factor=2", "numbers.count=3"),
            List.of("sum.factor=1", "numbers.count=4"),
            List.of("sum.factor=2", "numbers.count=4"),
            List.of("sum.factor=3", "numbers.count=4", "sum.mode=throw"));

    private final SweepWorld world = SweepWorld.empty();

    /** Sweeps runs with token tables, and adds all latencies to {@code all}. */
    private List<JobOutcome> jobs(List<Long> all) throws IOException {
        List<JobOutcome> jobs = world.sweep(SweepBytesTest.local(1), JOBS).jobs();
        Random random = new Random(9);
        for (RunRef run : TokenPercentiles.runs(jobs)) {
            try (TableWriter out =
                    TableWriter.create(run.dir().resolve("token_metrics.csv"), Tables.TOKEN_METRICS, List.of())) {
                for (long request = 0; request < 40; request++) {
                    long time = 0;
                    int tokens = 1 + random.nextInt(30);
                    for (long index = 0; index < tokens; index++) {
                        long latency = random.nextLong() >>> (24 + random.nextInt(20));
                        time += latency;
                        out.put(request).put(index).put(time).put(latency).endRow();
                        if (index > 0) {
                            all.add(latency);
                        }
                    }
                }
            }
        }
        return jobs;
    }

    private String table(List<JobOutcome> jobs, long partBytes, Random random) throws Exception {
        TokenPercentiles percentiles = new TokenPercentiles(jobs);
        List<TokenPart> parts = new ArrayList<>(TokenWork.parts(TokenPercentiles.runs(jobs), partBytes));
        parts.forEach(percentiles::expect);
        Collections.shuffle(parts, random);
        TokenWork.count(world.dir.resolve("tmp"), parts, 3, () -> false, (part, counts) -> {
            // Converts to text and back, as between processes.
            percentiles.add(TokenPart.parse(part.text()), TokenCounts.parse(counts.text()));
        });
        Path dir = Files.createDirectories(world.dir.resolve("out"));
        percentiles.write(dir);
        return Files.readString(dir.resolve("token_percentiles.csv"));
    }

    @Test
    void mergesPartsOfTablesInAnyOrder() throws Exception {
        List<JobOutcome> jobs = jobs(new ArrayList<>());
        String whole = table(jobs, Long.MAX_VALUE >> 1, new Random(0));
        for (int round = 1; round < 40; round++) {
            assertThat(table(jobs, 50L + 97L * round, new Random(round))).isEqualTo(whole);
        }
    }

    @Test
    void matchesPercentilesOfCountedTokens() throws Exception {
        List<JobOutcome> jobs = jobs(new ArrayList<>());
        List<String> rows = table(jobs, 1000, new Random(0)).lines().toList();
        for (RunRef run : TokenPercentiles.runs(jobs)) {
            Path table = run.dir().resolve("token_metrics.csv");
            TokenSpread spread = new TokenSpread(new LogHistogram(), new LogHistogram());
            try (TableReader in = TableReader.open(table, Tables.TOKEN_METRICS)) {
                while (in.next()) {
                    (in.longAt(1) == 0 ? spread.first() : spread.between()).add(in.longAt(3));
                }
            }
            Files.delete(table);
            spread.write(run.dir().resolve("token_times.csv"));
        }
        List<String> counted = table(jobs, 1000, new Random(0)).lines().toList();
        assertThat(counted).hasSameSizeAs(rows);
        for (int i = 1; i < rows.size(); i++) {
            String[] row = rows.get(i).split(",", -1);
            String[] other = counted.get(i).split(",", -1);
            double mean = Double.parseDouble(row[8]);
            assertThat(Double.parseDouble(other[8])).isCloseTo(mean, within(mean / 2048 + 1));
            other[8] = row[8];
            assertThat(other).containsExactly(row);
        }
    }

    @Test
    void writesRowsOfAllJobsOfValuesAndOfEachJob() throws Exception {
        List<Long> all = new ArrayList<>();
        List<JobOutcome> jobs = jobs(all);
        table(jobs, 1000, new Random(1));
        List<String> seen = new ArrayList<>();
        try (TableReader in =
                TableReader.open(world.dir.resolve("out/token_percentiles.csv"), SweepSchemas.TOKEN_PERCENTILES)) {
            while (in.next()) {
                if (in.stringAt(4).equals("between_tokens")) {
                    seen.add(in.stringAt(0) + " " + in.stringAt(1) + "=" + in.stringAt(2) + " " + in.stringAt(3) + " "
                            + in.longAt(5));
                }
                if (seen.size() == 1 && in.stringAt(4).equals("between_tokens")) {
                    long[] sorted =
                            all.stream().mapToLong(Long::longValue).sorted().toArray();
                    assertThat(in.longAt(6)).isEqualTo(sorted.length);
                    assertThat(in.longAt(7)).isEqualTo(sorted[0]);
                    assertThat(in.longAt(14)).isEqualTo(sorted[sorted.length - 1]);
                    long p99 = sorted[(sorted.length * 99 + 99) / 100 - 1];
                    assertThat(Math.abs(in.longAt(12) - p99)).isLessThanOrEqualTo(p99 / 2048);
                    long sum = Arrays.stream(sorted).sum();
                    assertThat(in.longAt(8)).isEqualTo((2 * sum + sorted.length) / (2L * sorted.length));
                }
            }
        }
        assertThat(seen)
                .containsExactly(
                        "all = " + " 4",
                        "value sum.factor=1  2",
                        "value sum.factor=2  2",
                        "value numbers.count=3  2",
                        "value numbers.count=4  2",
                        "value sum.mode=  4",
                        "job = 0 1",
                        "job = 1 1",
                        "job = 2 1",
                        "job = 3 1");
    }

    @Test
    void writesNoTableWithoutTokens() throws Exception {
        Path stale = Files.writeString(
                Files.createDirectories(
                                Jimfs.newFileSystem(Configuration.unix()).getPath("/work/out"))
                        .resolve("token_percentiles.csv"),
                "old");
        TokenPercentiles none = new TokenPercentiles(List.of());
        none.write(stale.getParent());
        assertThat(stale).doesNotExist();
    }
}

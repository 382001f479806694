package dev.stagesim.verify.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PacketSuiteTest {
    private static final Path KEPT = Path.of("tests-data", "packet");

    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        PacketSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesCommittedRuns() throws IOException {
        assertThat(run(KEPT)).hasSize(21).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    @Tag("long")
    void reproducesTheCorpus() throws IOException {
        Path corpus = Corpora.beside("packet");
        assertThat(run(corpus)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void detectsWrongValuesAndOutcomes(@TempDir Path dir) throws IOException {
        change(dir, "coll_star4_ar_ring_small", "31396", "31397");
        change(dir, "incast4_cc1_win0", "\"rng_streams_used\": 2329", "\"rng_streams_used\": 2330");
        change(dir, "incast8_qlen_pfc", "\"events\": 42914", "\"events\": 42915");
        change(dir, "p2p_link_25_1", "\"exit_code\": 0", "\"exit_code\": -11");
        change(dir, "hang_tail_loss", "\"headroom_drops\": 0", "\"headroom_drops\": 5");
        List<CaseResult> results = run(dir);
        assertThat(results).hasSize(5).noneMatch(CaseResult::isPassed);
        assertThat(results.get(0).why()).contains("finish_cycles of NPU 0: expected 31397, got 31396");
        assertThat(results.get(1).why()).contains("a report with: dropped at switches");
        assertThat(results.get(2).why()).contains("rng_streams_used: expected 2330, got 2329");
        assertThat(results.get(3).why()).contains("events: expected 42915, got 42914");
        assertThat(results.get(4).why()).contains("expected an error, got a result");
    }

    private static List<String> causes(String id) throws IOException {
        Path home = KEPT.resolve("cases").resolve(id);
        return new ExpectedReport(home, Json.read(home.resolve("case.json")), Json.read(home.resolve("expected.json")))
                .causes();
    }

    /**
     * All cases contain a line LINK_DOWN, usually for a link that never fails, so the line alone explains no report.
     */
    @Test
    void acceptsOnlyReportsThatTheInputExplains() throws IOException {
        assertThat(causes("odd_same_key_two_recvs")).containsExactly("a pause of port");
        assertThat(causes("hang_tail_loss"))
                .containsExactly("a pause of port", "which was lost and is not retransmitted");
        assertThat(causes("incast8_shortwire_drops"))
                .containsExactly("a pause of port", "which was lost and is not retransmitted");
        assertThat(causes("link_down")).contains("but none is left", "which is down");
    }

    /** The header lists the ports with numbers and rates. */
    @Test
    void reportsADifferentRateInTheHeaderOfFrames(@TempDir Path dir) throws IOException {
        change(dir, "incast2_trace", "\"exit_code\": 0", "\"exit_code\": 0");
        assertThat(run(dir)).allMatch(CaseResult::isPassed);
        Path file = dir.resolve("cases/incast2_trace/mix.tr.gz");
        byte[] frames;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            frames = in.readAllBytes();
        }
        frames[4 + 11 + 3]++;
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(frames);
        }
        assertThat(run(dir).get(0).why()).contains("ports of frames");
    }

    private static void change(Path dir, String id, String from, String to) throws IOException {
        change(dir, id, "expected.json", from, to);
    }

    private static void change(Path dir, String id, String file, String from, String to) throws IOException {
        Path source = KEPT.resolve("cases").resolve(id);
        Path target = dir.resolve("cases").resolve(id);
        try (Stream<Path> files = Files.walk(source)) {
            for (Path each : files.toList()) {
                Path copy = target.resolve(source.relativize(each).toString());
                Files.createDirectories(copy.getParent());
                if (Files.isRegularFile(each)) {
                    Files.copy(each, copy);
                }
            }
        }
        Path expected = target.resolve(file);
        String text = Files.readString(expected);
        assertThat(text).contains(from);
        Files.writeString(expected, text.replace(from, to));
    }
}

package dev.stagesim.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.workload.EmptyRows;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.LogNormalTokens;
import dev.stagesim.serving.workload.RowOrder;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.serving.workload.UnsortedRows;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkloadStageTest {
    private static final Path HOME = Path.of("").toAbsolutePath();
    private static final Path TRACES = Path.of("tests-data/traces");

    @Test
    void writesTheArtifactsOfTheContract() throws IOException {
        Settings settings = Settings.requests(3);
        settings.lengths = new LengthSettings.Listed(List.of(9, 14, 7), List.of(64));
        settings.arrival = new ArrivalSettings.Fixed(2.0, 0.0);
        FakeContext context = run(settings);
        assertThat(names(context.out()))
                .containsExactly(
                        "conditions.json",
                        "prompts.jsonl",
                        "summary.md",
                        "trace_intervals.csv",
                        "trace_lengths.csv",
                        "workload.json");
        assertThat(text(context, "trace_lengths.csv"))
                .isEqualTo("request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n"
                        + "0,row-0,9,64\n1,row-1,14,64\n2,row-2,7,64\n");
        assertThat(text(context, "trace_intervals.csv"))
                .isEqualTo("request_id,inter_arrival_ns,arrival_time_ns\n"
                        + "0,0,0\n1,2000000000,2000000000\n2,2000000000,4000000000\n");
        assertThat(text(context, "prompts.jsonl"))
                .startsWith("{\"num_prefill_tokens\":9,\"prompt_id\":\"row-0\",\"request_id\":0}\n");
        assertThat(text(context, "summary.md")).contains("3 requests", "every 2.0 s", "0.5000 requests/s");
        assertThat(context.headlines)
                .containsEntry("num_requests", 3.0)
                .containsEntry("prefill_tokens_mean", 10.0)
                .containsEntry("duration_s", 4.0)
                .containsEntry("qps", 0.5);
        assertThat(context.warnings).isEmpty();
    }

    @Test
    void statesTheUnitOfTheRate() throws IOException {
        Settings settings = Settings.requests(4);
        settings.arrival = new ArrivalSettings.Poisson(2.0);
        settings.sharing = new SharingSettings.Sessions(2, 5, 0);
        assertThat(text(run(settings), "summary.md"))
                .contains(
                        "Arrivals: Poisson, 2.0 requests/s in sessions of 2 turns (1.000 sessions/s), each further turn"
                                + " 5.0 s on average after the previous turn without waiting for its answer"
                                + " (workload.sharing.think_time_s).");
        settings.sharing = new SharingSettings.Agents(3, 8, 4, 0, 2, 0.05);
        assertThat(text(run(settings), "summary.md"))
                .contains(
                        "each further call after 0.05 s per output token (workload.sharing.token_time_s) and 2.0 s on")
                .contains("without waiting for the simulated answer.");
        settings.sharing = new SharingSettings.None();
        assertThat(text(run(settings), "summary.md")).contains("Arrivals: Poisson, 2.0 requests/s.");
    }

    /** The last sessions continue after the starts, so a short run has less than the requested rate. */
    @Test
    void warnsIfSessionsLowerTheRate() throws IOException {
        Settings settings = Settings.requests(200);
        settings.arrival = new ArrivalSettings.Poisson(5.0);
        settings.sharing = new SharingSettings.Sessions(4, 30, 0);
        assertThat(run(settings).warnings)
                .anyMatch(text -> text.contains("the mean rate is") && text.contains("instead of 5 requests/s"));
        String advice = run(settings).warnings.stream()
                .filter(text -> text.contains("the mean rate is"))
                .findFirst()
                .orElseThrow();
        assertThat(advice).contains("(workload.sharing.think_time_s=30)");
        int enough = Integer.parseInt(advice.replaceFirst("(?s).*set requests=(\\d+) .*", "$1"));
        Settings longer = Settings.requests(enough);
        longer.arrival = settings.arrival;
        longer.sharing = settings.sharing;
        FakeContext suggested = run(longer);
        assertThat(suggested.warnings).noneMatch(text -> text.contains("the mean rate is"));
        assertThat(suggested.headlines.get("qps")).isBetween(0.94 * 5, 1.06 * 5);
        settings.sharing = new SharingSettings.Sessions(4, 1, 0);
        assertThat(run(settings).warnings).noneMatch(text -> text.contains("the mean rate is"));
    }

    /** A prefix without tokens is the same as no sharing; a long one leaves many prompts without tokens of their own. */
    @Test
    void sharesPrefixesOfAnyLength() throws IOException {
        Settings settings = Settings.requests(50);
        String none = text(run(settings), "trace_lengths.csv");
        settings.sharing = new SharingSettings.Prefixes(1, 0, 1, 0);
        FakeContext empty = run(settings);
        assertThat(text(empty, "trace_lengths.csv")).isEqualTo(none);
        assertThat(empty.out().resolve("trace_tokens.csv")).doesNotExist();
        assertThat(empty.warnings).isEmpty();
        settings.sharing = new SharingSettings.Prefixes(1, 1_000_000, 1, 0);
        assertThat(run(settings).warnings).anyMatch(text -> text.startsWith("50 of 50 prompts are not longer"));
        settings.sharing = new SharingSettings.Prefixes(1, 1, 1, 0);
        assertThat(run(settings).warnings).noneMatch(text -> text.contains("are not longer"));
    }

    @Test
    void warnsIfTheLimitEndsSessions() throws IOException {
        Settings settings = Settings.requests(20);
        settings.arrival = new ArrivalSettings.Poisson(5.0);
        settings.sharing = new SharingSettings.Sessions(20, 1, 0);
        settings.maxTokens = Optional.of(4096);
        assertThat(run(settings).warnings)
                .anyMatch(text ->
                        text.contains("sessions end before their last turn") && text.contains("max_tokens=4096"));
        settings.maxTokens = Optional.of(1 << 20);
        assertThat(run(settings).warnings).noneMatch(text -> text.contains("last turn"));
    }

    @Test
    void writesSharedPrefixesOfATrace() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path trace = files.getPath("/trace.jsonl");
            Files.writeString(
                    trace,
                    """
                    {"timestamp":0,"input_length":600,"output_length":2,"hash_ids":[900,41]}
                    {"timestamp":5,"input_length":1100,"output_length":3,"hash_ids":[900,77,41]}
                    """);

            FakeContext context = run(Settings.replay(trace));

            // Blocks are numbered in order of appearance, 512 tokens each.
            assertThat(text(context, "trace_tokens.csv"))
                    .isEqualTo("request_id,first_token,num_tokens\n0,0,512\n0,512,88\n1,0,512\n1,1024,512\n1,512,76\n");
        }
    }

    @Test
    void keepsTheRulesOfTheTablesWithEveryGenerator() throws IOException {
        for (Settings settings : generators()) {
            FakeContext context = run(settings);
            assertThat(rows(context, Tables.TRACE_LENGTHS)).isEqualTo(200);
            assertThat(rows(context, Tables.TRACE_INTERVALS)).isEqualTo(200);
        }
    }

    @Test
    void writesTheSameBytesInAnyLocaleAndZone() throws IOException {
        for (Settings settings : generators()) {
            Map<String, String> here = files(run(settings));
            Locale locale = Locale.getDefault();
            TimeZone zone = TimeZone.getDefault();
            try {
                Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
                TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
                assertThat(files(run(settings))).isEqualTo(here);
            } finally {
                Locale.setDefault(locale);
                TimeZone.setDefault(zone);
            }
        }
    }

    @Test
    void keepsArrivalsWhenLengthsChange() throws IOException {
        Settings one = Settings.requests(50);
        one.lengths = new LengthSettings.Uniform(10, 100, 4);
        RequestTable first = requests(one);
        one.seed = Optional.of(43L);
        assertThat(requests(one).arrivalNs(0)).isNotEqualTo(first.arrivalNs(0));
        one.seed = Optional.of(42L);
        one.lengths = new LengthSettings.Zipf(10, 100, 0.9, false, 4, Optional.empty());
        assertThat(requests(one).arrivalNs(49)).isEqualTo(first.arrivalNs(49));
    }

    private static List<Settings> generators() {
        List<Settings> all = new ArrayList<>();
        for (LengthSettings lengths : List.of(
                new LengthSettings.Uniform(10, 100, 4),
                new LengthSettings.Zipf(10, 100, 0.9, true, 4, Optional.of(3L)),
                new LengthSettings.LogNormal(
                        new LogNormalTokens(100, 1, 1, 900), new LogNormalTokens(50, 1, 1, 900), Optional.empty()))) {
            for (ArrivalSettings arrival : List.of(
                    new ArrivalSettings.AtOnce(), new ArrivalSettings.Poisson(5), new ArrivalSettings.Gamma(5, 3))) {
                Settings settings = Settings.requests(200);
                settings.lengths = lengths;
                settings.arrival = arrival;
                all.add(settings);
            }
        }
        return all;
    }

    @Test
    void hasTheConfiguredRateByDefault() throws IOException {
        Settings settings = Settings.requests(50_000);
        settings.arrival = new ArrivalSettings.Poisson(10);
        assertThat(run(settings).headlines.get("qps")).isCloseTo(10, within(0.15));
        settings.compat = CompatMode.VIDUR;
        FakeContext vidur = run(settings);
        assertThat(vidur.headlines.get("qps")).isCloseTo(10.52, within(0.15));
        assertThat(vidur.warnings).anyMatch(text -> text.contains("5.2 %"));
    }

    @Test
    void scalesArrivalsToTheExactRate() throws IOException {
        Settings settings = Settings.requests(200);
        settings.arrival = new ArrivalSettings.Gamma(4, 2);
        RequestTable drawn = requests(settings);
        settings.arrival = new ArrivalSettings.Gamma(4, 2, true);
        RequestTable exact = requests(settings);
        double factor = 200 / 4.0 / drawn.arrivalSeconds(199);
        assertThat(factor).isNotCloseTo(1, within(0.02));
        assertThat(exact.arrivalNs(199)).isEqualTo(50_000_000_000L);
        for (int i = 0; i < 200; i++) {
            assertThat(exact.arrivalSeconds(i)).isCloseTo(factor * drawn.arrivalSeconds(i), within(1e-8));
            assertThat(exact.prefill(i)).isEqualTo(drawn.prefill(i));
        }
        settings.compat = CompatMode.VIDUR;
        assertThatThrownBy(() -> requests(settings)).hasMessageContaining("arrival.exact_rate");
    }

    @Test
    void replaysTracesFromTheFirstUsedRow() throws IOException {
        RequestTable azure = requests(Settings.replay(TRACES.resolve("azure_2023.csv")));
        assertThat(azure.size()).isEqualTo(3);
        assertThat(azure.arrivalNs(0)).isZero();
        assertThat(azure.arrivalNs(2)).isEqualTo(98_189_000);
        Settings scaled = Settings.replay(TRACES.resolve("azure_2023.csv"));
        scaled.arrival = new ArrivalSettings.Trace(Optional.empty(), Optional.empty(), Optional.empty(), 0.5);
        scaled.rows = rows(1, EmptyRows.ERROR, UnsortedRows.ERROR);
        RequestTable half = requests(scaled);
        assertThat(half.prefill(0)).isEqualTo(3180);
        assertThat(half.arrivalNs(1)).isEqualTo(23_094_500);
    }

    @Test
    void rejectsUnsortedTracesUnlessSorted() throws IOException {
        Path file = file("arrived_at,num_prefill_tokens,num_decode_tokens\n5,1,1\n2,20,2\n5,3,3\n");
        Settings settings = Settings.replay(file);
        for (CompatMode compat : List.of(CompatMode.NONE, CompatMode.VIDUR)) {
            settings.compat = compat;
            assertThatThrownBy(() -> run(settings))
                    .isInstanceOf(StageException.class)
                    .hasMessageContainingAll(":3: this row is earlier", "workload.rows.unsorted=sort");
        }
        settings.compat = CompatMode.NONE;
        settings.rows = rows(0, EmptyRows.ERROR, UnsortedRows.SORT);
        FakeContext context = run(settings);
        assertThat(text(context, "trace_lengths.csv")).contains("0,row-0,20,2\n1,row-1,1,1\n2,row-2,3,3\n");
        assertThat(context.warnings).anyMatch(text -> text.contains("sorted"));
    }

    @Test
    void rejectsRowsWithoutTokensUnlessSkippedOrRaised() throws IOException {
        Path file = file("arrived_at,num_prefill_tokens,num_decode_tokens\n1,7,1\n2,0,2\n5,3,0\n");
        Settings settings = Settings.replay(file);
        assertThatThrownBy(() -> run(settings)).hasMessageContainingAll(":3:", ":4:", "workload.rows.empty=drop");
        settings.rows = rows(0, EmptyRows.DROP, UnsortedRows.ERROR);
        assertThat(requests(settings).size()).isEqualTo(1);
        settings.rows = RowSettings.ALL;
        settings.compat = CompatMode.VIDUR;
        assertThat(requests(settings).prefill(1)).isEqualTo(1);
    }

    private static RowSettings rows(long skip, EmptyRows empty, UnsortedRows unsorted) {
        return new RowSettings(skip, Optional.empty(), Optional.empty(), Optional.empty(), empty, unsorted);
    }

    @Test
    void repeatsRowsWithDrawnArrivals() throws IOException {
        Settings settings = Settings.replay(TRACES.resolve("azure_2023.csv"));
        settings.numRequests = Optional.of(5);
        assertThatThrownBy(() -> run(settings))
                .hasMessageContaining("is 5, but the file has")
                .hasMessageContaining("workload.lengths.repeat = true and an unlimited arrival process");
        settings.lengths = new LengthSettings.Trace(RowOrder.FILE, true, 1, 1, Optional.empty());
        assertThatThrownBy(() -> run(settings))
                .hasMessageContaining("an unlimited arrival process")
                .hasMessageNotContaining("repeat");
        settings.arrival = new ArrivalSettings.Poisson(1);
        assertThat(requests(settings).size()).isEqualTo(5);
    }

    @Test
    void rejectsFilesThatAreNotText() throws IOException {
        Path binary = file("");
        Files.write(binary, new byte[] {0x7f, 'E', 'L', 'F', 0, 1});
        assertThatThrownBy(() -> run(Settings.replay(binary)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload.file")
                .hasMessageContaining("is a binary file");
        Files.write(binary, new byte[] {0x1f, (byte) 0x8b, 8});
        assertThatThrownBy(() -> run(Settings.replay(binary))).hasMessageContaining("its compression is damaged");
        assertThatThrownBy(() -> run(Settings.replay(TRACES)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload.file")
                .hasMessageContaining("is a directory");
    }

    @Test
    void dropsArrivalsOfDroppedRows() throws IOException {
        Settings settings =
                Settings.replay(file("arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,1\n1,90,20\n3,6,1\n"));
        settings.maxTokens = Optional.of(100);
        settings.overlong = Optional.of(Overlong.DROP);
        RequestTable table = requests(settings);
        assertThat(table.size()).isEqualTo(2);
        assertThat(table.arrivalNs(1)).isEqualTo(3_000_000_000L);
        settings.overlong = Optional.of(Overlong.ERROR);
        assertThatThrownBy(() -> run(settings)).hasMessageContaining("request 1 has 90 prompt and 20 output tokens");
    }

    @Test
    void drawsAndShufflesRowsOfTheFile() throws IOException {
        Settings settings = Settings.requests(6);
        settings.file = Optional.of(TRACES.resolve("mooncake.jsonl"));
        settings.lengths = new LengthSettings.Trace(RowOrder.SHUFFLED, true, 0.001, 1.0, Optional.of(5L));
        RequestTable table = requests(settings);
        assertThat(Stream.of(0, 1, 2).map(table::prefill)).containsExactlyInAnyOrder(1, 1, 110);
        assertThat(table.prefill(3)).isEqualTo(table.prefill(0));
        settings.lengths = new LengthSettings.Empirical(1.0, 2.0, Optional.empty());
        assertThat(requests(settings).decode(0)).isIn(104, 52, 2);
    }

    @Test
    void keepsTextAndNamesOfPrompts() throws IOException {
        Settings settings = Settings.requests(3);
        settings.file = Optional.of(TRACES.resolve("prompts.jsonl"));
        settings.tokenizer = Optional.of("cl100k_base");
        settings.lengths = new LengthSettings.Prompts(RowOrder.FILE, true, Optional.empty(), Optional.empty());
        FakeContext context = run(settings);
        assertThat(text(context, "prompts.jsonl").lines().toList())
                .element(0)
                .isEqualTo(
                        "{\"num_prefill_tokens\":2,\"prompt\":\"hello world\",\"prompt_id\":\"greeting\",\"request_id\":0}");
        assertThat(text(context, "prompts.jsonl"))
                .contains("\"prompt\":\"Grüße, \\\"Welt\\\"\",\"prompt_id\":\"row-1\"");
        assertThat(text(context, "trace_lengths.csv")).contains("2,greeting,2,12\n");
        assertThat(new WorkloadStage().reads(settings.build(), HOME)).hasSize(1);
    }

    @Test
    void reportsTheNumberOfRowsWhenAFileIsExhausted() {
        Settings settings = Settings.replay(TRACES.resolve("azure_2023.csv"));
        settings.numRequests = Optional.of(4);
        assertThatThrownBy(() -> run(settings))
                .hasMessageContaining("is 4, but the file has")
                .hasMessageContaining("for 3");
    }

    @Test
    void rejectsFilesOfTheWrongKind() throws IOException {
        Settings noTimes = Settings.replay(TRACES.resolve("vidur_lengths.csv"));
        assertThatThrownBy(() -> run(noTimes)).hasMessageContaining("has no arrival times");
        Settings noTokenizer = Settings.requests(1);
        noTokenizer.file = Optional.of(TRACES.resolve("sharegpt.json"));
        noTokenizer.lengths = Settings.inOrder();
        assertThatThrownBy(() -> run(noTokenizer))
                .hasMessageContaining("tokenizer is required")
                .hasMessageContaining("o200k_base");
        Settings idle = Settings.replay(TRACES.resolve("azure_2023.csv"));
        idle.tokenizer = Optional.of("cl100k_base");
        assertThatThrownBy(() -> run(idle))
                .hasMessageContaining("workload.tokenizer")
                .hasMessageContaining("no effect");
        Settings window = Settings.replay(TRACES.resolve("azure_2023.csv"));
        window.arrival =
                new ArrivalSettings.Trace(Optional.empty(), Optional.of("2024-01-01 00:00:00"), Optional.empty(), 1.0);
        assertThatThrownBy(() -> run(window)).hasMessageContaining("no row of");
    }

    @Test
    void rejectsAWorkloadWithoutRequests() {
        Settings settings = new Settings();
        settings.duration = Optional.of(1e-9);
        assertThatThrownBy(() -> run(settings)).hasMessageContaining("no request arrives");
    }

    private static FakeContext run(Settings settings) throws IOException {
        Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
        FakeContext context = new FakeContext(Files.createDirectory(out), HOME);
        new WorkloadStage().run(settings.build(), context);
        return context;
    }

    private static RequestTable requests(Settings settings) throws IOException {
        return new WorkloadStage().requests(settings.build(), HOME);
    }

    private static Path file(String text) throws IOException {
        return Files.writeString(Jimfs.newFileSystem(Configuration.unix()).getPath("/trace.csv"), text);
    }

    private static String text(FakeContext context, String name) throws IOException {
        return Files.readString(context.out().resolve(name));
    }

    private static List<String> names(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static Map<String, String> files(FakeContext context) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (String name : names(context.out())) {
            files.put(name, text(context, name));
        }
        return files;
    }

    /** Returns the number of rows of a table; the reader checks every rule of its schema. */
    private static int rows(FakeContext context, TableSchema schema) throws IOException {
        int rows = 0;
        try (TableReader reader = TableReader.open(context.out().resolve(schema.name()), schema)) {
            while (reader.next()) {
                rows++;
            }
        }
        return rows;
    }
}

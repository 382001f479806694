package dev.stagesim.io.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TraceLoaderTest {
    private static final Path FIXTURES = Path.of("tests-data/traces");
    private static final ToIntFunction<String> WORDS = text -> text.isEmpty() ? 0 : text.split(" ").length;
    private static final RowFilter ALL = RowFilter.all(() -> 0.5);

    @ParameterizedTest
    @CsvSource({
        "azure_2023.csv, AZURE", "azure_2024.csv, AZURE", "burstgpt_v11.csv, BURSTGPT", "burstgpt_v12.csv, BURSTGPT",
        "mooncake.jsonl, MOONCAKE", "bailian.jsonl, BAILIAN", "splitwise.csv, SPLITWISE", "vidur_replay.csv, VIDUR",
        "vidur_lengths.csv, LENGTHS", "sharegpt.json, SHAREGPT", "prompts.jsonl, PROMPTS"
    })
    void detectsTheFormatByContent(String name, TraceFormat format) throws IOException {
        assertThat(TraceCodec.detect(FIXTURES.resolve(name))).isEqualTo(format);
    }

    @ParameterizedTest
    @EnumSource(value = TraceFormat.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void hasAReaderForEveryFormat(TraceFormat format) {
        assertThatThrownBy(() -> TraceCodec.open(format, Path.of("missing"), WORDS))
                .isInstanceOf(StageException.class);
    }

    @Test
    void reportsAnInvalidValueAndAShortRow() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/t.csv");
        Files.writeString(file, "arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,1\n1,x,1\n2,5,1\n3,5\n");
        assertThatThrownBy(() -> TraceLoader.load(file, TraceFormat.VIDUR, WORDS, ALL))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/t.csv:3: num_prefill_tokens is 'x'")
                .hasMessageContaining("/t.csv:5: the row has 2 fields");
    }

    @Test
    void rejectsArrivalsThatSpanMoreThanAYear() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/t.csv");
        Files.writeString(file, "arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,1\n1,5,1\n40000000,5,1\n");
        assertThatThrownBy(() -> TraceLoader.load(file, TraceFormat.VIDUR, WORDS, ALL))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/t.csv:4: ")
                .hasMessageContaining("a year");
    }

    @Test
    void omitsAndCountsEntriesWithoutConversations() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/s.json");
        String turns = "[{\"from\":\"human\",\"value\":\"a b\"},{\"from\":\"gpt\",\"value\":\"c\"}]";
        Files.writeString(file, "[{\"id\":\"x\"},{\"conversations\":" + turns + "},{\"conversations\":null}]");
        TraceRows rows = TraceLoader.load(file, TraceCodec.detect(file), WORDS, ALL);
        assertThat(rows.prefill()).containsExactly(2);
        assertThat(rows.remarks()).singleElement().asString().contains("2 rows", "left out");
        Files.writeString(file, "[{\"conversations\":" + turns + "},{\"conversations\":[{\"from\":\"human\"},7]}]");
        assertThatThrownBy(() -> TraceLoader.load(file, TraceFormat.SHAREGPT, WORDS, ALL))
                .hasMessageContaining("#/1/conversations/0: member 'value' is missing");
    }

    /** The file has CRLF line ends, seven fraction digits, and no line end at the end. */
    @Test
    void readsAzure2023() throws IOException {
        TraceRows rows = load("azure_2023.csv");
        assertThat(rows.prefill()).containsExactly(4808, 3180, 110);
        assertThat(rows.decode()).containsExactly(10, 8, 27);
        assertThat(gaps(rows)).containsExactly(52_000_000, 46_189_000);
    }

    @Test
    void readsAzure2024WithZone() throws IOException {
        assertThat(gaps(load("azure_2024.csv"))).containsExactly(7_405_000, 1_000_000_000);
    }

    @Test
    void omitsFailuresOfBurstGptWithANote() throws IOException {
        TraceRows rows = load("burstgpt_v11.csv");
        assertThat(rows.timeNs()).containsExactly(5_000_000_000L, 45_000_000_000L, 45_000_000_000L);
        assertThat(rows.remarks()).singleElement().asString().contains("1 row ", "failed");
        assertThat(load("burstgpt_v12.csv").prefill()).containsExactly(472, 417);
    }

    @Test
    void selectsOneModelOfBurstGpt() throws IOException {
        RowFilter gpt4 = new RowFilter(
                0,
                Long.MAX_VALUE,
                Optional.of("GPT-4"),
                1,
                () -> 0.5,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                RowFilter.Empty.DROP,
                false);
        assertThat(load("burstgpt_v11.csv", gpt4).prefill()).containsExactly(417);
        assertThatThrownBy(() -> load("azure_2023.csv", gpt4)).hasMessageContaining("workload.rows.model");
    }

    @Test
    void readsMillisecondsAndNotesOddBlocksOfMooncake() throws IOException {
        TraceRows rows = load("mooncake.jsonl");
        assertThat(rows.timeNs()).containsExactly(0, 0, 3_052_000_000L);
        assertThat(rows.prefill()).containsExactly(1200, 512, 110000);
        assertThat(rows.remarks())
                .singleElement()
                .asString()
                .startsWith("1 rows")
                .contains("512");
    }

    @Test
    void readsSecondsAndSmallerBlocksOfBailian() throws IOException {
        TraceRows rows = load("bailian.jsonl");
        assertThat(rows.timeNs()).containsExactly(500_000_000L, 61_250_000_000L);
        assertThat(rows.remarks()).isEmpty();
    }

    @Test
    void readsLanguageModelRequestsOfSplitwise() throws IOException {
        TraceRows rows = load("splitwise.csv");
        assertThat(rows.prefill()).containsExactly(374, 396);
        assertThat(rows.timeNs()).containsExactly(0, 4_314_000_000L);
        assertThat(rows.remarks()).hasSize(1);
    }

    @Test
    void readsVidurFilesWithAndWithoutArrivals() throws IOException {
        TraceRows replay = load("vidur_replay.csv");
        assertThat(replay.hasTimes()).isTrue();
        assertThat(replay.prefill()).containsExactly(374, 396, 879);
        assertThat(replay.timeNs()[1]).isEqualTo(4_314_579_000L);
        assertThat(load("vidur_lengths.csv").hasTimes()).isFalse();
    }

    @Test
    void readsPromptAndOutputOfShareGpt() throws IOException {
        TraceRows rows = load("sharegpt.json");
        assertThat(rows.size()).isEqualTo(1);
        assertThat(rows.text(0)).isEqualTo("hello world");
        assertThat(rows.id(0)).isEqualTo("a_0");
        assertThat(rows.decode()).containsExactly(5);
        assertThat(rows.remarks()).hasSize(2);
    }

    @Test
    void keepsTextAndOutputsOfPrompts() throws IOException {
        TraceRows rows = load("prompts.jsonl");
        assertThat(rows.text(1)).isEqualTo("Grüße, \"Welt\"");
        assertThat(rows.id(1)).isEmpty();
        assertThat(rows.decode()).containsExactly(12, 3);
    }

    @Test
    void selectsRangesAndSamplesInOrder() throws IOException {
        RowFilter middle = new RowFilter(
                1, 1, Optional.empty(), 1, () -> 0.5, Long.MIN_VALUE, Long.MAX_VALUE, RowFilter.Empty.DROP, false);
        assertThat(load("azure_2023.csv", middle).prefill()).containsExactly(3180);
        double[] draws = {0.9, 0.1, 0.2};
        int[] at = {0};
        RowFilter sample = new RowFilter(
                0,
                Long.MAX_VALUE,
                Optional.empty(),
                0.5,
                () -> draws[at[0]++],
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                RowFilter.Empty.DROP,
                false);
        assertThat(load("azure_2023.csv", sample).prefill()).containsExactly(3180, 110);
    }

    @Test
    void selectsHalfOpenWindows() throws IOException {
        RowFilter window = ALL.window(
                Timestamps.nanos("2023-11-16 18:17:04.0319600"), Timestamps.nanos("2023-11-16 18:17:04.0781490"));
        assertThat(load("azure_2023.csv", window).prefill()).containsExactly(3180);
    }

    @Test
    void reportsLinesOfAllMalformedRows() throws IOException {
        Path file = file(
                "bad.csv",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                        + "2023-11-16 18:17:03,x,10\nyesterday,5,10\n2023-11-16 18:17:03,5,10\n2023-11-16 18:17:03,5,-1\n");
        assertThatThrownBy(() -> TraceLoader.load(file, TraceFormat.AZURE, WORDS, ALL))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.problems()).hasSize(3))
                .hasMessageContaining("bad.csv:2")
                .hasMessageContaining("bad.csv:3: TIMESTAMP: 'yesterday'")
                .hasMessageContaining("bad.csv:5: GeneratedTokens is '-1'");
    }

    @Test
    void locatesWrongFieldCountsAndColumns() throws IOException {
        Path shortRow = file("short.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2\n");
        assertThatThrownBy(() -> TraceLoader.load(shortRow, TraceFormat.VIDUR, WORDS, ALL))
                .hasMessageContaining("short.csv:2: the row has 2 fields, but the header has 3");
        Path typo = file("typo.csv", "TIMESTAMP,ContextToken,GeneratedTokens\n");
        assertThatThrownBy(() -> TraceLoader.load(typo, TraceFormat.AZURE, WORDS, ALL))
                .hasMessageContaining("column 'ContextTokens' is missing")
                .hasMessageContaining("ContextToken");
        assertThatThrownBy(() -> TraceCodec.detect(typo)).hasMessageContaining("no supported trace format");
    }

    @Test
    void locatesJsonRows() throws IOException {
        Path file = file(
                "bad.jsonl",
                "{\"timestamp\":1,\"input_length\":3,\"output_length\":4}\n"
                        + "{\"timestamp\":-1,\"input_length\":3,\"output_length\":4}\n{\"delay\":1,\"input_length\":3,\"output_length\":4}\n");
        assertThatThrownBy(() -> TraceLoader.load(file, TraceFormat.MOONCAKE, WORDS, ALL))
                .hasMessageContaining("bad.jsonl:2#/timestamp")
                .hasMessageContaining("bad.jsonl:3: the row has a delay");
        Path object = file("object.json", "{\"conversations\":[]}");
        assertThatThrownBy(() -> TraceLoader.load(object, TraceFormat.SHAREGPT, WORDS, ALL))
                .hasMessageContaining("expected a JSON array");
    }

    @Test
    void reportsMissingAndEmptyFilesAsInputErrors() throws IOException {
        Path none = FIXTURES.resolve("none.csv");
        assertThatThrownBy(() -> TraceCodec.detect(none))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("none.csv");
        Path empty = file("empty.csv", "\n\n");
        assertThatThrownBy(() -> TraceCodec.detect(empty)).hasMessageContaining("empty");
    }

    @Test
    void ignoresByteOrderMarkAndColumnOrder() throws IOException {
        Path file = file("bom.csv", "\uFEFFnum_decode_tokens,extra,num_prefill_tokens\n7,x,5\n");
        assertThat(TraceCodec.detect(file)).isEqualTo(TraceFormat.LENGTHS);
        TraceRows rows = TraceLoader.load(file, TraceFormat.LENGTHS, WORDS, ALL);
        assertThat(rows.prefill()).containsExactly(5);
        assertThat(rows.decode()).containsExactly(7);
    }

    @Test
    void locatesRowsWithoutTokensAndRowsOutOfOrder() throws IOException {
        Path file = file("bad.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n5,1,1\n6,0,2\n4,3,3\n7,4,0\n");
        RowFilter strict = ALL.empty(RowFilter.Empty.REFUSE).inOrder(true);
        assertThatThrownBy(() -> TraceLoader.load(file, TraceFormat.VIDUR, WORDS, strict))
                .hasMessageContainingAll(
                        "bad.csv:3: a request of 0 prompt and 2 output",
                        "bad.csv:4: this row is earlier",
                        "workload.rows.unsorted=sort",
                        "bad.csv:5: a request of 4 prompt and 0 output",
                        "workload.rows.empty=drop");
        Path lines = file("bad.jsonl", "{\"timestamp\":1,\"input_length\":0,\"output_length\":1,\"hash_ids\":[]}\n");
        assertThatThrownBy(() -> TraceLoader.load(lines, TraceFormat.MOONCAKE, WORDS, strict))
                .hasMessageContainingAll("bad.jsonl", "a request of 0 prompt");
    }

    @Test
    void sortsStablyAndDropsWholeRows() throws IOException {
        Path file =
                file("unsorted.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n5,1,1\n2,20,2\n5,3,3\n2,4,4\n");
        TraceRows rows = TraceLoader.load(file, TraceFormat.VIDUR, WORDS, ALL);
        assertThat(rows.isSorted()).isFalse();
        rows.sortByTime();
        assertThat(rows.prefill()).containsExactly(20, 4, 1, 3);
        assertThat(rows.dropOver(8)).isEqualTo(1);
        assertThat(rows.prefill()).containsExactly(4, 1, 3);
        assertThat(rows.timeNs()).containsExactly(2_000_000_000L, 5_000_000_000L, 5_000_000_000L);
    }

    private static long[] gaps(TraceRows rows) {
        long[] gaps = new long[rows.size() - 1];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = rows.timeNs()[i + 1] - rows.timeNs()[i];
        }
        return gaps;
    }

    private static TraceRows load(String name) throws IOException {
        return load(name, ALL);
    }

    private static TraceRows load(String name, RowFilter filter) throws IOException {
        Path file = FIXTURES.resolve(name);
        return TraceLoader.load(file, TraceCodec.detect(file), WORDS, filter);
    }

    private static Path file(String name, String text) throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/" + name);
        return Files.writeString(file, text);
    }

    @Test
    void readsTimesInTheUnitOfTheirColumn() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/t.csv");
        for (String[] column : new String[][] {
            {"arrival_time_us", "1500000", "2000000"},
            {"timestamp_ms", "1500", "2000"},
            {"Arrival Time (ns)", "1500000000", "2000000000"},
            {"time_s", "1.5", "2"},
            {"arrived_at_seconds", "1.5", "2"}
        }) {
            Files.writeString(
                    file,
                    column[0] + ",input_tokens,output_tokens\n" + column[1] + ",20,30\n" + column[2] + ",21,31\n");
            TraceRows rows = TraceLoader.load(file, TraceCodec.detect(file), WORDS, ALL);
            assertThat(rows.timeNs()).as(column[0]).containsExactly(1_500_000_000L, 2_000_000_000L);
        }
        Files.writeString(file, "arrival_time_us,input_tokens,output_tokens\n2023-11-16 18:17:03,20,30\n");
        assertThatThrownBy(() -> TraceLoader.load(file, TraceCodec.detect(file), WORDS, ALL))
                .hasMessageContainingAll("t.csv:2", "microseconds");
    }

    @Test
    void findsColumnsInAnyOrderAndCase() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/t.csv");
        for (String header : List.of(
                "timestamp,prompt_tokens,completion_tokens",
                "Arrival_Time,Input Tokens,Output-Tokens",
                "time,num_input_tokens,num_output_tokens",
                "arrived_at,input_length,output_length")) {
            Files.writeString(file, header + "\n1.5,20,30\n2,21,31\n");
            assertThat(TraceCodec.detect(file)).as(header).isEqualTo(TraceFormat.COLUMNS);
            TraceRows rows = TraceLoader.load(file, TraceCodec.detect(file), WORDS, ALL);
            assertThat(rows.prefill()).containsExactly(20, 21);
            assertThat(rows.decode()).containsExactly(30, 31);
            assertThat(rows.timeNs()).containsExactly(1_500_000_000L, 2_000_000_000L);
            assertThat(rows.remarks()).isEmpty();
            assertThat(rows.layout().orElseThrow()).contains("prompt tokens", "in seconds");
        }
        Files.writeString(file, "output_tokens,input_tokens\n30,20\n");
        TraceRows rows = TraceLoader.load(file, TraceCodec.detect(file), WORDS, ALL);
        assertThat(rows.hasTimes()).isFalse();
        assertThat(rows.prefill()).containsExactly(20);
        Files.writeString(file, "prompt_tokens,input_tokens,output_tokens\n1,2,3\n");
        assertThatThrownBy(() -> TraceCodec.detect(file)).hasMessageContaining("prompt_tokens");
    }
}

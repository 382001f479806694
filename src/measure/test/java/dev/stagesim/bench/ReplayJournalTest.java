package dev.stagesim.bench;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReplayJournalTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final Path file = dir.resolve("journal.jsonl");

    private static ReplayOutcome outcome(long id) {
        return KeyRecord.of(
                ReplayOutcome.class,
                Map.ofEntries(
                        entry("id", id),
                        entry("label", "r-" + id),
                        entry("intendedNs", 5),
                        entry("sentNs", 6),
                        entry("endNs", 9),
                        entry("chunkNs", new long[] {7, 9}),
                        entry("promptTokens", 3),
                        entry("outputTokens", 2),
                        entry("cancelled", false),
                        entry("error", Optional.of("gr\u00fc\u00dfe \ud83d\ude00"))));
    }

    private byte[] written() throws IOException {
        try (ReplayJournal journal = ReplayJournal.open(file, "this", "salt")) {
            assertThat(journal.before()).isEmpty();
            journal.add(outcome(4));
            journal.add(outcome(2));
        }
        return Files.readAllBytes(file);
    }

    /** After a crash at any byte, complete lines are kept, new lines are appended, and no other file remains. */
    @Test
    void resumesWithCompleteLinesWhenTruncated() throws IOException {
        byte[] whole = written();
        String text = new String(whole, StandardCharsets.UTF_8);
        for (int cut = 0; cut <= whole.length; cut++) {
            Files.write(file, Arrays.copyOf(whole, cut));
            long lines = new String(whole, 0, cut, StandardCharsets.UTF_8)
                    .chars()
                    .filter(c -> c == '\n')
                    .count();
            try (ReplayJournal journal = ReplayJournal.open(file, "this", "salt")) {
                assertThat(journal.before()).hasSize((int) Math.max(0, lines - 1));
                for (long id : List.of(4L, 2L)) {
                    if (!journal.before().containsKey(id)) {
                        journal.add(outcome(id));
                    }
                }
            }
            assertThat(Files.readString(file)).isEqualTo(text);
        }
        try (Stream<Path> all = Files.list(dir)) {
            assertThat(all).containsExactly(file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"my notes", "my notes\n", "{}\n", "[1]\n", "{\"journal\":\"other\"}\n", "{\"jour\n"})
    void rejectsOtherFilesUnchanged(String text) throws IOException {
        Files.createDirectories(dir);
        Files.writeString(file, text);
        assertThatThrownBy(() -> ReplayJournal.open(file, "this", "salt"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("is not the journal of a replay");
        assertThat(Files.readString(file)).isEqualTo(text);
    }

    @Test
    void rejectsJournalsOfOtherReplaysAndVersions() throws IOException {
        written();
        assertThatThrownBy(() -> ReplayJournal.open(file, "that", "salt"))
                .hasMessageContaining("belongs to another replay");
        Files.writeString(file, Files.readString(file).replace("stagesim-replay/3", "stagesim-replay/2"));
        assertThatThrownBy(() -> ReplayJournal.open(file, "this", "salt")).hasMessageContaining("by another version");
    }

    @Test
    void computesStableDigestOfAllRequestFields() {
        List<PlannedRequest> two = List.of(new PlannedRequest(0, 0, "a b", 3), new PlannedRequest(1, 5, "c", 4));
        assertThat(PlannedRequest.digest(two))
                .isEqualTo("8c411237e62ce065502514036df223a37fa84679b86f91081e59dbc87f892792");
        assertThat(Stream.of(
                                two,
                                two.subList(0, 1),
                                List.of(two.get(0), two.get(1).at(6)),
                                List.of(two.get(0), new PlannedRequest(1, 5, "d", 4)),
                                List.of(two.get(0), new PlannedRequest(1, 5, "c", 5)),
                                List.of(two.get(0), new PlannedRequest(1, 5, "c", 4, new Cancellation(2, 9))))
                        .map(PlannedRequest::digest)
                        .distinct())
                .hasSize(6);
    }
}

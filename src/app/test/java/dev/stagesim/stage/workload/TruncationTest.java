package dev.stagesim.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.LogNormalTokens;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stated lengths over the limit are rejected. Drawn and recorded lengths are truncated and counted in the artifact and
 * the summary.
 */
class TruncationTest {
    private static final int LIMIT = 100;

    @TempDir
    private Path dir;

    private FakeContext run(Settings settings) throws IOException {
        FakeContext context = new FakeContext(dir, Path.of("").toAbsolutePath());
        new WorkloadStage().run(settings.build(), context);
        return context;
    }

    private static Settings limited(LengthSettings lengths) {
        Settings settings = Settings.requests(2);
        settings.lengths = lengths;
        settings.maxTokens = Optional.of(LIMIT);
        return settings;
    }

    private static Stream<LengthSettings> stated() {
        return Stream.of(
                new LengthSettings.Fixed(90, 11),
                new LengthSettings.Fixed(1, 100),
                new LengthSettings.Fixed(1 << 30, 1 << 29),
                new LengthSettings.Listed(List.of(5, 96), List.of(5)),
                new LengthSettings.Listed(List.of(5, 5), List.of(5, 96)));
    }

    @ParameterizedTest
    @MethodSource("stated")
    void rejectsStatedLengthsOverTheLimitUnlessAllowed(LengthSettings lengths) throws IOException {
        Settings settings = limited(lengths);
        assertThatThrownBy(() -> run(settings))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("workload.lengths", "100", "workload.max_tokens=", "workload.overlong=");
        settings.overlong = Optional.of(Overlong.TRIM_PROMPT);
        FakeContext context = run(settings);
        assertThat(context.warnings).anyMatch(text -> text.contains("workload.max_tokens=100"));
        settings.overlong = Optional.empty();
        settings.maxTokens = Optional.empty();
        assertThatCode(() -> run(settings)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(names = {"TRIM_PROMPT", "PROPORTIONAL", "DROP"})
    void countsRemovedTokensAndRequests(Overlong policy) throws IOException {
        Path file = dir.resolve("trace.csv");
        Files.writeString(file, "arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,50\n1,150,50\n2,20,180\n");
        Settings settings = Settings.replay(file);
        settings.maxTokens = Optional.of(LIMIT);
        settings.overlong = Optional.of(policy);
        FakeContext context = run(settings);
        WorkloadDocument document =
                Json.readDocument(context.out(), WorkloadDocument.class).orElseThrow();
        boolean drops = policy == Overlong.DROP;
        assertThat(document.truncatedRequests()).isEqualTo(drops ? 0 : 2);
        assertThat(document.droppedRequests()).isEqualTo(drops ? 2 : 0);
        assertThat(document.truncatedPromptTokens() + document.truncatedOutputTokens())
                .isEqualTo(drops ? 0 : 200);
        assertThat(document.overlong()).contains(policy.name().toLowerCase(java.util.Locale.ROOT));
        String sentence = document.truncation().orElseThrow();
        assertThat(Files.readString(context.out().resolve("summary.md"))).contains(sentence);
        assertThat(Json.readDocument(context.out(), RunConditions.class)
                        .orElseThrow()
                        .truncated())
                .containsExactly(sentence);
    }

    @Test
    void truncatesAndCountsDrawnLengths() throws IOException {
        LogNormalTokens tokens = new LogNormalTokens(60, 0.5, 1, 1000);
        Settings settings = limited(new LengthSettings.LogNormal(tokens, tokens, Optional.empty()));
        settings.numRequests = Optional.of(200);
        WorkloadDocument document =
                Json.readDocument(run(settings).out(), WorkloadDocument.class).orElseThrow();
        assertThat(document.truncatedRequests()).isBetween(50L, 199L);
    }

    @Test
    void countsTruncationByVidursLimit() throws IOException {
        Path file = dir.resolve("trace.csv");
        Files.writeString(file, "arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,50\n1,150,50\n");
        Settings settings = Settings.replay(file);
        settings.maxTokens = Optional.of(LIMIT);
        settings.compat = CompatMode.VIDUR;
        WorkloadDocument document =
                Json.readDocument(run(settings).out(), WorkloadDocument.class).orElseThrow();
        assertThat(document.truncatedRequests()).isEqualTo(1);
        assertThat(document.truncatedPromptTokens()).isEqualTo(100);
    }

    @Test
    void countsTokensThatFirstTurnsLose() throws IOException {
        Settings settings = limited(new LengthSettings.Fixed(60, 10));
        settings.sharing = new SharingSettings.Agents(1, 40, 512, 0, 2, 0.02);
        settings.arrival = new ArrivalSettings.Poisson(1);
        assertThatThrownBy(() -> run(settings))
                .hasMessageContainingAll("workload.sharing.shared_prefix_tokens", "workload.overlong=");
        settings.overlong = Optional.of(Overlong.TRIM_PROMPT);
        WorkloadDocument document =
                Json.readDocument(run(settings).out(), WorkloadDocument.class).orElseThrow();
        assertThat(document.truncatedRequests()).isPositive();
        assertThat(document.truncatedPromptTokens()).isEqualTo(10 * document.truncatedRequests());
    }

    @Test
    void reportsNothingWithoutTruncation() throws IOException {
        FakeContext context = run(limited(new LengthSettings.Fixed(90, 10)));
        assertThat(context.warnings).isEmpty();
        assertThat(Files.readString(context.out().resolve("summary.md"))).doesNotContain("runcated");
    }
}

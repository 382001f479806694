package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.serving.VllmFormat;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VllmFormatTest {
    private static final Path DATA =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/real");

    private static Measurement read(String name) throws IOException {
        return read(name, Optional.empty(), Optional.empty());
    }

    private static Measurement read(String name, Optional<Integer> entry, Optional<ArrivalTime> arrivals)
            throws IOException {
        Path file = DATA.resolve(name);
        assertThat(ResultFormats.of(file, Optional.empty())).isInstanceOf(VllmFormat.class);
        return new VllmFormat().read(file, new ReadOptions(entry, arrivals));
    }

    @Test
    void readsArraysInSecondsAndScalarsInMilliseconds() throws IOException {
        Measurement m = read("vllm_detailed.json");
        Request first = m.requests().all().get(0);
        assertThat(first.arrival()).isZero();
        assertThat(first.first()).isEqualTo(50_000_000);
        assertThat(first.completion()).isEqualTo(71_000_000);
        assertThat(first.chunks()).containsExactly(50_000_000, 60_000_000, 71_000_000);
        assertThat(m.requests().all().get(1).arrival()).isEqualTo(500_000);
        assertThat(m.published())
                .filteredOn(p -> p.metric().equals("ttft") && p.statistic().equals("p50"))
                .singleElement()
                .satisfies(p -> assertThat(p.valueNs()).isCloseTo(55e6, within(1e-3)));
    }

    @Test
    void keepsFailedRequestsSeparate() throws IOException {
        Request failed = read("vllm_detailed.json").requests().all().get(3);
        assertThat(failed.status()).isEqualTo(RequestStatus.FAILED);
        assertThat(failed.first()).isEqualTo(Requests.NONE);
        assertThat(failed.actual()).isZero();
        assertThat(failed.requested()).isEqualTo(1);
    }

    @Test
    void doesNotCountChunksOfSeveralTokensAsTokens() throws IOException {
        Measurement m = read("vllm_detailed.json");
        Request chunked = m.requests().all().get(2);
        assertThat(chunked.actual()).isEqualTo(4);
        assertThat(chunked.chunks()).hasSize(3);
        assertThat(chunked.wholeTokens()).isFalse();
        assertThat(m.requests().all().get(0).wholeTokens()).isTrue();
        assertThat(m.warnings()).anyMatch(w -> w.contains("several tokens"));
    }

    @Test
    void omitsMetricsWithoutObservations() throws IOException {
        Measurement m = read("vllm_detailed.json");
        assertThat(m.published()).noneMatch(p -> p.statistic().equals("p99.9"));
        assertThat(m.published())
                .filteredOn(p -> p.metric().equals("token_gap"))
                .allMatch(p -> p.definition().equals("B"))
                .hasSize(3);
    }

    @Test
    void readsMetadataAsSettings() throws IOException {
        assertThat(read("vllm_detailed.json")
                        .about()
                        .get("settings")
                        .orElseThrow()
                        .toString())
                .contains("one A100")
                .contains("inf")
                .doesNotContain("mean_ttft_ms");
    }

    @Test
    void rejectsAppendedResultsWithoutASelection() throws IOException {
        assertThatThrownBy(() -> read("vllm_appended.json"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("real.entry")
                .hasMessageContaining("0 (20260811-101500, request_rate 1")
                .hasMessageContaining("1 (20260811-102000, request_rate \"Infinity\")");
        Measurement second = read("vllm_appended.json", Optional.of(1), Optional.empty());
        assertThat(second.requests().all().get(0).first()).isEqualTo(250_000_000);
        assertThatThrownBy(() -> read("vllm_appended.json", Optional.of(2), Optional.empty()))
                .hasMessageContaining("is 2, but");
    }

    @Test
    void includesClientQueueingUnlessSendTimesAreSelected() throws IOException {
        Requests intended = read("vllm_queued.json").requests();
        // arrivals 5.0, 5.125, 5.5: the request sent last arrived second
        assertThat(intended.all()).extracting(Request::promptId).containsExactly("vllm-0", "vllm-1", "vllm-2");
        assertThat(intended.all().get(1).arrival()).isEqualTo(125_000_000);
        assertThat(intended.all().get(1).first()).isEqualTo(1_750_000_000);
        Requests sent = read("vllm_queued.json", Optional.empty(), Optional.of(ArrivalTime.SENT))
                .requests();
        assertThat(sent.all()).extracting(Request::promptId).containsExactly("vllm-0", "vllm-2", "vllm-1");
        assertThat(sent.all().get(1).arrival()).isEqualTo(750_000_000);
    }

    @Test
    void prefersTheStatedLatencyToTheSumOfGaps() throws IOException {
        Request first = read("vllm_queued.json").requests().all().get(0);
        assertThat(first.completion()).isEqualTo(750_000_000);
        assertThat(first.chunks()).containsExactly(500_000_000, 750_000_000);
    }

    @Test
    void rejectsArrivalsWithoutQueueTimes() {
        assertThatThrownBy(() -> read("vllm_detailed.json", Optional.empty(), Optional.of(ArrivalTime.SENT)))
                .hasMessageContaining("real.arrivals")
                .hasMessageContaining("no effect");
    }

    @Test
    void readsOldVersionsWithTheFirstTokenAmongTheGaps() throws IOException {
        Measurement m = read("vllm_mid2024.json");
        Request first = m.requests().all().get(0);
        assertThat(first.chunks()).containsExactly(500_000_000, 600_000_000, 800_000_000);
        assertThat(first.wholeTokens()).isTrue();
        assertThat(m.requests().all().get(1).status()).isEqualTo(RequestStatus.FAILED);
        assertThat(m.warnings()).anyMatch(w -> w.contains("begin with the time to first token"));
        assertThat(m.warnings()).anyMatch(w -> w.contains("no start_times"));
    }

    @Test
    void readsAggregatesOnly() throws IOException {
        Measurement m = read("vllm_summary_only.json");
        assertThat(m.aggregatesOnly()).isTrue();
        assertThat(m.published())
                .as("without the other arrays, latencies are not requests")
                .singleElement()
                .satisfies(p -> {
                    assertThat(p.metric()).isEqualTo("ttft");
                    assertThat(p.valueNs()).isEqualTo(5e6);
                });
        assertThat(m.warnings())
                .anyMatch(w -> w.contains("aggregates only"))
                .anyMatch(w -> w.contains("--save-detailed"));
    }

    @Test
    void reportsAllProblemsAtOnce() {
        assertThatThrownBy(() -> read("vllm_inconsistent.json"))
                .hasMessageContaining("'input_lens' has 1 items, but 'ttfts' has 2")
                .hasMessageContaining("-0.2")
                .hasMessageContaining("start_times");
    }

    @Test
    void warnsOfArraysThatContradictAggregates() throws IOException {
        assertThat(read("vllm_mid2024.json").warnings()).noneMatch(w -> w.contains("completed"));
        assertThat(read("vllm_detailed.json").warnings()).noneMatch(w -> w.contains("the file states"));
    }
}
